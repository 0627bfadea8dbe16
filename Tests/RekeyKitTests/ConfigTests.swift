import LaravelEncryption
import RekeyKit
import Testing
import YAML

@Suite struct ReadingAPipeline {
  @Test func `a table's pipeline with every key`() throws {
    let config = try read(
      """
      name: rotate-2026
      keys:
        current: env:APP_KEY
        previous:
          - dotenv:.env.old#APP_KEY
          - { key: file:keys/2016, cipher: aes-128-cbc }
        proof: eyJpdiI6
      cipher: AES-256-GCM
      operation: rekey
      verify: false
      source:
        postgres: { url: "postgres://${HOST}/app" }
      x-columns: &columns
        secret: { plaintext: fail }
        codes:
      tables:
        public.users:
          columns:
            <<: *columns
            token: { plaintext: encrypt }
          where: "id > 5 and note <> '$1'"
        '"a.b"."c""d"':
          columns: [payload]
      sink: in_place
      audit: { path: "audit/${EMPTY:-none}.jsonl" }
      state: { schema: rotation }
      limits: { batch_rows: 10, batch_bytes: 512KiB, workers: 3, lanes: 4, failures_allowed: 5, stop_after_failures: 6 }
      """
    ).get()
    #expect(config.name == "rotate-2026")
    #expect(config.keys.current.reference.value == .environment(name: "APP_KEY"))
    #expect(config.keys.current.cipher == .aes256GCM)
    #expect(
      config.keys.previous.map { "\($0.reference.value) \($0.cipher.rawValue) \($0.reference.mark.line)" } == [
        "dotenv:.env.old#APP_KEY AES-256-GCM 5", "file:keys/2016 AES-128-CBC 6",
      ])
    #expect(config.keys.proof?.value == "eyJpdiI6")
    #expect(config.operation == .rekey && !config.verify)
    guard case .postgres(let input) = config.input else { throw Unexpected(what: "another source") }
    #expect(input.url.value == "postgres://db.example.org/app" && input.url.isSubstituted)
    #expect(
      input.tables.map { "\($0.name.value) \($0.name.mark.line):\($0.name.mark.column)" } == [
        "public.users 17:3", "\"a.b\".\"c\"\"d\" 22:3",
      ])
    #expect(
      input.tables.map { $0.columns.map { "\($0.reference.value) \($0.plaintext)" } } == [
        ["token encrypt", "secret fail", "codes leave"], ["payload leave"],
      ])
    #expect(input.tables.map(\.filter?.value) == ["id > 5 and note <> '$1'", nil])
    #expect(config.audit?.value == "audit/none.jsonl")
    guard case .inPlace = config.output, case .schema(let schema) = config.state else {
      throw Unexpected(what: "another sink or state")
    }
    #expect(schema.value == "rotation")
    var limits = Config.Limits()
    limits.batchRows = 10
    limits.batchBytes = 512 << 10
    limits.workers = 3
    limits.lanes = 4
    limits.failuresAllowed = 5
    limits.stopAfterFailures = 6
    #expect(config.limits == limits)
  }

  @Test func `a csv pipeline with defaults`() throws {
    let config = try read(csvPipeline).get()
    #expect(config.name == "rotate" && config.operation == .rekey && config.verify)
    #expect(config.keys.current.cipher == .aes256CBC && config.keys.proof == nil)
    guard case .csv(let input) = config.input, case .csv(let path) = config.output, case .disabled = config.state else {
      throw Unexpected(what: "another source, sink or state")
    }
    #expect(input.path.value == "in.csv" && path.value == "out.csv")
    #expect(input.delimiter == UInt8(ascii: ",") && input.quote == UInt8(ascii: "\""))
    #expect(input.hasHeader && input.ragged == .error)
    #expect(input.columns.map(\.reference.value) == [.name("secret")])
    #expect(config.audit == nil && config.limits == Config.Limits())
  }

  @Test func `a csv pipeline by column numbers`() throws {
    let source = "{ csv: { path: '-', delimiter: tab, quote: \"'\", header: false, ragged: pass } }"
    let text = csvPipeline.with("source: \(source)").with("columns: { 2: { plaintext: fail }, '#10': }")
    guard case .csv(let input) = try read(text).get().input else { throw Unexpected(what: "another source") }
    #expect(input.delimiter == 9 && input.quote == UInt8(ascii: "'") && !input.hasHeader && input.ragged == .pass)
    #expect(input.columns.map(\.reference.value) == [.number(2), .number(10)])
  }

  @Test func `with a header a number is a name and #number a number`() throws {
    let text = csvPipeline.with("columns: [2024, '#3', '#x']")
    guard case .csv(let input) = try read(text).get().input else { throw Unexpected(what: "another source") }
    #expect(input.columns.map(\.reference.value) == [.name("2024"), .number(3), .name("#x")])
  }

  @Test func `a csv updates a table`() throws {
    let text = csvPipeline.with(
      "sink: { postgres: { url: 'postgres:///app', table: users, key: [id, tenant], insert: true } }")
    let config = try read(text).get()
    guard case .postgres(let output) = config.output else { throw Unexpected(what: "another sink") }
    #expect(
      output.table.value == TableName(schema: nil, table: "users") && output.key.map(\.value) == ["id", "tenant"])
    #expect(output.insertsMissing)
  }

  @Test func `in place keeps its state in the schema rekey`() throws {
    guard case .schema(let schema) = try read(tablePipeline).get().state else {
      throw Unexpected(what: "no state")
    }
    #expect(schema.value == "rekey")
    guard case .disabled = try read(tablePipeline.with("state: none")).get().state else {
      throw Unexpected(what: "state kept")
    }
  }

  @Test func `other operations need no previous key, and encrypt seals plaintext`() throws {
    let text = csvPipeline.with("operation: encrypt").with("  previous: []")
    let config = try read(text).get()
    guard case .csv(let input) = config.input else { throw Unexpected(what: "another source") }
    #expect(config.keys.previous.isEmpty && input.columns[0].plaintext == .encrypt)
  }

  @Test(arguments: [
    ("rotate.yaml", "rotate"), ("a/b/x.yml", "x"), ("plain", "plain"), (".yaml", ".yaml"), ("x.y.yaml", "x.y"),
  ])
  func `the name comes from the file`(file: String, name: String) throws {
    #expect(try Config.read(Array(csvPipeline.utf8), file: file, environment: { _ in nil }).get().name == name)
  }
}

@Suite struct NamesInAPipeline {
  @Test(arguments: [
    ("users", "users"), ("public.users", "public.users"), ("Public.Users", "Public.Users"), ("\"users\"", "users"),
    ("\"a.b\".c", "\"a.b\".c"), ("a.\"b\"\"c\"", "a.\"b\"\"c\""), ("a b.c", "a b.c"),
  ])
  func `tables`(text: String, shown: String) throws {
    let name = try #require(TableName(parsing: text))
    #expect(name.description == shown && TableName(parsing: name.description) == name)
  }

  @Test(arguments: ["", ".", "a.", ".a", "a.b.c", "\"a", "\"\"", "a\"b", "\"a\"b", "a..b"])
  func `what is no table`(text: String) {
    #expect(TableName(parsing: text) == nil)
  }

  @Test(arguments: [
    ("previus", "previous"), ("colums", "columns"), ("lmits", "limits"), ("Keys", "keys"), ("kyes", "keys"),
    ("sources", "source"), ("database", nil), ("", nil), ("k", nil),
  ])
  func `nearest`(name: String, nearest: String?) {
    #expect(nearestName(to: name, among: ["keys", "previous", "columns", "limits", "source", "sink"]) == nearest)
  }
}
