import Pipeline

/// How much there is to sweep, as far as it is known beforehand.
enum UnitSize: Equatable, Sendable {
  /// The planner's estimate.
  case rows(Int)
  case bytes(Int)
  case unknown
}

/// One table or file that a pipeline sweeps: it is opened and checked, then sampled, then run.
protocol SweepUnit: AnyObject, Sendable {
  var place: AuditScope.Place { get }
  var columns: [ColumnRule] { get }
  var size: UnitSize { get }
  /// Shards that are worked on at once.
  var lanes: Int { get }
  /// Where the written rows lie, for people: `out/users.csv`.
  var target: String? { get }
  /// What the sweep doesn't see and can say nothing of: `where`, ragged rows.
  var unseen: [String] { get }

  /// Classifies some values of each column, before anything is written.
  func sample(_ stage: RekeyStage) throws -> UnitSample
  /// Begins the sweep; the closure gives each lane its next shard, nil when there are no more.
  func begin(
    _ recorder: Recorder, makeStage: @escaping @Sendable () throws -> RekeyStage
  ) throws -> @Sendable (Int) throws -> Pipeline.Shard?
}

extension SweepUnit {
  /// As messages name it.
  var label: String {
    switch place {
    case .table(let name, _): name
    case .file(let path): path
    }
  }
}
