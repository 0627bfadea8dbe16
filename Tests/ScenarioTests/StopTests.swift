import Foundation
import Testing

/// Two runs at once, runs that are stopped, and what they leave behind.
@Suite(.serialized) struct StopTests {
  private static let rows = 2_000

  private func with(seconds: Double, _ body: (SecretTable) throws -> Void) throws {
    let sealed = try Laravel.seal(
      (1...Self.rows).map { "row \($0)" }, key: SecretTable.old, cipher: SecretTable.cipher)
    try SecretTable.with(sealed, batchRows: 10) { table in
      try table.slowDown(seconds: seconds)
      try body(table)
    }
  }

  @Test func aSecondRunIsRefusedAndAStoppedOneGoesOn() throws {
    try with(seconds: 0.05) { table in
      let (process, files) = try table.tool("run", "--json", "p.yaml").launch()
      try table.waitForCommits(3)
      let second = try table.tool("run", "p.yaml").run()
      #expect(second.code == 5, "\(second.err)")
      #expect(second.err.contains("another run of p is under way"), "\(second.err)")

      kill(process.processIdentifier, SIGTERM)
      process.waitUntilExit()
      let stopped = try files.collect(process)
      #expect(stopped.code == 75, "\(stopped.err)")
      #expect(stopped.err.contains("run again to go on: rekey run p.yaml"), "\(stopped.err)")
      let part = try Summary(stopped)
      #expect(!part.isComplete && part.rows < Self.rows && part.sites("secret") == part.rows)
      #expect(try table.database.count("SELECT count(*) FROM t WHERE writes = 1") == part.rows)

      // The same name with another meaning doesn't go on with this run.
      let pipeline = try String(contentsOf: table.folder.appendingPathComponent("p.yaml"), encoding: .utf8)
      let changed = pipeline.replacingOccurrences(of: "[secret]", with: "[secret], where: \"id > 0\"")
      try Data("name: p\n\(changed)".utf8).write(to: table.folder.appendingPathComponent("changed.yaml"))
      let other = try table.tool("run", "changed.yaml").run()
      #expect(other.code == 2, "\(other.err)")
      #expect(other.err.contains("--restart"), "\(other.err)")

      try table.speedUp()
      let rest = try table.tool("run", "--json", "p.yaml").run()
      #expect(rest.code == 0, "\(rest.err)")
      let whole = try Summary(rest)
      #expect(whole.isResumed && whole.isComplete && whole.run == part.run)
      #expect(whole.counts["secret"] == ["rekeyed": Self.rows])
      #expect(try table.database.count("SELECT count(*) FROM t WHERE writes = 1") == Self.rows)
      #expect(try table.openings().map(\.plaintext) == (1...Self.rows).map { Data("row \($0)".utf8) })

      let clean = try table.tool("clean", "p.yaml").run()
      #expect(clean.code == 0, "\(clean.err)")
      #expect(try table.database.count("SELECT count(*) FROM pg_namespace WHERE nspname = 'rekey'") == 0)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSecondSignalEndsAtOnce(signal: Int32) throws {
    try with(seconds: 0.05) { table in
      let (process, files) = try table.tool("run", "p.yaml").launch()
      try table.waitForCommits(3)
      // From here on a batch takes longer than this test waits.
      try table.database.run(
        "CREATE OR REPLACE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
          + "'BEGIN PERFORM pg_sleep(30); RETURN NULL; END'")
      usleep(300_000)
      kill(process.processIdentifier, signal)
      try waitUntil("the first signal is taken") {
        try String(contentsOf: files.errURL, encoding: .utf8).contains("stopping")
      }
      let started = Date()
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(Date().timeIntervalSince(started) < 10)
      let ended = try files.collect(process)
      #expect(ended.code == 128 + signal, "\(ended.err)")

      try table.database.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'rekey'
        """)
      try table.speedUp()
      let rest = try table.tool("run", "--json", "p.yaml").run()
      #expect(rest.code == 0, "\(rest.err)")
      #expect(try Summary(rest).counts["secret"] == ["rekeyed": Self.rows])
    }
  }
}
