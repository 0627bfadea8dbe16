import RekeyKit
import Testing

@Suite struct ProblemsOfAPipeline {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var expected: String

    init(_ name: String, _ text: String, _ expected: String) {
      testDescription = name
      self.text = text
      self.expected = expected
    }
  }

  private static let syntax = [
    Case(
      "empty", "# nothing\n", "1:1: error: the file is empty; docs/pipeline-file.md shows a whole one\n  # nothing\n  ^"
    ),
    Case("a list", "- a: 1\n", "1:1: error: a pipeline file must be a mapping, not a list\n  …\n  ^"),
    Case("a tab", "name: x\n\tkeys: y\n", "2:1: error: a tab can't indent YAML; use spaces\n  \tkeys: y\n  ^"),
    Case(
      "a variable in braces without quotes", "source: { postgres: { url: ${HOST} } }\n",
      """
      1:29: error: did not find expected ',' or '}' while parsing a flow mapping; put "${NAME}" in quotes inside { } and [ ]
        source: { postgres: { url: ${HOST} } }
                                    ^
      """),
  ]

  private static let keysAndTypes = [
    Case(
      "a misspelt key", csvPipeline.with("nmae: x"),
      "7:1: error: unknown key 'nmae'; did you mean 'name'?\n  nmae: …\n  ^"),
    Case(
      "an unknown key", csvPipeline.with("sink: { csv: { path: x, mode: 600 } }"),
      "6:25: error: unknown key 'mode'; known here: path\n  sink: { csv: { path: x, mode: … } }\n                          ^"
    ),
    Case(
      "a duplicate", csvPipeline.with("limits: { lanes: 1, lanes: 2 }"),
      """
      7:21: error: key 'lanes' stands here a second time; the first is on line 7
        limits: { lanes: 1, lanes: … }
                            ^
      """),
    Case(
      "wrong types", csvPipeline.with("verify: yes").with("name: [x]").with("operation: rekye"),
      """
      7:9: error: verify must be true or false
        verify: yes
                ^
      8:7: error: name must be text, not a list
        name: [x]
              ^
      9:12: error: operation must be rekey, encrypt or decrypt; did you mean 'rekey'?
        operation: rekye
                   ^
      """),
    Case(
      "missing keys", "name: x\n",
      """
      1:1: error: the pipeline has no 'keys'
        name: x
        ^
      1:1: error: the pipeline has no 'source'
        name: x
        ^
      1:1: error: the pipeline has no 'sink'
        name: x
        ^
      """),
    Case(
      "limits out of range", csvPipeline.with("limits: { batch_rows: 0, batch_bytes: 1TB, workers: 2.5, lanes: '2' }"),
      """
      7:23: error: batch_rows must be a whole number from 1 to 100000
        limits: { batch_rows: 0, batch_bytes: 1TB, workers: 2.5, lanes: '2' }
                              ^
      7:39: error: batch_bytes must be a size from 64KiB to 256MiB; write bytes, or a number with KiB, MiB or GiB, such as 4MiB
        limits: { batch_rows: 0, batch_bytes: 1TB, workers: 2.5, lanes: '2' }
                                              ^
      7:53: error: workers must be auto or a whole number from 1 to 64
        limits: { batch_rows: 0, batch_bytes: 1TB, workers: 2.5, lanes: '2' }
                                                            ^
      7:65: error: lanes must be a whole number from 1 to 32; remove the quotes
        limits: { batch_rows: 0, batch_bytes: 1TB, workers: 2.5, lanes: '2' }
                                                                        ^
      """),
    Case(
      "a size that overflows", csvPipeline.with("limits: { batch_bytes: 9007199254740992GiB }"),
      """
      7:24: error: batch_bytes must be a size from 64KiB to 256MiB; write bytes, or a number with KiB, MiB or GiB, such as 4MiB
        limits: { batch_bytes: … }
                               ^
      """),
    Case(
      "an unset variable", csvPipeline.with("audit: { path: \"${NOPE}.jsonl\" }"),
      """
      7:16: error: environment variable 'NOPE' is not set; set it, or write ${NOPE:-default}
        audit: { path: "${NOPE}.jsonl" }
                       ^
      """),
    Case(
      "a variable that is empty", csvPipeline.with("audit: { path: \"${EMPTY}\" }"),
      "7:16: error: audit.path is empty once its variables are put in\n  audit: { path: \"${EMPTY}\" }\n                 ^"
    ),
    Case(
      "a malformed variable", csvPipeline.with("audit: { path: \"${a b}\" }"),
      """
      7:16: error: '${' starts a variable; write ${NAME} or ${NAME:-default}, or $${ for the text ${
        audit: { path: "${a b}" }
                       ^
      """),
  ]

  private static let columnsAndTables = [
    Case(
      "columns named twice", csvPipeline.with("columns: [a, b, a]"),
      "5:17: error: columns names this column twice; the first is on line 5\n  columns: [a, b, a]\n                  ^"),
    Case(
      "no column", csvPipeline.with("columns: []"), "5:10: error: columns names no column\n  columns: []\n           ^"),
    Case(
      "column options",
      csvPipeline.with("columns: { a: { plaintxt: fail }, b: { json: [x], plaintext: levae }, '#0': }"),
      """
      5:17: error: unknown key 'plaintxt'; did you mean 'plaintext'?
        columns: { a: { plaintxt: … }, b: { json: [x], plaintext: levae }, '#0': }
                        ^
      5:40: error: json: is not supported yet
        columns: { a: { plaintxt: … }, b: { json: [x], plaintext: levae }, '#0': }
                                            ^
      5:62: error: plaintext must be leave, encrypt or fail; did you mean 'leave'?
        columns: { a: { plaintxt: … }, b: { json: [x], plaintext: levae }, '#0': }
                                                                  ^
      5:71: error: columns are counted from 1
        columns: { a: { plaintxt: … }, b: { json: [x], plaintext: levae }, '#0': }
                                                                           ^
      """),
    Case(
      "a name without a header", csvPipeline.with("source: { csv: { path: x, header: false } }"),
      """
      5:11: error: without a header columns have no names; write the column's number, as in '#3'
        columns: [secret]
                  ^
      """),
    Case(
      "a comment in place of a number", csvPipeline.replacing("columns: [secret]", with: "columns:\n  - #3"),
      """
      6:4: error: a column in a list must be its name, and here is nothing; for options write columns as a mapping; a column's number goes in quotes, as in '#3'
          - #3
           ^
      """),
    Case(
      "plaintext against the operation",
      csvPipeline.with("columns: { a: { plaintext: fail } }").with("operation: encrypt"),
      """
      5:28: error: 'encrypt' is there to seal plaintext; remove 'plaintext', or the column
        columns: { a: { plaintext: fail } }
                                   ^
      """),
    Case(
      "a table's name", tablePipeline.replacing("public.users:", with: "a.b.c:"),
      """
      6:3: error: a table is named as table or schema.table; a part with a dot goes in double quotes, as in '"a.b"."c"'
          a.b.c:
          ^
      """),
  ]

  private static let combinations = [
    Case(
      "in place without a table", csvPipeline.with("sink: in_place"),
      """
      6:7: error: sink: in_place is for a postgres source; write sink: { csv: { path: FILE } }
        sink: in_place
              ^
      """),
    Case(
      "tables beside a csv", csvPipeline.with("tables: {}"),
      """
      7:1: error: 'tables' is for a postgres source; a csv source has its 'columns' at the top level
        tables: {}
        ^
      """),
    Case(
      "columns beside tables", tablePipeline.with("columns: [a]"),
      """
      9:1: error: 'columns' at the top level is for a csv source; put it below its table in 'tables'
        columns: [a]
        ^
      """),
    Case(
      "state without in_place", csvPipeline.with("state: { schema: x }"),
      "7:1: error: 'state' is kept for sink: in_place only; remove it\n  state: { schema: x }\n  ^"),
    Case(
      "the sink is the source", csvPipeline.with("sink: { csv: { path: in.csv } }"),
      "6:22: error: the sink is the source; name another file\n  sink: { csv: { path: in.csv } }\n                       ^"
    ),
    Case(
      "both kinds of source", csvPipeline.with("source: { csv: { path: x }, postgres: { url: y } }"),
      """
      4:9: error: source must be only one of csv or postgres
        source: { csv: { path: x }, postgres: { url: y } }
                ^
      """),
    Case(
      "a source without a mapping", csvPipeline.with("source: in.csv"),
      "4:9: error: source must be a mapping with csv or postgres\n  source: in.csv\n          ^"),
    Case(
      "a source and an audit log on standard streams",
      csvPipeline.with("source: { csv: { path: '-' } }").with("  current: fd:0").with("audit: { path: '-' }"),
      """
      2:12: error: fd:0 is standard input, which the source reads; use another descriptor
          current: fd:0
                   ^
      7:16: error: the audit log can't go to standard output; name a file
        audit: { path: '-' }
                       ^
      """),
    Case(
      "from a table to a table", tablePipeline.with("sink: { postgres: { url: x, table: t, key: [id] } }"),
      """
      8:7: error: a postgres source doesn't go to another table; write sink: in_place
        sink: { postgres: { url: x, table: t, key: [id] } }
              ^
      """),
    Case(
      "a key column that is re-keyed", csvPipeline.with("sink: { postgres: { url: x, table: t, key: [secret] } }"),
      "5:11: error: this column is also in sink.postgres.key; a row is found by it\n  columns: [secret]\n            ^"),
  ]

  @Test(arguments: syntax + keysAndTypes + columnsAndTables + combinations)
  func `are shown with the line and a caret`(example: Case) {
    #expect(problems(example.text) == example.expected)
  }

  @Test func `tabs and wide characters keep the caret below its place`() {
    #expect(
      problems(csvPipeline.with("audit: { path: \"日本é\u{301}\", pth: 1 }"))
        == "7:24: error: unknown key 'pth'; did you mean 'path'?\n  audit: { path: \"日本é\u{301}\", pth: … }\n                          ^"
    )
    #expect(
      problems(csvPipeline.with("audit: {\tpath: x,\tpth: 1 }"))
        == "7:19: error: unknown key 'pth'; did you mean 'path'?\n  audit: {\tpath: x,\tpth: … }\n          \t        \t^"
    )
  }

  @Test func `a long line is cut around the caret`() {
    let text = problems(csvPipeline.with("audit: { path: \(String(repeating: "x", count: 500)), pth: 1 }"))
    let lines = text.split(separator: "\n")
    #expect(lines[1].count < 150 && lines[1].hasPrefix("  …xxx") && lines[1].hasSuffix("xx, pth: … }"))
    #expect(lines[2].count == lines[1].prefix { $0 != "p" }.count + 1)
  }
}

