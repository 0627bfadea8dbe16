import Foundation
import Testing

/// The dump that real Laravel releases filled: restored, re-keyed in place, opened by Laravel, and back again.
@Suite(.serialized) struct DumpTests {
  static let vectors = repository.appendingPathComponent("Tests/Vectors/sql")
  static let columns = [
    "users": ["two_factor_secret", "two_factor_recovery_codes"], "oauth_tokens": ["access_token", "refresh_token"],
  ]

  struct Value: Hashable {
    var table: String
    var key: String
    var column: String
  }

  @Test func usersAndTokensGoToTheNewKeyAndBack() throws {
    try Database.with { database in
      try withFolder { folder in
        let restored = try Tool(
          path: "/usr/bin/psql",
          arguments: [
            "-X", "-q", "-d", database.url, "-f", Self.vectors.appendingPathComponent("dump.sql").path,
          ], folder: folder
        ).run()
        try #require(restored.code == 0, "\(restored.err)")
        let keys = try #require(
          try JSONSerialization.jsonObject(with: Data(contentsOf: Self.vectors.appendingPathComponent("keys.json")))
            as? [String: String])
        let (old, new) = (try #require(keys["old"]), try #require(keys["new"]))
        let previous = try #require(keys["previous"])
        let others = try self.others(database)
        let expected = try expectations()
        let before = try values(database)

        try pipeline("there", current: "NEW", previous: ["OLD", "OLDER"]).write(
          to: folder.appendingPathComponent("p.yaml"))
        let environment = ["NEW": new, "OLD": old, "OLDER": previous, "URL": database.url]
        let run = try rekey("run", "--audit-all", "p.yaml", in: folder, environment: environment)
        #expect(run.code == 0, "\(run.err)")
        try compareOutcomes(expected, folder.appendingPathComponent("audit.jsonl"))
        try compareValues(expected, before, database, key: new)
        #expect(try self.others(database) == others)

        try pipeline("back", current: "OLD", previous: ["NEW"]).write(to: folder.appendingPathComponent("back.yaml"))
        let back = try rekey("run", "back.yaml", in: folder, environment: environment)
        #expect(back.code == 0, "\(back.err)")
        try compareValues(expected, before, database, key: old)
        #expect(try self.others(database) == others)
        let audit = try rekey("audit", "back.yaml", in: folder, environment: environment)
        #expect(audit.err.contains("no value in these tables needs previous[0]"), "\(audit.err)")
      }
    }
  }

  private func pipeline(_ name: String, current: String, previous: [String]) -> Data {
    Data(
      """
      name: \(name)
      keys:
        current: env:\(current)
        previous: [\(previous.map { "'env:\($0)'" }.joined(separator: ", "))]
      source: { postgres: { url: "${URL}" } }
      tables:
        public.users: { columns: [two_factor_secret, two_factor_recovery_codes] }
        public.oauth_tokens: { columns: [access_token, refresh_token] }
      sink: in_place
      audit: { path: audit.jsonl }
      limits: { batch_rows: 37, failures_allowed: 10000 }
      """.utf8)
  }

  private func expectations() throws -> [Value: [String: Any]] {
    var expected: [Value: [String: Any]] = [:]
    for line in try jsonLines(Data(contentsOf: Self.vectors.appendingPathComponent("expected.jsonl"))) {
      guard let table = line["table"] as? String, Self.columns[table] != nil else { continue }
      let key = try #require(line["pk"] as? [String: Any])
      let text = key.keys.sorted().map { "\(key[$0]!)" }.joined(separator: " ")
      expected[Value(table: table, key: text, column: try #require(line["column"] as? String))] = line
    }
    return expected
  }

  private func compareOutcomes(_ expected: [Value: [String: Any]], _ log: URL) throws {
    var seen = 0
    for line in try jsonLines(Data(contentsOf: log)) {
      guard let table = line["table"] as? String, let key = line["key"] as? [String: String] else { continue }
      let text = key.keys.sorted().map { key[$0]! }.joined(separator: " ")
      let value = Value(
        table: String(table.dropFirst("public.".count)), key: text, column: try #require(line["column"] as? String))
      let recorded = try #require(expected[value], "\(value)")
      let status = try #require(recorded["status"] as? String)
      let kind = recorded["kind"] as? String ?? ""
      let accepted = VectorCSVTests.accepted(
        .init(row: 0, column: "", status: status, kind: kind, sha: "", plaintext: nil))
      #expect(accepted.contains(line["outcome"] as? String ?? ""), "\(value) (\(kind)): \(line["outcome"] ?? "")")
      seen += 1
    }
    #expect(seen == expected.count)
  }

  /// What opens gives the recorded plaintext under this key; what doesn't is byte for byte as it was.
  private func compareValues(
    _ expected: [Value: [String: Any]], _ before: [Value: String], _ database: Database, key: String
  ) throws {
    let values = try values(database)
    #expect(values.count == before.count)
    let good = expected.filter { $0.value["status"] as? String == "ok" }
    #expect(good.count > 500)
    for (value, old) in before where good[value] == nil {
      #expect(values[value] == old, "\(value)")
    }
    let order = Array(good.keys)
    let openings = try Laravel.open(
      try order.map { try #require(values[$0]) }, key: key, cipher: "AES-256-CBC")
    for (value, opening) in zip(order, openings) {
      let recorded = Data(base64Encoded: good[value]?["plaintext_b64"] as? String ?? "")
      #expect(opening.plaintext == recorded, "\(value): \(opening.error ?? "")")
    }
  }

  /// Every value that isn't NULL. Line ends become blanks, since a row is a line here.
  private func values(_ database: Database) throws -> [Value: String] {
    var values: [Value: String] = [:]
    for (table, columns) in Self.columns {
      let primary = table == "users" ? "id::text" : "provider || ' ' || user_id"
      for column in columns {
        for row in try database.run(
          "SELECT \(primary), translate(\(column), E'\\n', ' ') FROM \(table) WHERE \(column) IS NOT NULL")
        {
          values[Value(table: table, key: row[0], column: column)] = row[1]
        }
      }
    }
    return values
  }

  /// What must stay as it is: every column but the payloads', and the other tables.
  private func others(_ database: Database) throws -> [[String]] {
    try database.run(
      """
      SELECT 'u', md5(string_agg(concat_ws('|', id, name, email, created_at), '#' ORDER BY id)) FROM users
      UNION ALL SELECT 'o', md5(string_agg(concat_ws('|', provider, user_id, scopes, expires_at), '#'
        ORDER BY provider, user_id)) FROM oauth_tokens
      UNION ALL SELECT 's', md5(string_agg(s::text, '#' ORDER BY id)) FROM sessions s
      UNION ALL SELECT 'j', md5(string_agg(j::text, '#' ORDER BY id)) FROM jobs j
      """)
  }
}
