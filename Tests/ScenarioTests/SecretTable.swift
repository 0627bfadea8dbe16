import Foundation
import Testing

/// A table `t` of `secret`s that Laravel sealed, and a pipeline that re-keys it in place.
struct SecretTable {
  static let old = "base64:" + Data(repeating: 5, count: 32).base64EncodedString()
  static let new = "base64:" + Data(repeating: 6, count: 32).base64EncodedString()
  static let other = "base64:" + Data(repeating: 7, count: 32).base64EncodedString()
  static let cipher = "AES-256-CBC"

  let database: Database
  let folder: URL

  /// Runs `body` with rows 1, 2, … that hold `values`; nil is NULL.
  static func with(_ values: [String?], batchRows: Int, _ body: (SecretTable) throws -> Void) throws {
    try Database.with { database in
      try withFolder { folder in
        let table = SecretTable(database: database, folder: folder)
        try database.run("CREATE TABLE t (id bigint PRIMARY KEY, secret text, writes int NOT NULL DEFAULT 0)")
        try table.copy(values, into: "t (id, secret)")
        try database.run("ANALYZE t")
        try Data(
          """
          keys: { current: env:NEW, previous: [env:OLD] }
          source: { postgres: { url: "\(database.url)" } }
          tables: { t: { columns: [secret] } }
          sink: in_place
          audit: { path: audit.jsonl }
          limits: { batch_rows: \(batchRows), failures_allowed: 100000 }
          """.utf8
        ).write(to: folder.appendingPathComponent("p.yaml"))
        try body(table)
      }
    }
  }

  /// Fills a table of a number from 1 and a text.
  func copy(_ values: [String?], into table: String) throws {
    let rows = values.enumerated().map { "\($0.offset + 1)\t\($0.element ?? "\\N")\n" }.joined()
    try database.run("COPY \(table) FROM STDIN;\n\(rows)\\.\n")
  }

  /// Counts in `writes` how often each row is written, and makes each of rekey's statements last longer.
  func slowDown(seconds: Double) throws {
    try database.run(
      """
      CREATE FUNCTION count_write() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN NEW.writes := OLD.writes + 1; RETURN NEW; END';
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(\(seconds)); RETURN NULL; END';
      CREATE TRIGGER count_write BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION count_write();
      CREATE TRIGGER wait AFTER UPDATE ON t FOR EACH STATEMENT
        WHEN (current_setting('application_name') = 'rekey') EXECUTE FUNCTION wait();
      """)
  }

  func speedUp() throws { try database.run("ALTER TABLE t DISABLE TRIGGER wait") }

  func tool(_ arguments: String...) throws -> Tool {
    try rekeyTool(arguments, in: folder, environment: ["NEW": Self.new, "OLD": Self.old])
  }

  /// Every row's secret as real Laravel opens it.
  func openings(previous: [String] = []) throws -> [Laravel.Opening] {
    try Laravel.open(
      try database.run("SELECT secret FROM t WHERE secret IS NOT NULL ORDER BY id").map { $0[0] }, key: Self.new,
      previous: previous, cipher: Self.cipher)
  }

  /// Waits until a run in another process has committed this many batches.
  func waitForCommits(_ count: Int) throws {
    try waitUntil("a run has committed \(count) batches") {
      guard try database.count("SELECT count(*) FROM pg_tables WHERE tablename = 'shard'") == 1 else { return false }
      return try database.count("SELECT coalesce(sum(commits), 0) FROM rekey.shard") >= count
    }
  }
}

/// Asks again and again until `condition` holds.
func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
  let end = Date(timeIntervalSinceNow: 60)
  while try !condition() {
    try #require(Date() < end, "waited a minute until \(what)")
    usleep(10_000)
  }
}
