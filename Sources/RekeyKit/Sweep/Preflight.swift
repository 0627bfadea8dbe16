import Pipeline

/// What a sample says of the keys and columns, before anything is written.
struct Preflight: Equatable, Sendable {
  /// Each ends the run with exit 6.
  var errors: [String] = []
  var notes: [String] = []

  init() {}

  /// Judges one table's or file's sample.
  init(_ sample: UnitSample, unit: String, columns: [ColumnRule], operation: Config.Operation) {
    guard sample.hasRows else {
      notes.append("\(unit) is empty: there is nothing to do")
      return
    }
    guard sample.hasMatches else {
      errors.append("\(unit) has rows, but `where` matches none of them: check the condition")
      return
    }
    guard !sample.isAllRagged else {
      errors.append(
        "\(unit): every row looked at is ragged, so no value can be read: check the delimiter and the header")
      return
    }
    for (column, rule) in zip(sample.columns, columns) {
      judge(
        column, "\(unit), column \(printable(rule.name))", seals: operation == .encrypt || rule.plaintext == .encrypt)
    }
  }

  private mutating func judge(_ column: UnitSample.Column, _ place: String, seals: Bool) {
    if column.payloads == 0 && !seals {
      let found = column.isAnyFilled ? "holds values, but no payload" : "holds nothing but NULL and empty values"
      errors.append("\(place): \(found): is this the right column? leave it out of the pipeline if it isn't")
    } else if column.payloads > 0 && column.opened == 0 && !seals {
      let worst = Outcome.allCases.filter(\.isFailure).max { column.counts[$0] < column.counts[$1] } ?? .macInvalid
      errors.append(
        "\(place): no key opens any of \(column.payloads) sampled payloads (\(worst.rawValue): "
          + "\(column.counts[worst])): check keys.current, keys.previous and cipher against the application's")
    }
  }

  /// What the samples of all tables together say of the keys' order.
  static func keyNotes(
    _ samples: [UnitSample], previousKeys: Int, hasProof: Bool, operation: Config.Operation
  ) -> [String] {
    let columns = samples.flatMap(\.columns)
    let current = columns.reduce(0) { $0 + $1.counts[.current] }
    let previous = columns.reduce(0) { $0 + $1.counts[.previous] }
    guard current + previous > 0, operation == .rekey else { return [] }
    var notes: [String] = []
    if previous == 0 && previousKeys > 0 {
      notes.append(
        "no sampled value needs a previous key: either this is done already, or current and previous are swapped")
    }
    if current == 0 && !hasProof {
      notes.append(
        "no sampled value is under the current key, so nothing shows yet that the application uses it; "
          + "keys.proof, a payload that the application sealed, would")
    }
    return notes
  }
}
