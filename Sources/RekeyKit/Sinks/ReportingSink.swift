import Pipeline

/// Where a dry run's and an audit's batches end: settled, and written nowhere.
final class ReportingSink: Sink, @unchecked Sendable {  // used from its lane's writing queue alone
  private let settled: (Batch) throws -> Void

  init(settled: @escaping (Batch) throws -> Void) { self.settled = settled }

  func write(_ batch: Batch) throws { try settled(batch) }
  func finish() {}
  func cancel() {}
}
