import Pipeline

/// What a sweep came to, for people.
struct Summary {
  let options: SweepOptions
  let usesColor: Bool

  func text(_ result: SweepResult) -> String {
    var lines: [String] = []
    for unit in result.units { lines.append(contentsOf: unitLines(unit, hasLog: result.auditLog != nil)) }
    lines.append(contentsOf: lateLines(result))
    if let error = result.error { lines.append(colored("error: \(error.message)", .red)) }
    return lines.joined(separator: "\n")
  }

  private func unitLines(_ unit: UnitResult, hasLog: Bool) -> [String] {
    var head = "\(unit.label): \(grouped(unit.tally.rows)) rows"
    if !unit.isComplete { head += unit.error == nil ? ", stopped before the end" : ", broken off" }
    var lines = [head, counts(unit)]
    if unit.failureCount > 0 {
      let verb = options.mode == .run ? "left as they are" : "failed"
      lines.append(colored("  \(grouped(unit.failureCount)) values \(verb):", .yellow))
      lines.append(failures(unit))
      if unit.failureCount > unit.failures.count {
        let log = hasLog ? "the audit log has them all" : "an audit log has them all (audit: { path: … })"
        lines.append("    … and \(grouped(unit.failureCount - unit.failures.count)) more; \(log)")
      }
    }
    for reason in unit.unseen { lines.append("  note: \(reason)") }
    if let error = unit.error { lines.append(colored("  error: \(error.message)", .red)) }
    return lines
  }

  /// A line a column, and a column for each outcome that came up.
  private func counts(_ unit: UnitResult) -> String {
    let total = unit.tally.total
    let outcomes = Outcome.allCases.filter { total[$0] > 0 }
    guard !outcomes.isEmpty else { return "  nothing to count" }
    var table = TextTable()
    table.add(["column"] + outcomes.map(\.rawValue) + (total.latePrevious > 0 ? ["late_previous"] : []))
    for (index, rule) in unit.columns.enumerated() {
      let column = unit.tally.columns.indices.contains(index) ? unit.tally.columns[index] : Tally.Column()
      table.add(
        [printable(rule.name)] + outcomes.map { grouped(column[$0]) }
          + (total.latePrevious > 0 ? [grouped(column.latePrevious)] : []))
    }
    return table.rendered(indent: "  ")
  }

  private func failures(_ unit: UnitResult) -> String {
    var table = TextTable()
    for failure in unit.failures {
      table.add([printable(failure.row), printable(failure.column), failure.outcome.rawValue, failure.reason])
    }
    return table.rendered(indent: "    ", leftColumns: 4)
  }

  private func lateLines(_ result: SweepResult) -> [String] {
    guard result.latePrevious > 0 else { return [] }
    return [
      colored(
        "\(grouped(result.latePrevious)) values were written under a previous key while this ran: a process still seals "
          + "with it. Restart the application's workers, then run again.", .yellow)
    ]
  }

  private enum Color: String {
    case red = "31"
    case yellow = "33"
  }

  private func colored(_ text: String, _ color: Color) -> String {
    usesColor ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
  }
}

/// A number with its thousands apart: `1,234,567`.
func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  var text = number < 0 ? "-" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0 && (digits.count - index) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return text
}
