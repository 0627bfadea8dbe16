/// Questions to the catalog about one table; each is asked in a read-only transaction of its own.
package struct Catalog {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// The table of that name.
  ///
  /// - Parameter name: `schema.table`, or `table` for the first in `search_path`. Names are taken as they are, without
  ///   quotes, so upper case and blanks count; of several dots the first that names a table parts schema and table.
  /// - Throws: `PostgresError` (`.unusable`) for what isn't there, isn't a table, or has no key.
  package func table(named name: String) throws -> Table {
    try connection.transaction(.catalog) {
      let found = try find(name)
      try refuseKind(found)
      // Types print with their schema then, so that a cast means the same in any session.
      try connection.execute("SET LOCAL search_path = pg_catalog")
      let columns = try columns(of: found.oid)
      guard let index = try keyIndex(of: found.oid) else {
        throw PostgresError(
          .unusable,
          "\(found.schema).\(found.name) has no primary key and no unique index on not-null columns: add one, "
            + "rows can't be told apart")
      }
      return Table(
        oid: found.oid, schema: found.schema, name: found.name, isPartitioned: found.kind == "p",
        children: found.kind == "r" ? try children(of: found.oid) : [],
        columns: columns,
        key: index.columns.compactMap { number in columns.first { $0.number == number } },
        keyOrigin: index.isPrimary ? .primaryKey : .uniqueIndex(index.name),
        estimatedRows: try estimate(of: found), size: try size(of: found.oid))
    }
  }

  /// The names of tables, for "did you mean".
  package func tableNames() throws -> [String] {
    try connection.transaction(.catalog) {
      let result = try connection.query(
        """
        SELECT format('%s.%s', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r','p') AND n.nspname NOT IN ('pg_catalog','information_schema')
          AND n.nspname NOT LIKE 'pg\\_toast%' ORDER BY 1 LIMIT 10000
        """)
      return (0..<result.rows).compactMap { result.string($0, 0) }
    }
  }

  /// The database's identity: its name, and what tells one cluster from another as far as a role may see it.
  package func databaseIdentity() throws -> (database: String, role: String, version: String) {
    try connection.transaction(.catalog) {
      let result = try connection.query(
        "SELECT current_database()::text, current_user::text, current_setting('server_version')")
      return (result.string(0, 0) ?? "", result.string(0, 1) ?? "", result.string(0, 2) ?? "")
    }
  }

  private typealias Found = (oid: Int, schema: String, name: String, kind: String)

  private func find(_ name: String) throws -> Found {
    var parameters = Parameters()
    parameters.add(name)
    let result = try connection.query(
      """
      SELECT c.oid::int8, n.nspname::text, c.relname::text, c.relkind::text
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE (c.relname = $1 AND pg_table_is_visible(c.oid)) OR (n.nspname || '.' || c.relname = $1)
      ORDER BY (n.nspname || '.' || c.relname = $1) DESC, c.oid LIMIT 1
      """, parameters)
    guard result.rows == 1, let oid = result.int(0, 0), let schema = result.string(0, 1),
      let table = result.string(0, 2), let kind = result.string(0, 3)
    else { throw PostgresError(.unusable, "no table \"\(name)\" in \(connection.place)") }
    return (oid, schema, table, kind)
  }

  private func refuseKind(_ found: Found) throws {
    let what: String
    switch found.kind {
    case "r": return
    case "p":
      guard try hasForeignPartition(found.oid) else { return }
      what = "a partitioned table with a foreign table among its partitions"
    case "v": what = "a view"
    case "m": what = "a materialized view"
    case "f": what = "a foreign table"
    case "S": what = "a sequence"
    case "i", "I": what = "an index"
    case "c": what = "a composite type"
    default: what = "of kind \"\(found.kind)\""
    }
    throw PostgresError(.unusable, "\(found.schema).\(found.name) is \(what): name the table that holds the rows")
  }

  private func hasForeignPartition(_ oid: Int) throws -> Bool {
    try ask(
      "SELECT EXISTS (SELECT FROM pg_partition_tree($1::oid) p JOIN pg_class c ON c.oid = p.relid WHERE c.relkind = 'f')",
      oid
    )
    .bool(0, 0)
  }

  private func children(of oid: Int) throws -> [String] {
    let result = try ask(
      """
      SELECT n.nspname || '.' || c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE i.inhparent = $1::oid AND NOT c.relispartition ORDER BY 1
      """, oid)
    return (0..<result.rows).compactMap { result.string($0, 0) }
  }

  /// The planner's estimate, which knows the table's size of now also where it was never analyzed.
  private func estimate(of found: Found) throws -> Int? {
    let table = "\(quoteIdentifier(found.schema)).\(quoteIdentifier(found.name))"
    let stored = try ask(
      """
      SELECT coalesce(sum(pg_relation_size(relid)), 0)::int8,
        has_any_column_privilege($1::oid, 'SELECT') AND NOT row_security_active($1::oid)
          AND has_schema_privilege((SELECT relnamespace FROM pg_class WHERE oid = $1::oid), 'USAGE')
      FROM (SELECT $1::oid UNION SELECT relid FROM pg_partition_tree($1::oid)) t(relid)
      """, found.oid)
    if stored.int(0, 0) == 0 { return 0 }
    guard stored.bool(0, 1) else { return nil }
    let plan = try connection.query("EXPLAIN SELECT FROM \(table)").string(0, 0) ?? ""
    guard let rows = plan.firstRange(of: "rows=") else { return nil }
    return Int(plan[rows.upperBound...].prefix { $0.isNumber })
  }

  private func size(of oid: Int) throws -> Int {
    try ask(
      """
      SELECT coalesce(sum(pg_total_relation_size(relid)), 0)::int8
      FROM (SELECT $1::oid UNION SELECT relid FROM pg_partition_tree($1::oid)) t(relid)
      """, oid
    ).int(0, 0) ?? 0
  }

  private func columns(of oid: Int) throws -> [Table.Column] {
    let result = try ask(
      """
      WITH RECURSIVE base AS (
        SELECT a.attnum, a.atttypid AS typid, a.atttypmod AS typmod
        FROM pg_attribute a WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT b.attnum, t.typbasetype, CASE WHEN b.typmod >= 0 THEN b.typmod ELSE t.typtypmod END
        FROM base b JOIN pg_type t ON t.oid = b.typid WHERE t.typtype = 'd')
      SELECT a.attname::text, a.attnum::int8, format_type(a.atttypid, a.atttypmod), format_type(a.atttypid, -1),
        t.typname::text, CASE WHEN t.typname IN ('varchar','bpchar') AND b.typmod > 4 THEN (b.typmod - 4)::int8 END,
        a.attnotnull, a.attgenerated <> '', a.attidentity = 'a', co.collname::text
      FROM pg_attribute a
      JOIN base b USING (attnum) JOIN pg_type t ON t.oid = b.typid AND t.typtype <> 'd'
      LEFT JOIN pg_collation co ON co.oid = a.attcollation
      WHERE a.attrelid = $1::oid ORDER BY a.attnum
      """, oid)
    return (0..<result.rows).map { row in
      Table.Column(
        name: result.string(row, 0) ?? "", number: result.int(row, 1) ?? 0, type: result.string(row, 2) ?? "",
        castType: result.string(row, 3) ?? "", baseType: result.string(row, 4) ?? "",
        characterLimit: result.int(row, 5), isNotNull: result.bool(row, 6), isGenerated: result.bool(row, 7),
        isIdentityAlways: result.bool(row, 8), collation: result.string(row, 9))
    }
  }

  /// The primary key, else the narrowest unique index that names every row once and that `<` and `ORDER BY` can use.
  private func keyIndex(of oid: Int) throws -> (name: String, isPrimary: Bool, columns: [Int])? {
    let result = try ask(
      """
      SELECT c.relname::text, i.indisprimary, (i.indkey::int2[])[0:i.indnkeyatts - 1]::text[]
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am am ON am.oid = c.relam
      WHERE i.indrelid = $1::oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
        AND (i.indisprimary OR (i.indimmediate AND am.amname = 'btree' AND NOT EXISTS (
          SELECT FROM generate_series(0, i.indnkeyatts - 1) k
          JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k]
          JOIN pg_opclass o ON o.oid = i.indclass[k]
          WHERE NOT a.attnotnull OR NOT o.opcdefault OR i.indoption[k] <> 0 OR i.indcollation[k] <> a.attcollation)))
      ORDER BY i.indisprimary DESC, i.indnkeyatts, c.relname LIMIT 1
      """, oid)
    guard result.rows == 1, let name = result.string(0, 0), let numbers = result.textArray(0, 2) else { return nil }
    return (name, result.bool(0, 1), numbers.compactMap { Int(String(decoding: $0, as: UTF8.self)) })
  }

  private func ask(_ sql: String, _ oid: Int) throws -> QueryResult {
    var parameters = Parameters()
    parameters.add(oid)
    return try connection.query(sql, parameters)
  }
}
