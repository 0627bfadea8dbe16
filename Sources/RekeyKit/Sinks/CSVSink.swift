import CSV
import Pipeline

/// Writes the rows of a `CSVSource` with their changed cells; everything else goes out byte for byte as it was read.
///
/// A changed cell is quoted as it was: a quoted one stays quoted, an unquoted one gets quotes only if its new value
/// needs them. A row's cells have to come in the order of their fields.
package final class CSVSink: Sink, @unchecked Sendable {  // used from its lane's writing queue alone
  private let format: CSVFormat
  private let settled: @Sendable (Batch) throws -> Void
  private var output: BufferedOutput

  /// `header` is `CSVHeader.bytes`; `settled` is called for each batch before its bytes are written, when its outcomes
  /// are final.
  package init(
    output: OutputFile, header: [UInt8], format: CSVFormat, settled: @escaping @Sendable (Batch) throws -> Void
  ) {
    self.output = BufferedOutput(file: output, pending: header)
    self.format = format
    self.settled = settled
  }

  package func write(_ batch: Batch) throws {
    try settled(batch)
    try write(batch, to: &output)
  }

  package func finish() throws {
    try output.flush()
    try output.file.finish()
  }

  package func cancel() {
    output.file.cancel()
  }

  private func write(_ batch: Batch, to output: inout BufferedOutput) throws {
    let bytes = batch.bytes
    let cells = batch.cells
    // A run of bytes that stay as they are; it goes on over rows that lie side by side.
    var run = 0..<0
    var next = 0
    for (index, row) in batch.rows.enumerated() {
      if row.raw.start != run.upperBound {
        try output.append(bytes, run)
        run = row.raw.start..<row.raw.start
      }
      while next < cells.count, cells[next].row == index {
        let cell = cells[next]
        next += 1
        guard batch.isChanged(cell) else { continue }
        try output.append(bytes, run.lowerBound..<cell.raw.start)
        let start = output.pending.count
        batch.splice(cell, into: &output.pending)
        let old = bytes[cell.raw.start..<cell.raw.end]
        format.encodeField(
          in: &output.pending, from: start, isQuoted: old.first == format.quote, keepsQuotes: old.contains(format.quote)
        )
        run = cell.raw.end..<cell.raw.end
      }
      run = run.lowerBound..<row.raw.end
    }
    try output.append(bytes, run)
  }
}

/// Gathers small pieces into large writes.
private struct BufferedOutput {
  let file: OutputFile
  /// What is to be written next; its capacity stays.
  var pending: [UInt8]
  private static let limit = 256 << 10

  /// A long run is written from where it lies.
  mutating func append(_ bytes: [UInt8], _ run: Range<Int>) throws {
    if run.count < Self.limit {
      pending.append(contentsOf: bytes[run])
      if pending.count >= Self.limit { try flush() }
    } else {
      try flush()
      try bytes.withUnsafeBytes { try file.write(UnsafeRawBufferPointer(rebasing: $0[run])) }
    }
  }

  mutating func flush() throws {
    try pending.withUnsafeBytes { try file.write($0) }
    pending.removeAll(keepingCapacity: true)
  }
}
