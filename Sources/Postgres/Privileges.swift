extension Catalog {
  /// What the role lacks to read the columns and, with `update`, to write them, as the GRANT to type; empty if nothing.
  package func missingPrivileges(on table: Table, columns: [Table.Column], update: Bool) throws -> [String] {
    try connection.transaction(.catalog) {
      var missing: [String] = []
      var readable = columns
      for column in table.key where !readable.contains(column) { readable.append(column) }
      missing += try lacking("SELECT", table, readable)
      if update { missing += try lacking("UPDATE", table, columns) }
      let schema = try has("SELECT has_schema_privilege($1::text, 'USAGE')", table.schema)
      if !schema { missing.insert("GRANT USAGE ON SCHEMA \(quoteIdentifier(table.schema)) TO \(try role())", at: 0) }
      return missing
    }
  }

  /// Whether row-level security would hide rows of the table from this role, or refuse writes to them.
  package func hidesRows(_ table: Table) throws -> Bool {
    try connection.transaction(.catalog) {
      var parameters = Parameters()
      parameters.add(table.oid)
      return try connection.query("SELECT row_security_active($1::oid)", parameters).bool(0, 0)
    }
  }

  private func lacking(_ privilege: String, _ table: Table, _ columns: [Table.Column]) throws -> [String] {
    var parameters = Parameters()
    parameters.add(table.oid)
    parameters.add(privilege)
    parameters.beginArray(of: .int8)
    for column in columns { parameters.appendElement(column.number) }
    parameters.endArray()
    let result = try connection.query(
      """
      SELECT n::int8 FROM unnest($3::int8[]) n WHERE NOT has_column_privilege($1::oid, n::int2, $2::text)
      """, parameters)
    let names = (0..<result.rows).compactMap { row in columns.first { $0.number == result.int(row, 0) }?.name }
    if names.isEmpty { return [] }
    let list = names.map(quoteIdentifier).joined(separator: ", ")
    return ["GRANT \(privilege) (\(list)) ON \(table.sql) TO \(try role())"]
  }

  private func has(_ sql: String, _ name: String) throws -> Bool {
    var parameters = Parameters()
    parameters.add(name)
    return try connection.query(sql, parameters).bool(0, 0)
  }

  private func role() throws -> String {
    quoteIdentifier(try connection.query("SELECT current_user::text").string(0, 0) ?? "")
  }
}
