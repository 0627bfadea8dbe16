import Pipeline

/// Hands out batches that were read ahead, then what its source still has.
final class HeldSource: Source, @unchecked Sendable {  // used from its lane's reading queue alone
  private var held: [Batch]
  private let rest: any Source

  init(_ held: [Batch], then rest: any Source) {
    self.held = held.reversed()
    self.rest = rest
  }

  func read(into batch: Batch) throws -> Bool {
    guard let next = held.popLast() else { return try rest.read(into: batch) }
    swap(&batch.bytes, &next.bytes)
    swap(&batch.rows, &next.rows)
    swap(&batch.keys, &next.keys)
    swap(&batch.cells, &next.cells)
    batch.keyWidth = next.keyWidth
    batch.inputEnd = next.inputEnd
    return true
  }
}
