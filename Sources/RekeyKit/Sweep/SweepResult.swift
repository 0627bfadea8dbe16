import Pipeline

/// What became of one table or file.
struct UnitResult: Sendable {
  var label: String
  var place: AuditScope.Place
  var columns: [ColumnRule]
  var tally: Tally
  var failures: [UnitTotals.Failure]
  var failureCount: Int
  /// Whether all of it was swept.
  var isComplete: Bool
  var error: RekeyError?
  var unseen: [String]
  var target: String?
}

/// What became of one pipeline.
struct SweepResult: Sendable {
  var name: String
  var file: String
  var run: String
  var isResumed = false
  /// Each key's place and fingerprint, the current one first.
  var keys: [(place: String, fingerprint: String)]
  var failuresAllowed: Int
  var stopAfterFailures: Int?
  /// The CSV file that the pipeline writes, unless that is standard output.
  var outputFile: String?
  var operation = Config.Operation.rekey
  var auditLog: String?
  var writesStandardOutput = false
  /// Whether a CSV file updates a table.
  var readsFileForTable = false
  /// Whether what is written stays written after a stop.
  var writesInPlace = false
  /// Whether the look at some values found that the keys or columns don't fit; an audit reads on then.
  var doesNotFit = false
  var units: [UnitResult] = []
  /// What ended the pipeline before or outside its tables.
  var error: RekeyError?
  var seconds = 0.0

  var failureCount: Int { units.reduce(0) { $0 + $1.failureCount } }
  var isComplete: Bool { error == nil && units.allSatisfy { $0.isComplete && $0.error == nil } }
  /// Whether it was `limits.stop_after_failures` that stopped it.
  var isStoppedForFailures: Bool {
    guard let limit = stopAfterFailures else { return false }
    return units.contains { $0.failureCount >= limit }
  }
  var latePrevious: Int { units.reduce(0) { $0 + $1.tally.total.latePrevious } }

  /// Values that a previous key still opens, by its number from 0.
  func opened(byPrevious number: Int) -> Int {
    units.reduce(0) { sum, unit in
      let opened = unit.tally.total.openedBy
      return sum + (opened.indices.contains(number + 1) ? opened[number + 1] : 0)
    }
  }
}
