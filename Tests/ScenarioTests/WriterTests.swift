import Foundation
import Testing

/// An application that goes on writing while a table is re-keyed in place.
@Suite(.serialized) struct WriterTests {
  private static let rows = 3_000
  private static let pool = 4_000

  @Test func noUpdateOfTwoWritersIsLost() throws {
    let sealed = try Laravel.seal(
      (1...Self.rows).map { "row \($0)" }, key: SecretTable.old, cipher: SecretTable.cipher)
    try SecretTable.with(sealed, batchRows: 20) { table in
      try fillPool(table)
      try table.slowDown(seconds: 0.02)
      let writers = try (1...2).map { try table.database.psql(input: writer($0)).launch() }
      defer { for (process, _) in writers where process.isRunning { process.terminate() } }
      try waitUntil("both writers write") { try table.database.count("SELECT count(DISTINCT writer) FROM last") == 2 }

      let run = try table.tool("run", "--json", "p.yaml").run()
      try table.database.run("UPDATE control SET stop = true")
      for (process, files) in writers {
        process.waitUntilExit()
        let ended = try files.collect(process)
        #expect(ended.code == 0, "\(ended.err)")
      }
      #expect(run.code == 0, "\(run.err)")
      let summary = try Summary(run)
      #expect(summary.sites("secret") == Self.rows)
      // Otherwise nothing was contested, and the test has tested nothing.
      #expect(summary.counts["secret"]?["late_previous"] ?? 0 > 0, "\(summary.counts)")
      #expect(run.err.contains("a process still seals with it"), "\(run.err)")
      #expect(try table.database.count("SELECT count(*) FROM last") > 500)
      try compare(table)

      let again = try table.tool("run", "p.yaml").run()
      #expect(again.code == 0, "\(again.err)")
      #expect(try table.openings().allSatisfy { $0.error == nil })
      try compare(table)
    }
  }

  /// Payloads for the writers, under the old and the new key by turns: some processes have been restarted, some not.
  private func fillPool(_ table: SecretTable) throws {
    let texts = (1...Self.pool).map { "written \($0)" }
    let old = try Laravel.seal(texts, key: SecretTable.old, cipher: SecretTable.cipher)
    let new = try Laravel.seal(texts, key: SecretTable.new, cipher: SecretTable.cipher)
    try table.database.run(
      """
      CREATE TABLE pool (n int PRIMARY KEY, secret text);
      CREATE TABLE control (stop boolean);
      INSERT INTO control VALUES (false);
      CREATE TABLE last (id bigint PRIMARY KEY, secret text, writer int);
      """)
    try table.copy(texts.indices.map { $0 % 2 == 0 ? old[$0] : new[$0] }, into: "pool")
  }

  /// Writes random rows one by one until told to stop, and in the same transaction what it wrote last into `last`.
  private func writer(_ number: Int) -> String {
    """
    DO $$
    DECLARE
      row bigint;
      number int;
      payload text;
    BEGIN
      WHILE NOT (SELECT stop FROM control) LOOP
        row := 1 + floor(random() * \(Self.rows));
        number := 1 + floor(random() * \(Self.pool));
        payload := (SELECT secret FROM pool WHERE n = number);
        UPDATE t SET secret = payload WHERE id = row;
        INSERT INTO last VALUES (row, payload, \(number))
          ON CONFLICT (id) DO UPDATE SET secret = excluded.secret, writer = excluded.writer;
        COMMIT;
        PERFORM pg_sleep(0.001);
      END LOOP;
    END $$;
    """
  }

  /// Each row holds what was written last, byte for byte or re-keyed; a row that nobody wrote, what it began with.
  private func compare(_ table: SecretTable) throws {
    let found = try table.openings(previous: [SecretTable.old])
    try #require(found.count == Self.rows)
    let written = try table.database.run("SELECT id, secret FROM last")
    let last = try Laravel.open(
      written.map { $0[1] }, key: SecretTable.new, previous: [SecretTable.old], cipher: SecretTable.cipher)
    var expected = (1...Self.rows).map { Data("row \($0)".utf8) }
    for (row, opening) in zip(written, last) {
      expected[try #require(Int(row[0])) - 1] = try #require(opening.plaintext)
    }
    let lost = found.indices.filter { found[$0].plaintext != expected[$0] }.map { $0 + 1 }
    #expect(lost.isEmpty, "rows whose last update is lost")
  }
}
