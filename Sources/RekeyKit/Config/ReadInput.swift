import YAML

extension ConfigReader {
  /// The source with the columns or tables that stand beside it.
  mutating func input(_ root: Fields) -> Config.Input? {
    guard let node = required("source", in: root, of: "the pipeline") else { return nil }
    guard let (kind, value) = oneOf(["csv", "postgres"], node, "source") else { return nil }
    if kind == "csv" {
      if root["tables"] != nil {
        report(
          "'tables' is for a postgres source", at: root.keyMark("tables"),
          hint: "a csv source has its 'columns' at the top level")
      }
      return csvInput(value, root).map { .csv($0) }
    }
    if root["columns"] != nil {
      report(
        "'columns' at the top level is for a csv source", at: root.keyMark("columns"),
        hint: "put it below its table in 'tables'")
    }
    let url = fields(value, of: "source.postgres", known: ["url"]).flatMap { fields in
      required("url", in: fields, of: "source.postgres").flatMap { text($0, "source.postgres.url") }
    }
    let tables = required("tables", in: root, of: "a postgres source").flatMap { self.tables($0) }
    guard let url, let tables else { return nil }
    return .postgres(Config.PostgresInput(url: url, tables: tables))
  }

  private mutating func csvInput(_ node: Node, _ root: Fields) -> Config.CSVInput? {
    let what = "source.csv"
    let fields = fields(node, of: what, known: ["path", "delimiter", "quote", "header", "ragged"])
    let hasHeader = fields?["header"].map { bool($0, "\(what).header") } ?? true
    let columnsNode = required("columns", in: root, of: "a csv source")
    let columns = columnsNode.flatMap { self.columns($0, "columns", of: .csv(hasHeader: hasHeader ?? true)) }
    guard let fields else { return nil }
    let path = required("path", in: fields, of: what).flatMap { text($0, "\(what).path") }
    let quote = fields["quote"].map { character($0, "\(what).quote") } ?? UInt8(ascii: "\"")
    let delimiter = fields["delimiter"].map { character($0, "\(what).delimiter") } ?? UInt8(ascii: ",")
    let ragged: Config.Ragged? = fields["ragged"].map { choice($0, "\(what).ragged") } ?? .error
    if let quote, quote == delimiter {
      report("delimiter and quote are the same character", at: (fields["delimiter"] ?? node).start)
      return nil
    }
    guard let path, let delimiter, let quote, let hasHeader, let ragged, let columns else { return nil }
    return Config.CSVInput(
      path: path, delimiter: delimiter, quote: quote, hasHeader: hasHeader, ragged: ragged, columns: columns)
  }

  /// One ASCII character that isn't a line end, or the word `tab`.
  private mutating func character(_ node: Node, _ what: String) -> UInt8? {
    guard let text = anyText(node, what) else { return nil }
    if text.value == "tab" { return UInt8(ascii: "\t") }
    let bytes = Array(text.value.utf8)
    if bytes.count == 1, bytes[0] == 0x09 || (0x20...0x7E).contains(bytes[0]) { return bytes[0] }
    mismatch(node, "\(what) must be one ASCII character, or tab")
    return nil
  }

  mutating func tables(_ node: Node) -> [Config.Table]? {
    guard let pairs = mapping(node, "tables") else { return nil }
    if pairs.isEmpty { report("'tables' names no table", at: node.start) }
    let tables = pairs.map { table($0) }
    var seen: [TableName: Mark] = [:]
    for name in tables.compactMap({ $0?.name }) {
      if let first = seen[name.value] {
        report("'tables' names this table twice", at: name.mark, hint: "the first is on line \(first.line)")
      } else {
        seen[name.value] = name.mark
      }
    }
    return tables.isEmpty || tables.contains { $0 == nil } ? nil : tables.compactMap(\.self)
  }

  private mutating func table(_ pair: Pair) -> Config.Table? {
    let name = substituted(pair.key.scalar, at: pair.key.start).flatMap { tableName($0) }
    guard let fields = fields(pair.value, of: "a table", known: ["columns", "where"]) else { return nil }
    let columns = required("columns", in: fields, of: "a table").flatMap { self.columns($0, "columns", of: .table) }
    let filter = optional(fields["where"]) { text($0, "where") }
    guard let name, let columns, let filter else { return nil }
    return Config.Table(name: name, columns: columns, filter: filter)
  }

  mutating func tableName(_ text: Located<String>) -> Located<TableName>? {
    guard let name = TableName(parsing: text.value) else {
      report(
        "a table is named as table or schema.table", at: text.mark,
        hint: "a part with a dot goes in double quotes, as in '\"a.b\".\"c\"'")
      return nil
    }
    return Located(name, at: text.mark, isSubstituted: text.isSubstituted)
  }

  /// The one entry of a mapping that names a kind.
  mutating func oneOf(_ kinds: [String], _ node: Node, _ what: String) -> (kind: String, value: Node)? {
    let names = kinds.joined(separator: " or ")
    guard case .mapping = node.content else {
      mismatch(node, "\(what) must be a mapping with \(names)")
      return nil
    }
    guard let fields = fields(node, of: what, known: kinds) else { return nil }
    let found = kinds.filter { fields[$0] != nil }
    guard let kind = found.first, let value = fields[kind], found.count == 1 else {
      report(found.isEmpty ? "\(what) must be \(names)" : "\(what) must be only one of \(names)", at: node.start)
      return nil
    }
    return (kind, value)
  }
}
