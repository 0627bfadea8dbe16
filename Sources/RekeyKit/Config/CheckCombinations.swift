import YAML

extension ConfigReader {
  /// Reports parts that are right in themselves and don't go together.
  mutating func checkCombinations(_ config: Config, _ root: Fields) {
    let sink = root["sink"]?.start ?? root.mark
    switch (config.input, config.output) {
    case (.csv, .inPlace):
      report("sink: in_place is for a postgres source", at: sink, hint: "write sink: { csv: { path: FILE } }")
    case (.csv(let input), .csv(let path)):
      checkDiffers(path, from: input.path, "the sink is the source")
    case (.csv(let input), .postgres(let output)): checkKey(of: output, input)
    case (.postgres(let input), .csv):
      if input.tables.count > 1 {
        report("a csv sink takes one table, and 'tables' names \(input.tables.count)", at: sink)
      }
    case (.postgres, .postgres):
      report("a postgres source doesn't go to another table", at: sink, hint: "write sink: in_place")
    case (.postgres, .inPlace): break
    }
    if case .schema(let schema) = config.state {
      if case .inPlace = config.output {
        if schema.value.utf8.count > 63 { report("a schema's name has at most 63 bytes", at: schema.mark) }
      } else {
        report("'state' is kept for sink: in_place only", at: root.keyMark("state"), hint: "remove it")
      }
    }
    if case .csv(let input) = config.input, input.path.value == "-" {
      for key in [config.keys.current] + config.keys.previous where key.reference.value == .descriptor(0) {
        report("fd:0 is standard input, which the source reads", at: key.reference.mark, hint: "use another descriptor")
      }
    }
    if let audit = config.audit {
      if case .csv(let path) = config.output { checkDiffers(audit, from: path, "the audit log is the sink") }
      if case .csv(let input) = config.input { checkDiffers(audit, from: input.path, "the audit log is the source") }
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
