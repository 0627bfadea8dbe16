import Postgres

/// The tables that keep runs and shards: made when missing, dropped by `rekey clean`.
struct StateSchema {
  /// The schema's name.
  let name: String

  /// Raised when the tables change.
  static let version = 1

  func table(_ table: String) -> String { "\(quoteIdentifier(name)).\(table)" }

  /// What a DBA runs when the role may not.
  ///
  /// A shard's row is updated with every batch; the free space on its page keeps those updates there.
  var statements: String {
    """
    CREATE SCHEMA IF NOT EXISTS \(quoteIdentifier(name));
    CREATE TABLE \(table("meta")) (version int NOT NULL);
    INSERT INTO \(table("meta")) VALUES (\(StateSchema.version));
    CREATE TABLE \(table("run")) (
      id text PRIMARY KEY,
      pipeline text NOT NULL,
      part_names text[] NOT NULL,
      part_values text[] NOT NULL,
      started timestamptz NOT NULL DEFAULT clock_timestamp(),
      finished timestamptz,
      lease_owner text,
      lease_until timestamptz);
    CREATE UNIQUE INDEX run_open ON \(table("run")) (pipeline) WHERE finished IS NULL;
    CREATE TABLE \(table("shard")) (
      run text NOT NULL REFERENCES \(table("run")) ON DELETE CASCADE,
      table_name text NOT NULL,
      number int NOT NULL,
      lower_bound text[],
      upper_bound text[],
      cursor text[],
      done boolean NOT NULL DEFAULT false,
      fence bigint NOT NULL DEFAULT 0,
      commits bigint NOT NULL DEFAULT 0,
      lease_owner text,
      lease_until timestamptz,
      counts jsonb,
      PRIMARY KEY (run, table_name, number)) WITH (fillfactor = 10);
    """
  }

  func exists(_ connection: Connection) throws -> Bool {
    var parameters = Parameters()
    parameters.add(table("run"))
    return try connection.query("SELECT to_regclass($1) IS NOT NULL", parameters).bool(0, 0)
  }

  /// Makes the tables unless they are there.
  func create(_ connection: Connection) throws {
    if !(try exists(connection)) {
      do {
        try connection.execute("BEGIN;\(statements)COMMIT")
      } catch let error as PostgresError {
        connection.rollBack()
        // Another process may have made them at the same moment.
        guard try exists(connection) else {
          throw error.sqlState == "42501"
            ? refusal(connection, isThere: false) : RekeyError(error, while: "making the schema \(name)")
        }
      }
    }
    let version: Int?
    do {
      version = try connection.query("SELECT max(version)::int8 FROM \(table("meta"))").int(0, 0)
      guard try isUsable(connection) else { throw refusal(connection, isThere: true) }
    } catch let error as PostgresError where error.sqlState == "42501" {
      connection.rollBack()
      throw refusal(connection, isThere: true)
    }
    guard version == StateSchema.version else {
      throw RekeyError(
        .fatal,
        "the state in schema \(name) is of version \(version ?? 0), this rekey's is \(StateSchema.version): finish the "
          + "run with the rekey that began it, or run rekey clean with that one")
    }
  }

  /// Whether the role may use the state, or may make it: for `rekey check`.
  func isUsable(_ connection: Connection) throws -> Bool {
    var parameters = Parameters()
    parameters.add(name)
    if try exists(connection) {
      parameters.add(table("shard"))
      return try connection.query(
        "SELECT has_schema_privilege($1::text, 'USAGE') AND has_table_privilege($2, 'SELECT, UPDATE, INSERT, DELETE')",
        parameters
      ).bool(0, 0)
    }
    return try connection.query(
      """
      SELECT coalesce((SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1),
        has_database_privilege(current_database(), 'CREATE'))
      """, parameters
    ).bool(0, 0)
  }

  private func refusal(_ connection: Connection, isThere: Bool) -> RekeyError {
    let role = (try? connection.query("SELECT current_user::text").string(0, 0)) ?? "the role"
    return RekeyError(
      .fatal,
      """
      the role \(role) may not \(isThere ? "use" : "make") the schema \(name), which keeps where a run stands. Let a \
      DBA run this, or write "state: none" into the pipeline (a broken run then starts over, which is safe):
      \(isThere ? "" : statements)
      GRANT USAGE ON SCHEMA \(quoteIdentifier(name)) TO \(quoteIdentifier(role));
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(quoteIdentifier(name)) TO \(quoteIdentifier(role));
      """)
  }

  /// Drops the tables, and the schema if nothing else is in it.
  func drop(_ connection: Connection) throws {
    try connection.execute(
      "DROP TABLE \(table("shard")); DROP TABLE \(table("run")); DROP TABLE \(table("meta")); SAVEPOINT schema")
    do {
      try connection.execute("DROP SCHEMA \(quoteIdentifier(name)) RESTRICT")
    } catch let error as PostgresError where ["2BP01", "42501"].contains(error.sqlState) {
      try connection.execute("ROLLBACK TO SAVEPOINT schema")
    }
  }
}
