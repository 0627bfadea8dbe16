import CSV
import Pipeline

/// A sweep over CSV records: those of a file, or those that PostgreSQL prints of a table.
///
/// What it was opened with stays open from the checks on, so that standard input is read once.
final class CSVUnit: SweepUnit, @unchecked Sendable {  // prepared on one thread, then its source and sink are lanes'
  /// Where the records go.
  enum End {
    case report
    case file(OutputFile)
    /// A sink made for each lane, which there is one of.
    case sink((Recorder, @escaping @Sendable () throws -> RekeyStage) throws -> any Sink)
  }

  let place: AuditScope.Place
  let columns: [ColumnRule]
  let size: UnitSize
  let lanes = 1
  let target: String?
  private let source: CSVSource
  private let format: CSVFormat
  private let end: End
  /// Conditions that leave rows out.
  private let filters: [String]
  /// What the preflight has read ahead.
  private var held: [Batch] = []
  private var isAtEnd = false

  init(
    place: AuditScope.Place, columns: [ColumnRule], size: UnitSize, source: CSVSource, format: CSVFormat, end: End,
    target: String?, filters: [String] = []
  ) {
    self.place = place
    self.columns = columns
    self.size = size
    self.source = source
    self.format = format
    self.end = end
    self.target = target
    self.filters = filters
  }

  var unseen: [String] {
    guard let first = source.firstRaggedRow else { return filters }
    return filters + ["\(source.raggedRows) ragged rows passed through unread, the first is row \(first)"]
  }

  /// Reads ahead until every column has shown enough payloads, or the first buffers are full.
  func sample(_ stage: RekeyStage) throws -> UnitSample {
    var sample = UnitSample(hasRows: false, hasMatches: false, columns: columns.map { _ in UnitSample.Column() })
    var bytes = 0
    while !isAtEnd, bytes < 8 << 20, !sample.columns.allSatisfy({ $0.payloads >= 1000 }) {
      let batch = Batch()
      guard try source.read(into: batch) else {
        isAtEnd = true
        break
      }
      bytes += batch.bytes.count
      held.append(batch)
      try stage.transform(batch)
      sample.add(batch)
    }
    sample.hasRows = !held.isEmpty
    sample.hasMatches = sample.hasRows
    sample.isAllRagged = sample.hasRows && held.allSatisfy(\.cells.isEmpty)
    return sample
  }

  func begin(
    _ recorder: Recorder, makeStage: @escaping @Sendable () throws -> RekeyStage
  ) throws -> @Sendable (Int) throws -> Pipeline.Shard? {
    let sink: any Sink
    switch end {
    case .report: sink = ReportingSink(settled: recorder.settle)
    case .file(let output):
      sink = CSVSink(output: output, header: source.header.bytes, format: format) { try recorder.settle($0) }
    case .sink(let make): sink = try make(recorder, makeStage)
    }
    let shards = ShardQueue([
      Pipeline.Shard(source: HeldSource(held, then: source), sink: CountingSink(sink, recorder: recorder))
    ])
    held = []
    return { _ in shards.next() }
  }
}
