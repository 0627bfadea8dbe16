import Pipeline

/// Accounts for the batches of one table or file: counts, audit lines, and when to stop for failures.
struct Recorder: Sendable {
  var scope: AuditScope
  /// Nil without `audit:` in the pipeline.
  var log: AuditLog?
  var totals: UnitTotals
  /// Whether a batch's lines must be on disk before the batch is written.
  var syncsEachBatch: Bool
  var stopAfterFailures: Int?
  var stop: StopFlag

  /// Counts the batch's final outcomes and appends its audit lines.
  ///
  /// Called again for a transaction that had to be redone: it starts from `latePrevious`, which the sink has counted.
  func settle(_ batch: Batch) throws {
    var tally = Tally()
    tally.rows = batch.rows.count
    tally.columns = scope.columns.map { _ in Tally.Column() }
    for (index, column) in batch.tally.columns.enumerated() { tally.columns[index].latePrevious = column.latePrevious }
    for site in batch.sites { tally.count(site, column: batch.cells[site.cell].column) }
    batch.tally = tally
    guard let log else { return }
    try log.append(scope.lines(of: batch))
    if syncsEachBatch { try log.sync() }
  }

  /// Adds a batch that was written to the totals.
  func written(_ batch: Batch) {
    totals.add(batch, scope: scope)
    if let limit = stopAfterFailures, totals.failureCount >= limit { stop.request() }
  }
}
