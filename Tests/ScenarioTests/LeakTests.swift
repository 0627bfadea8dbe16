import Foundation
import Testing

/// Keys, plaintexts and payloads stand in nothing that rekey prints, logs or keeps.
@Suite(.serialized) struct LeakTests {
  private static let plaintext = "the quick brown fox"

  @Test func aRunInPlace() throws {
    try SecretTable.with(try values(), batchRows: 2) { table in
      try table.slowDown(seconds: 0.5)
      let (process, files) = try table.tool("run", "--audit-all", "--json", "p.yaml").launch()
      try table.waitForCommits(1)
      // A process that isn't dumpable shows its environment and its memory to root alone, who sees no key there either.
      for file in ["environ", "cmdline"] {
        let shown = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process.processIdentifier)/\(file)"))
        expectNoSecret(in: shown ?? Data(), file)
      }
      #expect(geteuid() == 0 || !FileManager.default.isReadableFile(atPath: "/proc/\(process.processIdentifier)/mem"))
      process.waitUntilExit()
      let run = try files.collect(process)
      #expect(run.code == 0, "\(run.err)")
      var seen = [run]
      for arguments in [["run", "--dry-run", "--json"], ["audit", "--audit-all", "--json"], ["check"]] {
        let tool = try rekeyTool(
          arguments + ["p.yaml"], in: table.folder, environment: ["NEW": SecretTable.new, "OLD": SecretTable.old])
        seen.append(try tool.run())
      }
      for ended in seen {
        expectNoSecret(in: ended.out, "standard output")
        expectNoSecret(in: Data(ended.err.utf8), "standard error")
      }
      let log = try Data(contentsOf: table.folder.appendingPathComponent("audit.jsonl"))
      #expect(try jsonLines(log).count > 10)
      expectNoSecret(in: log, "the audit log")
      let state = try table.database.run(
        "SELECT run::text FROM rekey.run UNION ALL SELECT shard::text FROM rekey.shard")
      #expect(state.count >= 2)
      expectNoSecret(in: Data("\(state)".utf8), "the state")
      let left = try FileManager.default.contentsOfDirectory(atPath: table.folder.path).sorted()
      #expect(left == ["audit.jsonl", "p.yaml"])
      let mode =
        try FileManager.default.attributesOfItem(
          atPath: table.folder.appendingPathComponent("audit.jsonl").path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  /// Keys that can't be used: too long, joined, with the prefix left out, and without the quotes' end.
  @Test(arguments: [
    "\(SecretTable.old)AAAA", "\(SecretTable.old),\(SecretTable.new)", String(SecretTable.old.dropFirst(7)),
    "\"\(SecretTable.old)",
  ])
  func aKeyThatIsRefused(key: String) throws {
    try withFolder { folder in
      try Data("id,secret\n1,x\n".utf8).write(to: folder.appendingPathComponent("in.csv"))
      try Data(key.utf8).write(to: folder.appendingPathComponent("key"))
      try Data("APP_KEY=\(key)\n".utf8).write(to: folder.appendingPathComponent(".env"))
      for reference in ["env:KEY", "file:key", "dotenv:.env#APP_KEY"] {
        try Data(
          """
          keys: { current: "\(reference)", previous: [env:OTHER] }
          source: { csv: { path: in.csv } }
          columns: [secret]
          sink: { csv: { path: out.csv } }
          """.utf8
        ).write(to: folder.appendingPathComponent("p.yaml"))
        let ended = try rekey("run", "p.yaml", in: folder, environment: ["KEY": key, "OTHER": SecretTable.other])
        #expect(ended.code == 2, "\(reference): \(ended.err)")
        #expect(ended.err.contains("p.yaml:1:"), "\(reference): \(ended.err)")
        expectNoSecret(in: ended.out + Data(ended.err.utf8), reference)
      }
    }
  }

  /// Some under the old key, one under a key that is not ours, one cut off, one plain.
  private func values() throws -> [String?] {
    let texts = Array(repeating: Self.plaintext, count: 9)
    var values = try Laravel.seal(texts, key: SecretTable.old, cipher: SecretTable.cipher)
    values[3] = try Laravel.seal([Self.plaintext], key: SecretTable.other, cipher: SecretTable.cipher)[0]
    values[5] = String(values[5].dropLast(40))
    values[7] = Self.plaintext
    return values
  }

  private func expectNoSecret(in data: Data, _ place: String) {
    for key in [SecretTable.old, SecretTable.new, SecretTable.other] {
      let base64 = Data(key.utf8.dropFirst(7).prefix(20))
      #expect(data.range(of: base64) == nil, "a key in base64 in \(place)")
      let raw = Data(base64Encoded: String(key.dropFirst(7))) ?? Data()
      #expect(raw.count == 32 && data.range(of: raw.prefix(16)) == nil, "a key's bytes in \(place)")
      let hex = raw.prefix(16).map { String(format: "%02x", $0) }.joined()
      #expect(data.range(of: Data(hex.utf8)) == nil, "a key in hexadecimal in \(place)")
    }
    #expect(data.range(of: Data(Self.plaintext.utf8)) == nil, "a plaintext in \(place)")
    // How a payload begins: {"iv":"
    #expect(data.range(of: Data("eyJpdiI6I".utf8)) == nil, "a payload in \(place)")
  }
}
