import CSV
import Pipeline

/// Writes the rows of a `CSVSource` with their changed cells; everything else goes out byte for byte as it was read.
///
/// A changed cell is quoted as it was: a quoted one stays quoted, an unquoted one gets quotes only if its new value
/// needs them.
package final class CSVSink: Sink, @unchecked Sendable {  // used from its lane's writing queue alone
  private let output: OutputFile
  private let format: CSVFormat
  private let settled: @Sendable (Batch) throws -> Void
  /// What is to be written next; its capacity stays.
  private var pending: [UInt8] = []
  private static let pendingBytes = 256 << 10

  /// `header` is `CSVHeader.bytes`; `settled` is called for each batch before its bytes are written, when its outcomes
  /// are final.
  package init(
    output: OutputFile, header: [UInt8], format: CSVFormat, settled: @escaping @Sendable (Batch) throws -> Void
  ) {
    self.output = output
    self.format = format
    self.settled = settled
    pending = header
  }

  package func write(_ batch: Batch) throws {
    try settled(batch)
    // Runs of bytes that stay as they are, over rows where they lie side by side.
    var run = 0..<0
    var cell = 0
    for (index, row) in batch.rows.enumerated() {
      if row.raw.start == run.upperBound {
        run = run.lowerBound..<row.raw.end
      } else {
        try append(batch.bytes, run)
        run = row.raw.start..<row.raw.end
      }
      while cell < batch.cells.count, batch.cells[cell].row == index {
        if batch.isChanged(batch.cells[cell]) {
          let raw = batch.cells[cell].raw
          try append(batch.bytes, run.lowerBound..<raw.start)
          appendField(batch.cells[cell], of: batch)
          run = raw.end..<row.raw.end
        }
        cell += 1
      }
    }
    try append(batch.bytes, run)
  }

  package func finish() throws {
    try flush()
    try output.finish()
  }

  package func cancel() {
    pending.removeAll()
    output.cancel()
  }

  /// A long run is written from the batch itself.
  private func append(_ bytes: [UInt8], _ run: Range<Int>) throws {
    if run.count < Self.pendingBytes {
      pending.append(contentsOf: bytes[run])
      if pending.count >= Self.pendingBytes { try flush() }
    } else {
      try flush()
      try bytes.withUnsafeBytes { try output.write(UnsafeRawBufferPointer(rebasing: $0[run])) }
    }
  }

  private func appendField(_ cell: Cell, of batch: Batch) {
    let start = pending.count
    let raw = batch.bytes[cell.raw.start..<cell.raw.end]
    batch.splice(cell, into: &pending)
    format.encodeField(
      in: &pending, from: start, isQuoted: raw.first == format.quote, keepsQuotes: raw.contains(format.quote))
  }

  private func flush() throws {
    try pending.withUnsafeBytes { try output.write($0) }
    pending.removeAll(keepingCapacity: true)
  }
}
