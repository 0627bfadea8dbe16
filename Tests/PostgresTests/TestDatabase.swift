import Foundation
import Postgres
import Testing

/// The server that `Tests/Support/with-postgres.sh` started.
func testDatabaseURL() throws -> String {
  try #require(
    ProcessInfo.processInfo.environment["REKEY_TEST_DATABASE_URL"],
    "REKEY_TEST_DATABASE_URL is not set: run the tests through Tests/Support/with-postgres.sh")
}

/// Runs `body` with a connection and a fresh schema of its own, dropped afterwards.
func withSchema(_ body: (Connection, String) throws -> Void) throws {
  let connection = try Connection(url: testDatabaseURL())
  // Two tests that create an extension at once would collide.
  try connection.execute(
    """
    BEGIN; SELECT pg_advisory_xact_lock(1); CREATE EXTENSION IF NOT EXISTS citext;
    CREATE EXTENSION IF NOT EXISTS postgres_fdw; COMMIT
    """)
  let schema = "t_\(UInt32.random(in: 0...UInt32.max))"
  try connection.execute("CREATE SCHEMA \(schema)")
  defer { try? connection.execute("DROP SCHEMA \(schema) CASCADE") }
  try body(connection, schema)
}