@Suite struct SecretsInAPipeline {
  private static let raw = "Zq3x9Rw7Lk2m8VtB"
  private static let encoded = "base64:Zq3x9Rw7Lk2m8VtBZq3x9Rw7Lk2m8VtB0000000="

  /// A key that was pasted where a reference belongs is refused and never repeated, whatever else is wrong on its line.
  @Test(
    arguments: [
      "keys: { current: §, previous: [§] }",
      "keys: { current: §, previus: [env:OLD] }",
      "keys: { current: env:A, previous: [{ key: §, cipher: § }] }",
      "keys: { current: { §: 1 }, previous: [env:OLD] }",
      "keys: { current: env:A, previous: ['dotenv:§', 'fd:§', 'credential:/§', '§:x', 'env:§ x'] }",
      "keys: { current: 'evn:§', previous: { § } }",
      "keys: { current: , previous: [env:B] } #§ § '§'",
      "keys: §",
      "keys: [§]",
      "keys: { current: env:A, current: §, previous: [env:B] }",
      "keys: { §: env:A, previous: [env:B] }",
      "keys: { current: \"§, previous: [] }",
      "keys: { current: §: § }",
      "keys: { current: *§ }",
      "keys: { current: !§ x }",
      "app_key: §",
      "cipher: §",
      "verify: §",
      "operation: §",
      "limits: §",
      "limits: { lanes: § }",
      "sink: §",
      "§: x",
      "§",
    ], [raw, encoded])
  func `a pasted key is never repeated`(line: String, key: String) {
    let text = csvPipeline.replacing(
      "keys:\n  current: env:APP_KEY\n  previous: [env:OLD_KEY]\n",
      with: line.hasPrefix("keys") ? "" : "keys: { current: env:A, previous: [env:B] }\n")
    let shown = problems(text + "\n" + line.replacing("§", with: key))
    #expect(shown != "none" && !shown.contains(Self.raw))
  }

