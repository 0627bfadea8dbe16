import Postgres

extension PostgresTable {
  /// Cuts the table into about `count` ranges of about equal rows; fewer where it is small, none where it is empty.
  ///
  /// The first starts before the first key, and the last ends at the greatest key of now: what is inserted behind it
  /// is left for the next run. Bounds come from all keys of a small table and from a sample of blocks of a large one;
  /// the server orders them.
  package func cutShards(_ connection: Connection, count: Int, rowsAtLeast: Int = 10_000) throws -> [KeyRange] {
    do {
      return try connection.transaction(.page) {
        guard let last = try greatestKey(connection) else { return [] }
        let rows = table.estimatedRows ?? 0
        var shards: [KeyRange] = []
        var lower: KeyText?
        for bound in try bounds(connection, count: min(count, rows / max(rowsAtLeast, 1)), rows: rows)
        where bound != last {
          shards.append(KeyRange(lower: lower, upper: bound))
          lower = bound
        }
        return shards + [KeyRange(lower: lower, upper: last)]
      }
    } catch let error as PostgresError {
      throw RekeyError(error, while: "cutting \(table.description) into shards")
    }
  }

  private func greatestKey(_ connection: Connection) throws -> KeyText? {
    let backwards = table.key.map { "\(qualified($0)) DESC" }.joined(separator: ",")
    let keys = table.key.map { "\(qualified($0))::text" }.joined(separator: ",")
    let result = try connection.query(
      "SELECT ARRAY[\(keys)] FROM \(table.onlySQL) ORDER BY \(backwards) LIMIT 1")
    return result.rows == 0 ? nil : result.textArray(0, 0)
  }

  /// The last keys of all parts but the last.
  private func bounds(_ connection: Connection, count: Int, rows: Int) throws -> [KeyText] {
    guard count > 1 else { return [] }
    // About a thousand rows for each bound give parts that are equal within a few per cent.
    let share = 100 * Double(count) * 1000 / Double(rows)
    let sample = share < 50 ? "TABLESAMPLE SYSTEM (\(share))" : ""
    let keys = table.key.map { "\(qualified($0))::text" }.joined(separator: ",")
    let condition = predicate.map { "WHERE (\($0)\n)" } ?? ""
    let result = try connection.query(
      """
      SELECT k FROM (
        SELECT k, n, lead(n) OVER (ORDER BY place) AS following FROM (
          SELECT ARRAY[\(keys)] AS k, ntile(\(count)) OVER keys AS n, row_number() OVER keys AS place
          FROM \(table.onlySQL) \(sample) \(condition) WINDOW keys AS (ORDER BY \(keyList))) placed) parts
      WHERE following <> n ORDER BY n
      """)
    return (0..<result.rows).compactMap { result.textArray($0, 0) }
  }
}
