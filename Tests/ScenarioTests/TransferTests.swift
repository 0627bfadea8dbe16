import Foundation
import Testing

/// From a table to a CSV file, and from a CSV file into a table.
@Suite(.serialized) struct TransferTests {
  static let old = "base64:" + Data(repeating: 3, count: 32).base64EncodedString()
  static let new = "base64:" + Data(repeating: 4, count: 32).base64EncodedString()

  private func with(_ body: (Database, URL, [String]) throws -> Void) throws {
    try Database.with { database in
      try withFolder { folder in
        let sealed = try Laravel.seal((1...9).map { "secret \($0)" }, key: Self.old, cipher: "AES-256-CBC")
        try database.run(
          """
          CREATE TABLE t (id int PRIMARY KEY, name text, secret text);
          INSERT INTO t SELECT i, CASE i WHEN 1 THEN 'a,"b"' WHEN 2 THEN NULL WHEN 3 THEN '' ELSE E'x\\ny' END, p
          FROM unnest(ARRAY['\(sealed.joined(separator: "','"))']) WITH ORDINALITY AS s(p, i);
          """)
        try body(database, folder, sealed)
      }
    }
  }

  private let environment = ["NEW": new, "OLD": old]

  @Test func aTableGoesToAFileAsCopyPrintsIt() throws {
    try with { database, folder, _ in
      try Data(
        """
        keys: { current: env:NEW, previous: [env:OLD] }
        source: { postgres: { url: "\(database.url)" } }
        tables: { t: { columns: [secret] } }
        sink: { csv: { path: out.csv } }
        """.utf8
      ).write(to: folder.appendingPathComponent("p.yaml"))
      let ended = try rekey("run", "p.yaml", in: folder, environment: environment)
      #expect(ended.code == 0, "\(ended.err)")
      let copy = try database.psql(
        input: "COPY (SELECT id, name, secret FROM t ORDER BY id) TO STDOUT (FORMAT csv, HEADER)"
      )
      .run()
      let printed = SimpleCSV.rows(copy.out)
      let written = SimpleCSV.rows(try Data(contentsOf: folder.appendingPathComponent("out.csv")))
      #expect(written.count == 10 && printed.count == 10)
      #expect(written.map { Array($0[..<2]) } == printed.map { Array($0[..<2]) })
      let openings = try Laravel.open(
        written.dropFirst().map { SimpleCSV.value($0[2]) }, key: Self.new, cipher: "AES-256-CBC")
      #expect(openings.map(\.plaintext) == (1...9).map { Data("secret \($0)".utf8) })
      let audit = try rekey("audit", "--output", "p.yaml", in: folder, environment: environment)
      #expect(audit.code == 0, "\(audit.err)")
      #expect(try database.count("SELECT count(*) FROM pg_namespace WHERE nspname = 'rekey'") == 0)
    }
  }

  @Test(arguments: [false, true])
  func aFileUpdatesATableByKey(insert: Bool) throws {
    try with { database, folder, sealed in
      // Row 2 has changed in the table since the file was made, row 3 is gone from it.
      try database.run("COPY (SELECT 1) TO STDOUT")
      let other = try Laravel.seal(["newer"], key: Self.old, cipher: "AES-256-CBC")[0]
      try database.run("UPDATE t SET secret = '\(other)' WHERE id = 2; DELETE FROM t WHERE id = 3")
      let rows = sealed.enumerated().map { "\($0.offset + 1),\"n, \($0.offset + 1)\",\($0.element)\n" }.joined()
      try Data(("id,name,secret\n" + rows).utf8).write(to: folder.appendingPathComponent("in.csv"))
      try Data(
        """
        keys: { current: env:NEW, previous: [env:OLD] }
        source: { csv: { path: in.csv } }
        columns: [secret]
        sink: { postgres: { url: "\(database.url)", table: t, key: [id], insert: \(insert) } }
        audit: { path: audit.jsonl }
        """.utf8
      ).write(to: folder.appendingPathComponent("p.yaml"))
      let ended = try rekey("run", "--json", "p.yaml", in: folder, environment: environment)
      #expect(ended.code == 0, "\(ended.err)")
      let found = try database.run("SELECT id, secret FROM t ORDER BY id")
      #expect(found.count == (insert ? 9 : 8))
      let openings = try Laravel.open(found.map { $0[1] }, key: Self.new, cipher: "AES-256-CBC")
      let expected = found.map { $0[0] == "2" ? "newer" : "secret \($0[0])" }
      #expect(openings.map { $0.plaintext.map { String(decoding: $0, as: UTF8.self) } ?? $0.error } == expected)
      #expect(ended.outText.contains(insert ? "\"rekeyed\":9" : "\"rekeyed\":8"), "\(ended.outText)")
      #expect(ended.outText.contains("\"gone\":1") == !insert)
      if insert { #expect(try database.run("SELECT name FROM t WHERE id = 3") == [["n, 3"]]) }
      let again = try rekey("run", "--json", "p.yaml", in: folder, environment: environment)
      #expect(again.code == 0, "\(again.err)")
      #expect(try database.run("SELECT id, secret FROM t ORDER BY id") == found)
    }
  }
}
