import Pipeline
import Postgres

/// The statements that write one batch, within a transaction that its sink begins and commits.
final class PostgresUpdate {
  private let connection: Connection
  private let table: PostgresTable
  private let stage: any Stage
  private let insert: PostgresInsert?
  private var parameters = Parameters()
  private var statements = PostgresUpdateSQL()
  /// The index of each row's first cell, and the number of cells at the end.
  private var firstCell: [Int] = []
  /// By row: written in this transaction.
  private var isWritten: [Bool] = []
  /// Cells that another process changed since they were read.
  private var changedCells: Set<Int> = []
  private let fresh = Batch()

  init(_ connection: Connection, table: PostgresTable, stage: any Stage, insert: PostgresInsert?) {
    self.connection = connection
    self.table = table
    self.stage = stage
    self.insert = insert
  }

  /// Whether anything of the batch would be written.
  func hasWork(_ batch: Batch) -> Bool { insert != nil || batch.sites.contains { $0.isChanged } }

  /// Writes the changed cells; afterwards each outcome is final, and `batch.tally` holds `latePrevious` alone.
  func write(_ batch: Batch, isCareful: Bool) throws {
    index(batch)
    changedCells.removeAll(keepingCapacity: true)
    let sites = batch.sites.count
    // Rows to insert count as changed until it is known that they exist.
    let rows = batch.rows.indices.filter { insert != nil || hasChange(batch, row: $0) }
    if isCareful {
      try writeCarefully(batch, rows[...])
    } else {
      try writeRows(batch, rows)
    }
    if batch.sites.count != sites { batch.dropReplacedSites() }
    batch.tally = lateCounts(batch)
  }

  // MARK: Refused rows

  /// Halves what a constraint, a trigger or a type refuses until the row is found.
  private func writeCarefully(_ batch: Batch, _ rows: ArraySlice<Int>) throws {
    guard !rows.isEmpty else { return }
    try connection.execute("SAVEPOINT rekey")
    do {
      try writeRows(batch, Array(rows))
      try connection.execute("RELEASE SAVEPOINT rekey")
    } catch let error as PostgresError where error.isRefusal {
      try connection.execute("ROLLBACK TO SAVEPOINT rekey; RELEASE SAVEPOINT rekey")
      if rows.count == 1 {
        give(batch, row: rows[rows.startIndex], .writeRefused, note: error.reason)
      } else {
        let middle = rows.startIndex + rows.count / 2
        try writeCarefully(batch, rows[..<middle])
        try writeCarefully(batch, rows[middle...])
      }
    }
  }

  // MARK: The three tries

  private func writeRows(_ batch: Batch, _ rows: [Int]) throws {
    for row in rows { isWritten[row] = false }
    try insertMissing(batch, rows)
    try update(batch, rows.filter { !isWritten[$0] && hasChange(batch, row: $0) })
    for isLast in [false, true] {
      let contested = rows.filter { !isWritten[$0] && hasChange(batch, row: $0) }
      if contested.isEmpty { return }
      try readAgain(batch, contested, lock: isLast)
      try update(batch, contested.filter { hasChange(batch, row: $0) })
    }
    for row in rows where !isWritten[row] && hasChange(batch, row: row) {
      give(batch, row: row, .conflict, note: "not updated under its row lock: a trigger or a rule may skip it")
    }
  }

  /// Inserts the rows whose key isn't there, if the pipeline says so.
  private func insertMissing(_ batch: Batch, _ rows: [Int]) throws {
    guard let insert else { return }
    parameters.removeAll()
    addKeys(batch, rows)
    let result = try connection.query(statements.find(table), parameters)
    var isThere = [Bool](repeating: false, count: rows.count)
    for index in 0..<result.rows { isThere[(result.int(index, 0) ?? 1) - 1] = true }
    let missing = rows.indices.filter { !isThere[$0] }.map { rows[$0] }
    guard !missing.isEmpty else { return }
    parameters.removeAll()
    try insert.add(missing, of: batch, to: &parameters)
    // Fewer than asked for: someone inserted one meanwhile. Then all are read again and settled.
    guard try connection.query(insert.statement(table), parameters).affected == missing.count else { return }
    for row in missing { isWritten[row] = true }
  }

  /// Updates rows in key order, one statement for each set of columns.
  private func update(_ batch: Batch, _ rows: [Int]) throws {
    let groups = groups(batch, rows)
    if groups.count > 1 { try lock(batch, rows) }
    for group in groups {
      parameters.removeAll()
      addKeys(batch, group.rows)
      for place in group.columns.indices {
        let column = group.columns[place]
        let type: Parameters.Element = table.columns[column].isBytes ? .bytea : .text
        parameters.beginArray(of: type)
        batch.bytes.withUnsafeBytes { bytes in
          for row in group.rows {
            let value = batch.cells[cell(batch, row: row, column: column)].value
            parameters.appendElement(UnsafeRawBufferPointer(rebasing: bytes[value.start..<value.end]))
          }
        }
        parameters.endArray()
        parameters.beginArray(of: type)
        for row in group.rows {
          parameters.appendElement { batch.splice(batch.cells[cell(batch, row: row, column: column)], into: &$0) }
        }
        parameters.endArray()
      }
      let result = try connection.query(statements.update(table, group.columns), parameters)
      for index in 0..<result.rows {
        guard let ordinal = result.int(index, 0) else { continue }
        // Rolled back, for the batch or, when it is halved, for the row alone.
        guard result.bool(index, 1) else {
          throw PostgresError(.altered, "a trigger on the table makes something else of the new value")
        }
        isWritten[group.rows[ordinal - 1]] = true
      }
    }
  }

