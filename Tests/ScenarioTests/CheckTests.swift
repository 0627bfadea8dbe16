import Foundation
import Testing

/// `rekey check` says what a run would do and what stands in its way, and changes nothing.
@Suite(.serialized) struct CheckTests {
  static let old = "base64:" + Data(repeating: 5, count: 32).base64EncodedString()
  static let new = "base64:" + Data(repeating: 6, count: 32).base64EncodedString()
  private let environment = ["NEW": new, "OLD": old]

  private func with(
    column: String, oldCipher: String, more: String = "", _ body: (Database, URL) throws -> Void
  ) throws {
    try Database.with { database in
      try withFolder { folder in
        let sealed = try Laravel.seal(
          ["short", String(repeating: "long ", count: 20)], key: Self.old, cipher: oldCipher)
        try database.run(
          """
          CREATE TABLE "Odd name" (id int PRIMARY KEY, secret \(column));
          INSERT INTO "Odd name" SELECT i, p FROM unnest(ARRAY['\(sealed.joined(separator: "','"))'])
            WITH ORDINALITY AS s(p, i);
          """)
        try Data(
          """
          keys:
            current: env:NEW
            previous: [{ key: env:OLD, cipher: \(oldCipher) }]
          \(more)
          source: { postgres: { url: "\(database.url)" } }
          tables: { Odd name: { columns: [secret] } }
          sink: in_place
          """.utf8
        ).write(to: folder.appendingPathComponent("p.yaml"))
        try body(database, folder)
      }
    }
  }

  @Test func aPlanNamesTableColumnsKeysAndACopy() throws {
    try with(column: "varchar(700)", oldCipher: "AES-256-CBC") { database, folder in
      let ended = try rekey("check", "p.yaml", in: folder, environment: environment)
      #expect(ended.code == 0, "\(ended.err)")
      for part in [
        "public.Odd name: about", "secret  character varying(700)", "key: id",
        "pg_dump -Fc -t '\"public\".\"Odd name\"'",
        "state: schema rekey", "previous[0]", "no sampled value is under the current key",
      ] {
        #expect(ended.outText.contains(part), "\(part) in: \(ended.outText)")
      }
      #expect(!ended.outText.contains("ALTER TABLE"))
      #expect(try database.count("SELECT count(*) FROM pg_namespace WHERE nspname = 'rekey'") == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["p.yaml"])
    }
  }

  /// A payload of AES-GCM has no MAC, so that it grows by 40 letters or more on its way to AES-CBC.
  @Test func whatWouldNotFitIsCountedAndLeft() throws {
    try with(column: "varchar(300)", oldCipher: "AES-256-GCM") { database, folder in
      let check = try rekey("check", "p.yaml", in: folder, environment: environment)
      #expect(check.code == 3, "\(check.err)")
      #expect(
        check.outText.contains(
          "secret character varying(300) is too short for 1 of the new payloads; first run: ALTER TABLE \"public\".\"Odd name\" "
            + "ALTER COLUMN \"secret\" TYPE text;"), "\(check.outText)")
      #expect(check.outText.contains("can't read both at once"), "\(check.outText)")
      let run = try rekey("run", "--json", "p.yaml", in: folder, environment: environment)
      #expect(run.code == 3, "\(run.err)")
      #expect(run.outText.contains("\"rekeyed\":1,\"too_long\":1"), "\(run.outText)")
      try database.run("ALTER TABLE \"Odd name\" ALTER COLUMN secret TYPE text")
      let again = try rekey("run", "--json", "p.yaml", in: folder, environment: environment)
      #expect(again.code == 0, "\(again.err)")
      let values = try database.run("SELECT secret FROM \"Odd name\" ORDER BY id").map { $0[0] }
      let openings = try Laravel.open(values, key: Self.new, cipher: "AES-256-CBC")
      #expect(openings.map { $0.plaintext?.count } == [5, 100])
    }
  }

  @Test func aProofThatTheCurrentKeyDoesNotOpenEndsEverything() throws {
    let proofs =
      try Laravel.seal(["rekey"], key: Self.new, cipher: "AES-256-CBC")
      + Laravel.seal(["rekey"], key: Self.old, cipher: "AES-256-CBC")
    for (proof, code) in zip(proofs, [Int32(0), 6]) {
      try with(column: "text", oldCipher: "AES-256-CBC") { database, folder in
        let file = folder.appendingPathComponent("p.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "keys:\n", with: "keys:\n  proof: \(proof)\n").utf8).write(to: file)
        let before = try database.run("SELECT * FROM \"Odd name\"")
        let ended = try rekey("run", "p.yaml", in: folder, environment: environment)
        #expect(ended.code == code, "\(ended.err)")
        #expect((try database.run("SELECT * FROM \"Odd name\"") == before) == (code == 6))
        if code == 6 { #expect(ended.err.contains("keys.proof does not open under keys.current"), "\(ended.err)") }
      }
    }
  }
}
