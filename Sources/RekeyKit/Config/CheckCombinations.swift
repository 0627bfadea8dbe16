import YAML

/// Parts that are right in themselves and don't go together. Each check looks only at the parts that could be read, so
/// that a mistake elsewhere doesn't put off what it finds.
extension ConfigReader {
  mutating func checkSink(_ output: Config.Output?, _ input: Config.Input?, at mark: Mark) {
    guard let input, let output else { return }
    switch (input, output) {
    case (.csv, .inPlace):
      report("sink: in_place is for a postgres source", at: mark, hint: "write sink: { csv: { path: FILE } }")
    case (.csv(let input), .csv(let path)): checkDiffers(path, from: input.path, "the sink is the source")
    case (.csv(let input), .postgres(let output)): checkKey(of: output, input)
    case (.postgres(let input), .csv):
      if input.tables.count > 1 {
        report("a csv sink takes one table, and 'tables' names \(input.tables.count)", at: mark)
      }
    case (.postgres, .postgres):
      report("a postgres source doesn't go to another table", at: mark, hint: "write sink: in_place")
    case (.postgres, .inPlace): break
    }
  }

  mutating func checkState(_ state: Config.State?, _ output: Config.Output?, at mark: Mark) {
    guard case .schema(let schema) = state, let output else { return }
    if case .inPlace = output {
      if schema.value.utf8.count > 63 { report("a schema's name has at most 63 bytes", at: schema.mark) }
    } else {
      report("'state' is kept for sink: in_place only", at: mark, hint: "remove it")
    }
  }

  mutating func checkAudit(_ audit: Located<String>?, _ input: Config.Input?, _ output: Config.Output?) {
    guard let audit else { return }
    if case .csv(let path) = output { checkDiffers(audit, from: path, "the audit log is the sink") }
    if case .csv(let input) = input { checkDiffers(audit, from: input.path, "the audit log is the source") }
  }

  mutating func checkStandardInput(_ keys: Config.Keys?, _ input: Config.Input?) {
    guard let keys, case .csv(let input) = input, input.path.value == "-" else { return }
    for key in [keys.current] + keys.previous where key.reference.value == .descriptor(0) {
      report("fd:0 is standard input, which the source reads", at: key.reference.mark, hint: "use another descriptor")
    }
  }

  /// Compares the texts; files that are the same under two names are found when they are opened.
  private mutating func checkDiffers(_ path: Located<String>, from other: Located<String>, _ message: String) {
    if path.value == other.value, path.value != "-" { report(message, at: path.mark, hint: "name another file") }
  }

  private mutating func checkKey(of output: Config.PostgresOutput, _ input: Config.CSVInput) {
    if !input.hasHeader {
      report(
        "a postgres sink finds its columns by the csv's header", at: output.table.mark,
        hint: "the source must have 'header: true'")
    }
    for column in input.columns {
      guard case .name(let name) = column.reference.value else {
        report("a postgres sink needs columns by name", at: column.reference.mark)
        continue
      }
      if output.key.contains(where: { $0.value == name }) {
        report("this column is also in sink.postgres.key", at: column.reference.mark, hint: "a row is found by it")
      }
    }
  }
}
