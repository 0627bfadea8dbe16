import Dispatch
import Foundation

/// The batches of one lane: free ones for the source, transformed ones put back in order for the sink.
///
/// Free batches are the window: a source that runs ahead waits for one to come back.
final class Lane: @unchecked Sendable {  // `condition` guards every field but the queues, which are constant
  let readQueue: DispatchQueue
  let writeQueue: DispatchQueue
  private let condition = NSCondition()
  private var free: [Batch] = []
  private var transformed = ReorderBuffer<Batch>()
  /// How many batches the shard has, once the source has reached its end.
  private var total: Int?
  private var isCancelled = false

  init(number: Int, window: Int) {
    readQueue = DispatchQueue(label: "rekey.read.\(number)")
    writeQueue = DispatchQueue(label: "rekey.write.\(number)")
    free = (0..<window).map { _ in Batch() }
  }

  /// Starts a shard: sequence numbers from 0 again.
  func begin() {
    condition.lock()
    transformed = ReorderBuffer()
    total = nil
    condition.unlock()
  }

  /// Takes an empty batch, waiting for one; nil when the run is cancelled.
  func takeFree() -> Batch? {
    condition.lock()
    defer { condition.unlock() }
    while free.isEmpty && !isCancelled { condition.wait() }
    return isCancelled ? nil : free.removeLast()
  }

  /// Gives a batch back for its next use; a buffer that a huge row has blown up is not kept.
  func recycle(_ batch: Batch, keepingUpTo limit: Int) {
    batch.reset()
    if batch.bytes.capacity > limit { batch.bytes = [] }
    if batch.output.capacity > limit { batch.output = [] }
    condition.lock()
    free.append(batch)
    condition.broadcast()
    condition.unlock()
  }

  /// Says that the source has handed out `count` batches and is at its end.
  func close(count: Int) {
    condition.lock()
    total = count
    condition.broadcast()
    condition.unlock()
  }

  /// Takes a transformed batch back from a worker.
  func accept(_ batch: Batch) {
    condition.lock()
    transformed.insert(batch, at: batch.sequence)
    condition.broadcast()
    condition.unlock()
  }

  /// The next batch in order, waiting for it; nil at the end of the shard or when the run is cancelled.
  func nextInOrder() -> Batch? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if isCancelled { return nil }
      if let batch = transformed.popNext() { return batch }
      if transformed.next == total { return nil }
      condition.wait()
    }
  }

  /// Wakes whoever waits; the lane takes part in nothing more.
  func cancel() {
    condition.lock()
    isCancelled = true
    condition.broadcast()
    condition.unlock()
  }
}
