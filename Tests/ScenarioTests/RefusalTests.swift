import Foundation
import Testing

/// What a pipeline can't be used on is refused with one clear error, and nothing has changed.
@Suite(.serialized) struct RefusalTests {
  static let old = "base64:" + Data(repeating: 1, count: 32).base64EncodedString()
  static let new = "base64:" + Data(repeating: 2, count: 32).base64EncodedString()

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var sql = ""
    var table = "public.t"
    var columns = "[secret]"
    var more = ""
    var arguments = ["run", "p.yaml"]
    /// Whether the run is made by the role that `sql` creates as ROLENAME.
    var usesRole = false
    var code: Int32
    var error: String
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "view", sql: "CREATE VIEW v AS SELECT * FROM t", table: "public.v", code: 2, error: "public.v is a view"),
    Case(
      name: "materialized view", sql: "CREATE MATERIALIZED VIEW v AS SELECT * FROM t", table: "public.v", code: 2,
      error: "is a materialized view"),
    Case(
      name: "foreign table",
      sql: """
        CREATE EXTENSION postgres_fdw; CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw;
        CREATE FOREIGN TABLE f (id int, secret text) SERVER s
        """, table: "public.f", code: 2, error: "is a foreign table"),
    Case(
      name: "generated column", sql: "ALTER TABLE t ADD g text GENERATED ALWAYS AS (secret) STORED", columns: "[g]",
      code: 2, error: "p.yaml:6:17: error: public.t.g is a generated column"),
    Case(name: "no key", sql: "ALTER TABLE t DROP CONSTRAINT t_pkey", code: 2, error: "has no primary key"),
    Case(name: "unknown table", table: "public.tt", code: 2, error: "did you mean 'public.t'?"),
    Case(name: "unknown column", columns: "[secrets]", code: 2, error: "did you mean 'secret'?"),
    Case(name: "a number's column", columns: "[n]", code: 2, error: "is of type integer, which can't hold a payload"),
    Case(name: "jsonb", columns: "[j]", code: 2, error: "json and jsonb are not supported yet"),
    Case(name: "broken where", more: ", where: 'nonsense >'", code: 2, error: "can't evaluate `where`"),
    Case(
      name: "where without a match", more: ", where: 'id > 1000000'", code: 6, error: "`where` matches none of them"),
    Case(name: "no payload", columns: "[plain]", code: 6, error: "is this the right column?"),
    Case(name: "only NULL", columns: "[nothing]", code: 6, error: "nothing but NULL"),
    Case(
      name: "no privilege", sql: "CREATE ROLE ROLENAME LOGIN; GRANT SELECT ON t TO ROLENAME", usesRole: true,
      code: 2, error: "GRANT UPDATE (\"secret\")"),
    Case(
      name: "row security",
      sql: """
        CREATE ROLE ROLENAME LOGIN; GRANT SELECT, UPDATE ON t TO ROLENAME; ALTER TABLE t ENABLE ROW LEVEL SECURITY;
        CREATE POLICY p ON t USING (id < 3)
        """, usesRole: true, code: 2, error: "row-level security on public.t would hide rows"),
    Case(
      name: "plaintexts in place", more: "", arguments: ["run", "decrypt.yaml"], code: 2, error: "--write-plaintext"),
    Case(
      name: "no schema for state",
      sql: "CREATE ROLE ROLENAME LOGIN; GRANT SELECT, UPDATE ON t TO ROLENAME", usesRole: true, code: 1,
      error: "CREATE SCHEMA IF NOT EXISTS"),
  ]

  @Test(arguments: cases)
  func isRefused(_ refusal: Case) throws {
    try Database.with { database in
      try withFolder { folder in
        let role = "role_\(database.name)"
        let sealed = try Laravel.seal(["one", "two", "three"], key: Self.old, cipher: "AES-256-CBC")
        try database.run(
          """
          CREATE TABLE t (id int PRIMARY KEY, secret text, plain text, nothing text, n int, j jsonb);
          INSERT INTO t SELECT i, p, 'words', NULL, i, '{}'
          FROM unnest(ARRAY['\(sealed.joined(separator: "','"))']) WITH ORDINALITY AS s(p, i);
          \(refusal.sql.replacingOccurrences(of: "ROLENAME", with: role))
          """)
        defer {
          if refusal.usesRole { _ = try? database.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
        }
        let url =
          refusal.usesRole
          ? database.url.replacingOccurrences(of: "://rekey_test@", with: "://\(role)@") : database.url
        let text = """
          keys: { current: env:NEW, previous: [env:OLD] }
          source: { postgres: { url: "\(url)" } }
          sink: in_place
          tables:
            \(refusal.table):
              { columns: \(refusal.columns)\(refusal.more) }

          """
        try Data(text.utf8).write(to: folder.appendingPathComponent("p.yaml"))
        try Data((text + "operation: decrypt\n").utf8).write(to: folder.appendingPathComponent("decrypt.yaml"))
        let before = try database.run("SELECT md5(string_agg(t::text, '#' ORDER BY id)) FROM t")
        let tool = try rekeyTool(refusal.arguments, in: folder, environment: ["NEW": Self.new, "OLD": Self.old])
        let ended = try tool.run()
        #expect(ended.code == refusal.code, "\(ended.err)")
        #expect(ended.err.contains(refusal.error), "\(ended.err)")
        #expect(!ended.err.contains("base64:"))
        #expect(try database.run("SELECT md5(string_agg(t::text, '#' ORDER BY id)) FROM t") == before)
        #expect(try database.count("SELECT count(*) FROM pg_namespace WHERE nspname = 'rekey'") == 0)
      }
    }
  }

  /// A trigger that reverts or changes the new value: the row is rolled back and counted, never taken for re-keyed.
  @Test func whatATriggerChangesIsRolledBackAndCounted() throws {
    try Database.with { database in
      try withFolder { folder in
        let sealed = try Laravel.seal((1...30).map { "secret \($0)" }, key: Self.old, cipher: "AES-256-CBC")
        try database.run(
          """
          CREATE TABLE t (id int PRIMARY KEY, secret text);
          INSERT INTO t SELECT i, p FROM unnest(ARRAY['\(sealed.joined(separator: "','"))']) WITH ORDINALITY AS s(p, i);
          CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF new.id <= 5 THEN new.secret := old.secret; ELSIF new.id <= 10 THEN new.secret := lower(new.secret); END IF;
            RETURN new; END $$;
          CREATE TRIGGER meddle BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION meddle();
          """)
        try Data(
          """
          keys: { current: env:NEW, previous: [env:OLD] }
          source: { postgres: { url: "\(database.url)" } }
          tables: { t: { columns: [secret] } }
          sink: in_place
          """.utf8
        ).write(to: folder.appendingPathComponent("p.yaml"))
        let ended = try rekey(
          "run", "--json", "p.yaml", in: folder, environment: ["NEW": Self.new, "OLD": Self.old])
        #expect(ended.code == 3, "\(ended.err)")
        #expect(ended.outText.contains("\"rekeyed\":20,\"write_refused\":10"), "\(ended.outText)")
        #expect(ended.err.contains("a trigger on the table makes something else of the new value"))
        let values = try database.run("SELECT secret FROM t ORDER BY id").map { $0[0] }
        #expect(Array(values[..<10]) == Array(sealed[..<10]))
        let openings = try Laravel.open(Array(values[10...]), key: Self.new, cipher: "AES-256-CBC")
        #expect(openings.map(\.plaintext) == (11...30).map { Data("secret \($0)".utf8) })
      }
    }
  }

  @Test func anEmptyTableIsFine() throws {
    try Database.with { database in
      try withFolder { folder in
        try database.run("CREATE TABLE t (id int PRIMARY KEY, secret text)")
        try Data(
          """
          keys: { current: env:NEW, previous: [env:OLD] }
          source: { postgres: { url: "\(database.url)" } }
          tables: { t: { columns: [secret] } }
          sink: in_place
          """.utf8
        ).write(to: folder.appendingPathComponent("p.yaml"))
        let ended = try rekey("run", "p.yaml", in: folder, environment: ["NEW": Self.new, "OLD": Self.old])
        #expect(ended.code == 0, "\(ended.err)")
        #expect(ended.err.contains("public.t is empty: there is nothing to do"), "\(ended.err)")
      }
    }
  }
}
