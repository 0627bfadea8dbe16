/// What an audit can say of each previous key: only of what it read.
enum Verdict {
  static func lines(_ result: SweepResult) -> [String] {
    guard result.keys.count > 1 else { return [] }
    let reasons = unknowns(result)
    var lines = result.keys.dropFirst().enumerated().map { number, key in
      let name = "\(key.place) (\(key.fingerprint))"
      let count = result.opened(byPrevious: number)
      if count == 1 { return "1 value still needs \(name)" }
      if count > 0 { return "\(grouped(count)) values still need \(name)" }
      if !reasons.isEmpty { return "not known whether a value needs \(name): \(reasons.joined(separator: "; "))" }
      return "no value in these tables needs \(name)"
    }
    lines.append("This says nothing of other tables, cookies, queues, caches and backups.")
    return lines
  }

  private static func unknowns(_ result: SweepResult) -> [String] {
    var reasons = result.units.flatMap { unit in unit.unseen.map { "\(unit.label): \($0)" } }
    for unit in result.units where !unit.isComplete { reasons.append("\(unit.label) was not read to its end") }
    if result.error != nil { reasons.append("the audit broke off") }
    return reasons
  }
}
