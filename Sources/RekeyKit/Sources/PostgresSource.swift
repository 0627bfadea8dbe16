import Pipeline
import Postgres

/// Reads one shard of a table.
package final class PostgresSource: Source, @unchecked Sendable {  // used from its lane's reading queue alone
  package enum Mode: Sendable {
    /// Keyset pages, each a short transaction, in key order: for a run that writes to the table meanwhile.
    case pages
    /// One read-only snapshot, in any order: for a dry run and an audit. A standby will do.
    case snapshot
  }

  package struct Limits: Sendable {
    package var rows: Int
    package var bytes: Int

    package init(rows: Int, bytes: Int) {
      self.rows = rows
      self.bytes = bytes
    }
  }

  private let connection: Connection
  private let table: PostgresTable
  private let mode: Mode
  private let limits: Limits
  /// What is left to read: its lower bound moves along.
  private var range: KeyRange
  private var copy: CopyOut?
  private var rowsInPage = 0
  private var rowNumber = 0
  private var isFinished = false

  /// - Parameters:
  ///   - connection: the lane's reader; nobody else uses it meanwhile.
  ///   - range: the shard, from its cursor on.
  package init(_ connection: Connection, table: PostgresTable, range: KeyRange, mode: Mode, limits: Limits) {
    self.connection = connection
    self.table = table
    self.range = range
    self.mode = mode
    self.limits = limits
  }

  package func read(into batch: Batch) throws -> Bool {
    batch.keyWidth = table.table.key.count
    var attempt = 0
    while !isFinished && !isFull(batch) {
      do {
        try fill(batch)
      } catch let error as PostgresError where error.kind == .connection && mode == .pages && attempt < 5 {
        // Nothing depends on the lost transaction: the next page starts behind the last row that came.
        copy = nil
        attempt += 1
        pause(beforeAttempt: attempt)
        try? connection.reconnect()
      } catch let error as PostgresError {
        throw RekeyError(error, while: "reading \(table.table.description)")
      }
    }
    return !batch.rows.isEmpty
  }

  private func isFull(_ batch: Batch) -> Bool {
    batch.rows.count >= limits.rows || batch.bytes.count >= limits.bytes
  }

  /// Reads up to the end of the page or until the batch is full.
  private func fill(_ batch: Batch) throws {
    let copy = try copy ?? open()
    self.copy = copy
    defer { moveCursor(behind: batch) }
    // A page's end is read together with its last row, so that no transaction idles.
    while !isFull(batch) || (mode == .pages && rowsInPage == limits.rows) {
      guard try copy.next({ message in try append(BinaryRow(message), to: batch) }) else {
        self.copy = nil
        if mode == .snapshot || rowsInPage < limits.rows { isFinished = true }
        rowsInPage = 0
        return
      }
    }
  }

  private func open() throws -> CopyOut {
    rowsInPage = 0
    let kind: TransactionKind = mode == .pages ? .page : .snapshot
    let statement = table.copyStatement(range, limit: mode == .pages ? limits.rows : nil)
    return try CopyOut(connection, sql: Array(beginStatements(kind).utf8) + statement + Array("COMMIT".utf8))
  }

  private func append(_ fields: BinaryRow, to batch: Batch) throws {
    guard fields.count > 0 else { return }
    var fields = fields
    for _ in table.table.key {
      guard let key = fields.next() else {
        throw RekeyError(.fatal, "\(table.table.description) has a NULL in its key; that can't be: reindex it")
      }
      batch.keys.append(batch.append(key))
    }
    let row = batch.rows.count
    for column in table.columns.indices {
      let value = fields.next().map { batch.append($0) } ?? .null
      batch.addCell(row: row, column: column, value: value, raw: value)
    }
    rowNumber += 1
    rowsInPage += 1
    batch.rows.append(Row(raw: Slice(start: 0, length: 0), number: rowNumber))
  }

  private func moveCursor(behind batch: Batch) {
    if let last = batch.rows.indices.last, mode == .pages { range.lower = batch.key(of: last) }
  }
}

extension Batch {
  /// A copy of the row's key.
  package func key(of row: Int) -> KeyText {
    keys[(row * keyWidth)..<((row + 1) * keyWidth)].map { Array(bytes[$0.start..<$0.end]) }
  }
}
