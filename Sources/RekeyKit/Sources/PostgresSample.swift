import Pipeline
import Postgres

/// What the preflight sees of a table.
package struct PostgresSample {
  /// Whether the table has rows at all.
  package var hasRows: Bool
  /// Whether any row matches `where`.
  package var hasMatches: Bool
  /// For each chosen column, rows that hold a payload-like value in it (its cells are those of that column alone),
  /// and whether any value is neither NULL nor empty.
  package var columns: [(values: Batch, isAnyFilled: Bool)]
}

extension PostgresTable {
  /// What the server looks for: after white space and quotes, base64 letters whose first byte is `{`.
  package static let payloadPattern = #"^[\s"]*e[w-z0-9+/]"#
  /// The same in base64 once more (`wrap: base64`).
  package static let wrappedPayloadPattern = #"^[\s"]*Z[Q-Za-f]"#

  /// Takes up to 1,000 payload-like values of each column, spread over the whole key range.
  ///
  /// - Parameters:
  ///   - patterns: for each chosen column the regular expression that its values are looked for by; nil takes any
  ///     value that isn't empty (a JSON document).
  ///   - bytes: how much of each column is kept at most.
  package func sample(
    _ connection: Connection, patterns: [String?], values: Int = 1000, bytes: Int = 8 << 20
  ) throws -> PostgresSample {
    do {
      let hasRows = try exists(connection, "FROM \(table.onlySQL)")
      let hasMatches =
        predicate == nil ? hasRows : try exists(connection, "FROM \(table.onlySQL) WHERE (\(predicate!)\n)")
      var sample = PostgresSample(hasRows: hasRows, hasMatches: hasMatches, columns: [])
      let ranges = hasMatches ? try cutShards(connection, count: 20, rowsAtLeast: 500) : []
      for (index, column) in columns.enumerated() {
        let found = try payloads(
          connection, column, pattern: patterns[index], ranges: ranges, values: values, bytes: bytes, index: index)
        let isFilled =
          try !found.rows.isEmpty
          || hasMatches
            && exists(
              connection, "FROM \(table.onlySQL) WHERE \(filled(column))\(predicate.map { " AND (\($0)\n)" } ?? "")")
        sample.columns.append((found, isFilled))
      }
      return sample
    } catch let error as PostgresError {
      throw RekeyError(error, while: "sampling \(table.description)")
    }
  }

  private func filled(_ column: Table.Column) -> String {
    column.isBytes ? "\(qualified(column)) <> ''::bytea" : "\(qualified(column))::text <> ''"
  }

  private func exists(_ connection: Connection, _ clause: String) throws -> Bool {
    try connection.transaction(.snapshot) { try connection.query("SELECT EXISTS (SELECT \(clause))").bool(0, 0) }
  }

  private func payloads(
    _ connection: Connection, _ column: Table.Column, pattern: String?, ranges: [KeyRange], values: Int, bytes: Int,
    index: Int
  ) throws -> Batch {
    let batch = Batch()
    let single = PostgresTable(table: table, columns: [column], predicate: predicate)
    var condition = filled(column)
    if let pattern {
      // Of bytes, the few that decide are made text; escapes can't be mistaken for base64 letters.
      let text =
        column.isBytes ? "encode(substring(\(qualified(column)), 1, 64), 'escape')" : "\(qualified(column))::text"
      condition = "\(text) COLLATE \"C\" ~ \(quoteLiteral(pattern))"
    }
    for (part, range) in ranges.enumerated() where batch.bytes.count < bytes {
      // What earlier parts hadn't, later ones may give.
      let wanted = values * (part + 1) / ranges.count - batch.rows.count
      let statement = single.copyStatement(range, limit: max(wanted, 1), and: condition)
      let copy = try CopyOut(
        connection, sql: Array(beginStatements(.snapshot).utf8) + statement + Array("COMMIT".utf8))
      while try copy.next({ message in
        var fields = BinaryRow(message)
        guard fields.count > 0, batch.bytes.count < bytes else { return }
        let row = batch.rows.count
        batch.keyWidth = table.key.count
        for _ in table.key { batch.keys.append(fields.next().map { batch.append($0) } ?? .null) }
        let value = fields.next().map { batch.append($0) } ?? .null
        batch.addCell(row: row, column: index, value: value, raw: value)
        batch.rows.append(Row(raw: Slice(start: 0, length: 0), number: row + 1))
      }) {}
    }
    return batch
  }
}
