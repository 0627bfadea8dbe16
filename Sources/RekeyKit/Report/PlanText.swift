import Pipeline
import Postgres

/// What a pipeline would do, as `rekey check` prints it.
struct PlanText {
  let pipeline: OpenPipeline
  /// What the preflight said.
  let notes: [String]
  /// For each unit, values that would not fit their column, by column; nil where that can't happen.
  let tooLong: [[Int]?]

  var text: String {
    let config = pipeline.config
    var lines = [
      KeysText.lines(pipeline), "operation: \(config.operation.rawValue)\(config.verify ? "" : ", not verified")",
    ]
    if let database = pipeline.database { lines.append("database: \(database.place), server role \(database.role)") }
    for (index, unit) in pipeline.units.enumerated() { lines += unitLines(unit, tooLong[index]) }
    lines.append("writes: \(target)")
    lines.append("audit log: \(config.audit?.value ?? "none; add audit: { path: … } to have one")")
    if let schema = pipeline.stateSchema { lines.append("state: schema \(schema), where a stopped run goes on") }
    lines += notes.map { "note: \($0)" }
    return lines.joined(separator: "\n")
  }

  private var target: String {
    switch pipeline.config.output {
    case .inPlace: "in place, into the same tables"
    case .csv(let path): path.value == "-" ? "standard output" : path.value
    case .postgres(let output): "table \(output.table.value), by key"
    }
  }

  private func unitLines(_ unit: any SweepUnit, _ tooLong: [Int]?) -> [String] {
    var lines = ["\(unit.label): \(size(unit))"]
    var table = TextTable()
    for (index, rule) in unit.columns.enumerated() {
      let type = (unit as? TableUnit)?.table.columns[index].type ?? ""
      table.add([printable(rule.name), type, rule.plaintext == .leave ? "" : "plaintext: \(rule.plaintext.rawValue)"])
    }
    lines.append(table.rendered(indent: "  ", leftColumns: 3))
    lines += unit.unseen.map { "  note: \($0)" }
    guard let unit = unit as? TableUnit else { return lines }
    lines.append("  key: \(unit.table.table.key.map(\.name).joined(separator: ", "))\(origin(unit.table.table))")
    for (index, count) in (tooLong ?? []).enumerated() where count > 0 {
      let column = unit.table.columns[index]
      lines.append(
        "  \(column.name) \(column.type) is too short for \(grouped(count)) of the new payloads; first run: ALTER TABLE "
          + "\(unit.table.table.sql) ALTER COLUMN \(quoteIdentifier(column.name)) TYPE text;")
    }
    lines.append("  a copy first: \(copyCommand(unit.table.table))")
    return lines
  }

  private func origin(_ table: Table) -> String {
    switch table.keyOrigin {
    case .primaryKey: ""
    case .uniqueIndex(let name): " (unique index \(name): there is no primary key)"
    }
  }

  private func size(_ unit: any SweepUnit) -> String {
    switch unit.size {
    case .rows(let count): "about \(grouped(count)) rows, by the planner's estimate"
    case .bytes(let count): "\(grouped(count)) bytes"
    case .unknown: "size unknown"
    }
  }

  private func copyCommand(_ table: Table) -> String {
    // pg_dump takes patterns, which know quotes but none of SQL's other ways to write a name.
    let name = [table.schema, table.name].map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ".")
    let pattern = name.replacing("'", with: "'\\''")
    let database = pipeline.database?.name ?? ""
    return "pg_dump -Fc -t '\(pattern)' -f '\(fileName(table.description)).dump' -d '\(fileName(database))'"
  }

  /// Safe between single quotes.
  private func fileName(_ text: String) -> String {
    String(text.map { $0 == "'" || $0 == "/" ? "_" : $0 })
  }
}
