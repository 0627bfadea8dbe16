import Postgres

/// The SQL that writes batches; a statement for each set of columns is made once.
struct PostgresUpdateSQL {
  private var updates: [[Int]: String] = [:]

  /// Updates these columns by key where they still hold what was read, byte for byte; gives the places of the rows
  /// that it updated, and whether they hold the new values then: a trigger may have changed them. Parameters: an array for each key column, then for each column its old and its new values.
  mutating func update(_ table: PostgresTable, _ columns: [Int]) -> String {
    if let statement = updates[columns] { return statement }
    let alias = alias(table)
    var names: [String] = []
    var arrays: [String] = []
    var settings: [String] = []
    var conditions: [String] = []
    var results: [String] = []
    for (place, key) in table.table.key.enumerated() {
      names.append("k\(place)")
      arrays.append("$\(place + 1)::text[]")
      conditions.append("\(table.qualified(key)) = \(alias).k\(place)::\(key.castType)")
    }
    for index in columns {
      let column = table.columns[index]
      let type = column.isBytes ? "bytea[]" : "text[]"
      names += ["old\(index)", "new\(index)"]
      arrays += ["$\(arrays.count + 1)::\(type)", "$\(arrays.count + 2)::\(type)"]
      settings.append("\(quoteIdentifier(column.name)) = \(alias).new\(index)::\(column.castType)")
      let value = column.isBytes ? table.qualified(column) : "\(table.qualified(column))::text COLLATE \"C\""
      conditions.append("\(value) = \(alias).old\(index)")
      results.append("\(value) IS NOT DISTINCT FROM \(alias).new\(index)")
    }
    let statement = """
      UPDATE \(table.table.onlySQL) SET \(settings.joined(separator: ", "))
      FROM unnest(\(arrays.joined(separator: ", "))) WITH ORDINALITY AS \(alias)(\(names.joined(separator: ", ")), place)
      WHERE \(conditions.joined(separator: " AND ")) 
      RETURNING \(alias).place, \(results.joined(separator: " AND "))
      """
    updates[columns] = statement
    return statement
  }

  /// Locks rows by key, in the order given.
  func lock(_ table: PostgresTable) -> String {
    "SELECT \(from(table)) FOR NO KEY UPDATE OF \(quoteIdentifier(table.table.name))"
  }

  /// The places of the rows that are there.
  func find(_ table: PostgresTable) -> String { "SELECT \(alias(table)).place \(from(table))" }

  /// Reads the chosen columns by key, behind the rows' places.
  func read(_ table: PostgresTable, lock: Bool) -> String {
    let values = table.columns.map { $0.isBytes ? table.qualified($0) : "\(table.qualified($0))::text" }
    let list = (["\(alias(table)).place"] + values).joined(separator: ", ")
    return "SELECT \(list) \(from(table))\(lock ? " FOR UPDATE OF \(quoteIdentifier(table.table.name))" : "")"
  }

  private func from(_ table: PostgresTable) -> String {
    let alias = alias(table)
    let places = table.table.key.indices
    let arrays = places.map { "$\($0 + 1)::text[]" }.joined(separator: ", ")
    let names = places.map { "k\($0)" }.joined(separator: ", ")
    let conditions = table.table.key.enumerated().map { place, key in
      "\(table.qualified(key)) = \(alias).k\(place)::\(key.castType)"
    }
    return """
      FROM unnest(\(arrays)) WITH ORDINALITY AS \(alias)(\(names), place)
      JOIN \(table.table.onlySQL) ON \(conditions.joined(separator: " AND ")) ORDER BY \(alias).place
      """
  }

  /// A name for the values that isn't the table's.
  private func alias(_ table: PostgresTable) -> String { table.table.name == "batch" ? "batch_values" : "batch" }
}
