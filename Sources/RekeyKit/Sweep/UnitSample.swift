import Pipeline

/// What was found in some values of each column.
struct UnitSample: Equatable, Sendable {
  struct Column: Equatable, Sendable {
    /// Of the values looked at.
    var counts = Tally.Column()
    /// Whether any value is neither NULL nor empty.
    var isAnyFilled = false

    /// Values that are, or were meant to be, payloads.
    var payloads: Int { opened + failed }
    var opened: Int { counts[.current] + counts[.previous] }
    var failed: Int {
      Outcome.allCases.reduce(0) { $0 + ($1.isFailure ? counts[$1] : 0) }
    }
  }

  var hasRows: Bool
  /// Whether any row matches `where`.
  var hasMatches: Bool
  /// By the index in the pipeline's list of columns.
  var columns: [Column]
  /// Whether all rows that were looked at are ragged, so that no value could be read.
  var isAllRagged = false

  /// Adds the values of a batch that a classifying stage has been over.
  mutating func add(_ batch: Batch) {
    for site in batch.sites {
      let column = batch.cells[site.cell].column
      columns[column].counts[site.outcome] += 1
      if site.openedBy >= 0 { columns[column].counts.addOpened(by: site.openedBy) }
      if site.outcome != .empty { columns[column].isAnyFilled = true }
    }
  }
}