  /// Locks in key order what several statements will update: else two writers could each wait for the other.
  private func lock(_ batch: Batch, _ rows: [Int]) throws {
    parameters.removeAll()
    addKeys(batch, rows)
    _ = try connection.query(statements.lock(table), parameters)
  }

  /// Reads rows again and gives them the outcome of what they hold now; those not found are gone.
  private func readAgain(_ batch: Batch, _ rows: [Int], lock: Bool) throws {
    parameters.removeAll()
    addKeys(batch, rows)
    let result = try connection.query(statements.read(table, lock: lock), parameters)
    fresh.reset()
    fresh.keyWidth = batch.keyWidth
    var found: [Int] = []
    for index in 0..<result.rows {
      guard let ordinal = result.int(index, 0) else { continue }
      let row = rows[ordinal - 1]
      for slice in 0..<batch.keyWidth {
        let key = batch.keys[row * batch.keyWidth + slice]
        fresh.keys.append(
          batch.bytes.withUnsafeBytes { fresh.append(UnsafeRawBufferPointer(rebasing: $0[key.start..<key.end])) })
      }
      for old in firstCell[row]..<firstCell[row + 1] {
        let column = batch.cells[old].column
        let value = result.withBytes(index, column + 1) { $0.map { fresh.append($0) } ?? .null }
        fresh.addCell(row: found.count, column: column, value: value, raw: value)
      }
      fresh.rows.append(batch.rows[row])
      found.append(row)
    }
    try stage.transform(fresh)
    replace(batch, found)
    for row in Set(rows).subtracting(found) { give(batch, row: row, .gone, note: nil) }
  }

  private func replace(_ batch: Batch, _ found: [Int]) {
    let shift = (bytes: batch.bytes.count, output: batch.output.count)
    batch.bytes.append(contentsOf: fresh.bytes)
    batch.output.append(contentsOf: fresh.output)
    var other = 0
    for row in found {
      for cell in firstCell[row]..<firstCell[row + 1] {
        let before = batch.cells[cell].value
        batch.replaceCell(cell, by: other, of: fresh, shift: shift)
        let now = batch.cells[cell].value
        if before.isNull != now.isNull || batch.bytes[before.start..<before.end] != batch.bytes[now.start..<now.end] {
          changedCells.insert(cell)
        }
        other += 1
      }
    }
  }

  // MARK: Rows, cells and sites

  private func index(_ batch: Batch) {
    firstCell.removeAll(keepingCapacity: true)
    for (cell, content) in batch.cells.enumerated() {
      while firstCell.count <= content.row { firstCell.append(cell) }
    }
    while firstCell.count <= batch.rows.count { firstCell.append(batch.cells.count) }
    isWritten.removeAll(keepingCapacity: true)
    isWritten.append(contentsOf: repeatElement(false, count: batch.rows.count))
  }

  private func cell(_ batch: Batch, row: Int, column: Int) -> Int {
    let guess = firstCell[row] + column
    if guess < firstCell[row + 1], batch.cells[guess].column == column { return guess }
    // A group only has columns that its rows have.
    return (firstCell[row]..<firstCell[row + 1]).first { batch.cells[$0].column == column }!
  }

  private func hasChange(_ batch: Batch, row: Int) -> Bool {
    for cell in firstCell[row]..<firstCell[row + 1] where batch.isChanged(batch.cells[cell]) { return true }
    return false
  }

  private func groups(_ batch: Batch, _ rows: [Int]) -> [(columns: [Int], rows: [Int])] {
    var groups: [(columns: [Int], rows: [Int])] = []
    var columns: [Int] = []
    for row in rows {
      columns.removeAll(keepingCapacity: true)
      for cell in firstCell[row]..<firstCell[row + 1] where batch.isChanged(batch.cells[cell]) {
        columns.append(batch.cells[cell].column)
      }
      if let group = groups.firstIndex(where: { $0.columns == columns }) {
        groups[group].rows.append(row)
      } else {
        groups.append((columns, [row]))
      }
    }
    return groups
  }

  private func addKeys(_ batch: Batch, _ rows: [Int]) {
    batch.bytes.withUnsafeBytes { bytes in
      for part in 0..<batch.keyWidth {
        parameters.beginArray(of: .text)
        for row in rows {
          let key = batch.keys[row * batch.keyWidth + part]
          if key.isNull {
            parameters.appendNullElement()  // of a CSV: it equals no row's
          } else {
            parameters.appendElement(UnsafeRawBufferPointer(rebasing: bytes[key.start..<key.end]))
          }
        }
        parameters.endArray()
      }
    }
  }

  /// Gives the row's sites that were to be written another outcome instead; of a row to insert, all of them.
  private func give(_ batch: Batch, row: Int, _ outcome: Outcome, note: String?) {
    for cell in batch.cells[firstCell[row]..<firstCell[row + 1]] {
      for site in cell.firstSite..<(cell.firstSite + cell.siteCount)
      where batch.sites[site].isChanged || (insert != nil && outcome == .writeRefused) {
        batch.sites[site].outcome = outcome
        batch.sites[site].new = .null
        batch.notes[site] = note
      }
    }
  }

  private func lateCounts(_ batch: Batch) -> Tally {
    var tally = Tally()
    tally.columns = table.columns.map { _ in Tally.Column() }
    for cell in changedCells.map({ batch.cells[$0] }) {
      for site in batch.sites[cell.firstSite..<(cell.firstSite + cell.siteCount)] where site.openedBy > 0 {
        tally.columns[cell.column].latePrevious += 1
      }
    }
    return tally
  }
}
