import Foundation
import Pipeline

/// What has become of one table or file so far, over all of its lanes.
final class UnitTotals: @unchecked Sendable {  // `lock` guards every field that changes
  /// A failure that the summary shows.
  struct Failure: Sendable {
    var row: String
    var column: String
    var outcome: Outcome
    var reason: String
  }

  static let shownFailures = 10

  private let lock = NSLock()
  private var sum = Tally()
  private var first: [Failure] = []
  private let columns: [ColumnRule]

  init(columns: [ColumnRule]) { self.columns = columns }

  var tally: Tally { lock.withLock { sum } }
  var failures: [Failure] { lock.withLock { first } }

  /// The number of sites that count against `limits.failures_allowed`.
  var failureCount: Int { countFailures(in: tally) }

  func add(_ tally: Tally) { lock.withLock { sum.add(tally) } }

  /// Adds a batch that is written, and keeps its first failures for the summary.
  func add(_ batch: Batch, scope: AuditScope) {
    lock.withLock {
      sum.add(batch.tally)
      guard first.count < Self.shownFailures, countFailures(in: batch.tally) > 0 else { return }
      for (index, site) in batch.sites.enumerated() where isFailure(site.outcome, batch.cells[site.cell].column) {
        let cell = batch.cells[site.cell]
        first.append(
          Failure(
            row: scope.label(ofRow: cell.row, in: batch), column: columns[cell.column].name, outcome: site.outcome,
            reason: batch.notes[index] ?? site.reason?.description
              ?? (site.outcome == .plaintext ? "not payload-like, and the column says plaintext: fail" : "")))
        if first.count == Self.shownFailures { return }
      }
    }
  }

  private func countFailures(in tally: Tally) -> Int {
    tally.columns.enumerated().reduce(0) { count, column in
      count
        + Outcome.allCases.reduce(0) { $0 + (isFailure($1, column.offset) ? column.element[$1] : 0) }
    }
  }

  private func isFailure(_ outcome: Outcome, _ column: Int) -> Bool {
    outcome.isFailure || (outcome == .plaintext && columns[column].plaintext == .fail)
  }
}
