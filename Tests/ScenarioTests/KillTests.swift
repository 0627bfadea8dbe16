import Foundation
import Testing

/// A run that is killed and resumed ends as one that wasn't.
@Suite(.serialized) struct KillTests {
  private static let rows = 20_000
  private static let kills = 20

  @Test func killedTwentyTimes() throws {
    let values = try self.values()
    try SecretTable.with(values, batchRows: 50) { table in
      try table.slowDown(seconds: 0.02)
      let tool = try table.tool("run", "--json", "p.yaml")
      var moments: [Int] = []
      for _ in 1...Self.kills {
        let (process, files) = try tool.launch()
        let milliseconds = Int.random(in: 20...250)
        moments.append(milliseconds)
        usleep(UInt32(milliseconds * 1_000))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let ended = try files.collect(process)
        try #require(ended.code == 128 + SIGKILL, "it ended before it was killed, after \(moments) ms: \(ended.err)")
      }
      let commits = try table.database.count("SELECT sum(commits) FROM rekey.shard")
      #expect(commits > 0, "no batch was committed before the kills at \(moments) ms")
      #expect(try table.database.count("SELECT count(*) FROM rekey.run WHERE finished IS NOT NULL") == 0)

      try table.speedUp()
      let last = try tool.run()
      #expect(last.code == 0, "\(last.err)")
      let summary = try Summary(last)
      #expect(summary.isResumed && summary.isComplete)
      #expect(summary.rows == Self.rows, "killed after \(moments) ms")
      let expected = ["rekeyed": Self.rows - 400, "mac_invalid": 200, "empty": 200]
      #expect(summary.counts["secret"] == expected, "killed after \(moments) ms")
      try checkTable(table, values)
      try checkLog(try Data(contentsOf: table.folder.appendingPathComponent("audit.jsonl")), run: summary.run)
      #expect(
        try table.database.run(
          """
          SELECT count(*), count(finished), (SELECT count(*) FROM rekey.shard WHERE NOT done)
          FROM rekey.run
          """) == [["1", "1", "0"]])
      let audit = try table.tool("audit", "p.yaml").run()
      #expect(audit.code == 0, "\(audit.err)")
    }
  }

  /// One in a hundred sealed by another installation, one NULL, the rest under the old key.
  private func values() throws -> [String?] {
    let texts = (1...Self.rows).map { "row \($0)" }
    let old = try Laravel.seal(texts, key: SecretTable.old, cipher: SecretTable.cipher)
    let other = try Laravel.seal(["not ours"], key: SecretTable.other, cipher: SecretTable.cipher)
    return old.enumerated().map { index, payload in
      switch index % 100 {
      case 17: other[0]
      case 71: nil
      default: payload
      }
    }
  }

  /// Each good value was written once and opens; the others were not written.
  private func checkTable(_ table: SecretTable, _ values: [String?]) throws {
    let rows = try table.database.run("SELECT secret IS NULL, writes, coalesce(secret, '') FROM t ORDER BY id")
    try #require(rows.count == Self.rows)
    let openings = try Laravel.open(rows.map { $0[2] }, key: SecretTable.new, cipher: SecretTable.cipher)
    var wrong: [Int] = []
    for (index, (row, opening)) in zip(rows, openings).enumerated() {
      let isRight =
        switch index % 100 {
        case 17: row == ["f", "0", values[index] ?? ""]
        case 71: row == ["t", "0", ""]
        default: row[1] == "1" && opening.plaintext == Data("row \(index + 1)".utf8)
        }
      if !isRight { wrong.append(index + 1) }
    }
    #expect(wrong.isEmpty, "rows that differ from an unbroken run's")
  }

  /// After a kill a line may stand twice, but none is missing.
  private func checkLog(_ log: Data, run: String) throws {
    var keys: Set<Int> = []
    for line in try jsonLines(log) {
      guard let key = line["key"] as? [String: String] else { continue }
      #expect(line["run"] as? String == run)
      #expect(line["outcome"] as? String == "mac_invalid")
      keys.insert(try #require(key["id"].flatMap(Int.init)))
    }
    #expect(keys == Set((1...Self.rows).filter { ($0 - 1) % 100 == 17 }))
  }
}
