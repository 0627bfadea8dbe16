import YAML

extension ConfigReader {
  /// The sink; whether it goes with the source, `checkSink` says.
  mutating func output(_ root: Fields) -> Config.Output? {
    guard let node = required("sink", in: root, of: "the pipeline") else { return nil }
    if case .scalar(let scalar) = node.content {
      if scalar.text == "in_place" { return .inPlace }
      mismatch(
        node, "sink must be in_place, { csv: { path: FILE } } or { postgres: { … } }",
        hint: suggestion(for: scalar.text, among: ["in_place"]))
      return nil
    }
    guard let (kind, value) = oneOf(["csv", "postgres"], node, "sink") else { return nil }
    if kind == "postgres" { return postgresOutput(value).map { .postgres($0) } }
    guard let fields = fields(value, of: "sink.csv", known: ["path"]),
      let path = required("path", in: fields, of: "sink.csv").flatMap({ text($0, "sink.csv.path") })
    else { return nil }
    return .csv(path: path)
  }

  private mutating func postgresOutput(_ node: Node) -> Config.PostgresOutput? {
    let what = "sink.postgres"
    guard let fields = fields(node, of: what, known: ["url", "table", "key", "insert"]) else { return nil }
    let url = required("url", in: fields, of: what).flatMap { text($0, "\(what).url") }
    let tableText = required("table", in: fields, of: what).flatMap { text($0, "\(what).table") }
    let table = tableText.flatMap { tableName($0) }
    let key = required("key", in: fields, of: what).flatMap { keyColumns($0, "\(what).key") }
    let insertsMissing = fields["insert"].map { bool($0, "\(what).insert") } ?? false
    guard let url, let table, let key, let insertsMissing else { return nil }
    return Config.PostgresOutput(url: url, table: table, key: key, insertsMissing: insertsMissing)
  }

  private mutating func keyColumns(_ node: Node, _ what: String) -> [Located<String>]? {
    guard let items = sequence(node, what) else { return nil }
    let columns = items.map { text($0, "a column of \(what)") }
    if columns.isEmpty { report("\(what) names no column", at: node.start) }
    var seen: Set<String> = []
    for column in columns.compactMap(\.self) where !seen.insert(column.value).inserted {
      report("\(what) names this column twice", at: column.mark)
    }
    return columns.isEmpty || columns.contains { $0 == nil } ? nil : columns.compactMap(\.self)
  }

  mutating func state(_ node: Node) -> Config.State? {
    if case .scalar(let scalar) = node.content {
      if scalar.text == "none" { return .disabled }
      mismatch(node, "state must be none or { schema: NAME }", hint: suggestion(for: scalar.text, among: ["none"]))
      return nil
    }
    guard let fields = fields(node, of: "state", known: ["schema"]) else { return nil }
    guard let schema = required("schema", in: fields, of: "state") else { return nil }
    return text(schema, "state.schema").map { .schema($0) }
  }

  mutating func audit(_ node: Node) -> Located<String>? {
    guard let fields = fields(node, of: "audit", known: ["path"]),
      let path = required("path", in: fields, of: "audit").flatMap({ text($0, "audit.path") })
    else { return nil }
    if path.value == "-" {
      report("the audit log can't go to standard output", at: path.mark, hint: "name a file")
      return nil
    }
    return path
  }
}
