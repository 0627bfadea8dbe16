import Foundation
import LaravelEncryption
import Pipeline
import Postgres

/// A sweep over a table: in place, or read only for a dry run or an audit.
final class TableUnit: SweepUnit, @unchecked Sendable {  // all constant but `state`, which is set before lanes start
  /// Where a run's checkpoints are, shared by all tables of the pipeline.
  struct State: Sendable {
    var leases: ShardLeases
    var run: Run
  }

  let table: PostgresTable
  let columns: [ColumnRule]
  let lanes: Int
  let target: String?
  /// Set for a run in place with checkpoints.
  var state: State?
  private let connections: LaneConnections
  private let limits: PostgresSource.Limits
  private let isInPlace: Bool

  init(
    _ table: PostgresTable, columns: [ColumnRule], connections: LaneConnections, limits: Config.Limits, isInPlace: Bool
  ) {
    self.table = table
    self.columns = columns
    self.connections = connections
    self.limits = PostgresSource.Limits(rows: limits.batchRows, bytes: limits.batchBytes)
    self.isInPlace = isInPlace
    lanes = limits.lanes
    target = isInPlace ? table.table.description : nil
  }

  var place: AuditScope.Place { .table(table.table.description, key: table.table.key.map(\.name)) }
  var size: UnitSize { table.table.estimatedRows.map { .rows($0) } ?? .unknown }
  var unseen: [String] { table.predicate == nil ? [] : ["`where` leaves rows out"] }

  func sample(_ stage: RekeyStage) throws -> UnitSample {
    let found = try table.sample(
      connections.reader(0), patterns: table.columns.map { _ in PostgresTable.payloadPattern })
    var sample = UnitSample(
      hasRows: found.hasRows, hasMatches: found.hasMatches, columns: columns.map { _ in UnitSample.Column() })
    for (index, column) in found.columns.enumerated() {
      try stage.transform(column.values)
      sample.add(column.values)
      sample.columns[index].isAnyFilled = column.isAnyFilled
    }
    return sample
  }

  /// More shards than lanes, so that one of slow rows doesn't leave the other lanes idle.
  func cutShards() throws -> [KeyRange] {
    let rows = table.table.estimatedRows ?? 0
    return try table.cutShards(connections.reader(0), count: min(64, max(lanes, rows / 100_000)))
  }

  func begin(
    _ recorder: Recorder, makeStage: @escaping @Sendable () throws -> RekeyStage
  ) throws -> @Sendable (Int) throws -> Pipeline.Shard? {
    if let state { return { lane in try self.leasedShard(state, lane, recorder, makeStage) } }
    let ranges = ShardQueue(try cutShards())
    return { lane in
      guard let range = ranges.next() else { return nil }
      let sink: any Sink =
        self.isInPlace
        ? try self.updates(lane, checkpoint: nil, recorder, makeStage) : ReportingSink(settled: recorder.settle)
      return try self.shard(lane, range, sink, recorder)
    }
  }

  private func leasedShard(
    _ state: State, _ lane: Int, _ recorder: Recorder, _ makeStage: @Sendable () throws -> RekeyStage
  ) throws -> Pipeline.Shard? {
    guard let (shard, checkpoint) = try state.leases.next(of: table.table.description, state.run) else { return nil }
    let sink = try updates(lane, checkpoint: checkpoint, recorder, makeStage)
    return try self.shard(lane, shard.range, sink, recorder)
  }

  private func updates(
    _ lane: Int, checkpoint: ShardCheckpoint?, _ recorder: Recorder, _ makeStage: () throws -> RekeyStage
  ) throws -> PostgresSink {
    PostgresSink(
      try connections.writer(lane), table: table, checkpoint: checkpoint, stage: try makeStage(),
      settled: recorder.settle)
  }

  private func shard(_ lane: Int, _ range: KeyRange, _ sink: any Sink, _ recorder: Recorder) throws -> Pipeline.Shard {
    let source = PostgresSource(
      try connections.reader(lane), table: table, range: range, mode: isInPlace ? .pages : .snapshot, limits: limits)
    return Pipeline.Shard(source: source, sink: CountingSink(sink, recorder: recorder))
  }
}

/// Leases shards for all lanes over one connection.
final class ShardLeases: @unchecked Sendable {  // `lock` keeps the state's connection to one lane at a time
  private let lock = NSLock()
  private let state: RunState

  init(_ state: RunState) { self.state = state }

  func next(of table: String, _ run: Run) throws -> (LeasedShard, ShardCheckpoint)? {
    try lock.withLock {
      guard let shard = try state.leaseShard(run, table: table) else { return nil }
      return (shard, ShardCheckpoint(state, shard))
    }
  }
}