  @Test func `a key gets the forms to write instead`() {
    #expect(
      problems(csvPipeline.with("  current: \(Self.encoded)"))
        == """
        2:12: error: keys.current: expected a reference to a key, never the key itself; write env:NAME, dotenv:FILE#NAME, file:PATH, fd:N or credential:NAME
            current: …
                     ^
        """)
    #expect(
      problems(csvPipeline.with("  current: ${APP_KEY}"))
        == """
        2:12: error: keys.current takes no variable, lest the key be text in memory; write env:APP_KEY
            current: ${APP_KEY}
                     ^
        """)
    #expect(
      problems(csvPipeline.with("  previous: ['evn:OLD', 'fd:-1', 'dotenv:.env', 'credential:a/b', 'env:A B']"))
        .split(separator: "\n").filter { $0.contains("error") }
        == [
          "3:14: error: keys.previous[0]: not a reference to a key; did you mean 'env:'?",
          "3:25: error: keys.previous[1]: fd: takes the number of an open file descriptor",
          "3:34: error: keys.previous[2]: dotenv: takes a file and a name in it, as in dotenv:.env#APP_KEY",
          "3:49: error: keys.previous[3]: credential: takes the name of a file in $CREDENTIALS_DIRECTORY",
          "3:67: error: keys.previous[4]: env: takes the name of an environment variable",
        ])
  }

  @Test(arguments: [
    "source: { postgres: { url: 'postgres://joe:hunter2@db/app', x: 1 } }",
    "source: { postgres: { url: \"postgres://joe:${SECRET}@db/app\", x: 1 } }",
    "source: { postgres: { url: postgres://joe:a,hunter2@db/app } }",
    "source: { postgres: { url: 'host=db password=hunter2', x: 1 } }",
    "source: { postgres: { url: 'host=db password = hunter2', x: 1 } }",
    "source: { postgres: { url: 'postgresql://db/x?p%61ssword=hunter2', x: 1 } }",
    "limits: { lanes: \"${SECRET}\" }",
    "operation: ${SECRET}",
    "tables: { \"${SECRET}.${SECRET}.x\": { columns: [a] } }",
    "tables: { t: { columns: [\"${SECRET}\", hunter2] } }",
  ])
  func `a password or a substituted value is never shown`(line: String) {
    let shown = problems(tablePipeline.with(line))
    #expect(shown != "none")
    #expect(!shown.replacing("[\"${SECRET}\", hunter2]", with: "").contains("hunter2"))
  }

  @Test(arguments: [
    ("${HOST}", "db.example.org"), ("a${HOST}b${EMPTY}c", "adb.example.orgbc"), ("${EMPTY:-x y}", "x y"),
    ("${NOPE:-}z", "z"), ("${NOPE:-${HOST}", "${HOST"), ("$${HOST}", "${HOST}"), ("$HOST $$ $1 $", "$HOST $$ $1 $"),
    ("$$${HOST}", "$${HOST}"), ("${HOST:-x}", "db.example.org"),
  ])
  func `variables are put in once`(text: String, expected: String) throws {
    guard case .csv(let input) = try read(csvPipeline.with("source: { csv: { path: \"\(text)\" } }")).get().input else {
      throw Unexpected(what: "another source")
    }
    #expect(input.path.value == expected)
  }
}
