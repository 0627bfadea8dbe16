import Foundation

/// Bounds the bytes of all batches in flight, so that large values can't make memory grow.
final class ByteBudget: @unchecked Sendable {  // `condition` guards every field
  private let condition = NSCondition()
  private let limit: Int
  private var used = 0
  private var isClosed = false

  init(limit: Int) { self.limit = limit }

  /// Waits until less than the limit is in flight.
  ///
  /// What is read next isn't known before it is read, so that the limit can be passed by one batch for each lane.
  func waitForRoom() {
    condition.lock()
    while used >= limit && !isClosed { condition.wait() }
    condition.unlock()
  }

  func add(_ bytes: Int) {
    condition.lock()
    used += bytes
    condition.unlock()
  }

  func subtract(_ bytes: Int) {
    condition.lock()
    used -= bytes
    condition.broadcast()
    condition.unlock()
  }

  func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }
}
