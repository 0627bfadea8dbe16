import Postgres

/// A primary key as text, one element a column, in the server's encoding.
package typealias KeyText = [[UInt8]]

/// A range of the key, as its server orders keys.
package struct KeyRange: Equatable, Sendable {
  /// Exclusive; nil from the first key on.
  package var lower: KeyText?
  /// Inclusive; nil up to the last key.
  package var upper: KeyText?

  package init(lower: KeyText? = nil, upper: KeyText? = nil) {
    self.lower = lower
    self.upper = upper
  }
}

/// What a pipeline takes of a table, and the SQL for it.
package struct PostgresTable: Sendable {
  package let table: Table
  /// The chosen columns, in the pipeline's order; `Cell.column` is an index of these.
  package let columns: [Table.Column]
  /// The pipeline's `where`.
  package let predicate: String?

  package init(table: Table, columns: [Table.Column], predicate: String? = nil) {
    self.table = table
    self.columns = columns
    self.predicate = predicate
  }

  /// The column as SQL, qualified by its table's own name, as the pipeline's `where` may name it so too.
  func qualified(_ column: Table.Column) -> String {
    "\(quoteIdentifier(table.name)).\(quoteIdentifier(column.name))"
  }

  /// The key, to order by and to compare: by the columns themselves, so that the index serves.
  var keyList: String { table.key.map(qualified).joined(separator: ",") }

  /// The key as text, then the values: bytea as it is, the rest as text.
  var selectList: String {
    let keys = table.key.map { "\(qualified($0))::text" }
    let values = columns.map { $0.isBytes ? qualified($0) : "\(qualified($0))::text" }
    return (keys + values).joined(separator: ",")
  }

  /// `(k1,k2)` or `k1`.
  private var keyRow: String { table.key.count == 1 ? keyList : "(\(keyList))" }

  /// Appends ` WHERE …` for the predicate and the range, or nothing.
  func appendCondition(_ range: KeyRange, and more: String? = nil, to sql: inout [UInt8]) {
    var word = " WHERE "
    for condition in [predicate, more].compactMap({ $0 }) {
      // The line end keeps a comment at the end of `where` from swallowing the parenthesis.
      sql.append(contentsOf: "\(word)(\(condition)\n)".utf8)
      word = " AND "
    }
    for (key, comparison) in [(range.lower, " > "), (range.upper, " <= ")] {
      guard let key else { continue }
      sql.append(contentsOf: "\(word)\(keyRow)\(comparison)".utf8)
      appendKey(key, to: &sql)
      word = " AND "
    }
  }

  private func appendKey(_ key: KeyText, to sql: inout [UInt8]) {
    if key.count > 1 { sql.append(UInt8(ascii: "(")) }
    for (index, value) in key.enumerated() {
      if index > 0 { sql.append(UInt8(ascii: ",")) }
      appendLiteral(value, to: &sql)
      sql.append(contentsOf: "::\(table.key[index].castType)".utf8)
    }
    if key.count > 1 { sql.append(UInt8(ascii: ")")) }
  }

  /// `COPY (SELECT key, values … ) TO STDOUT (FORMAT binary)`, in key order if there is a limit.
  func copyStatement(_ range: KeyRange, limit: Int?, and more: String? = nil) -> [UInt8] {
    var sql = Array("COPY (SELECT \(selectList) FROM \(table.onlySQL)".utf8)
    appendCondition(range, and: more, to: &sql)
    if let limit { sql.append(contentsOf: " ORDER BY \(keyList) LIMIT \(limit)".utf8) }
    sql.append(contentsOf: ") TO STDOUT (FORMAT binary);".utf8)
    return sql
  }
}
