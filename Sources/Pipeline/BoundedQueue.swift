import Foundation

/// A queue between threads that blocks when it is full or empty.
///
/// Its users run on private serial queues, so that blocking starves nobody.
package final class BoundedQueue<Element: Sendable>: @unchecked Sendable {  // `condition` guards every field
  private let condition = NSCondition()
  private let capacity: Int
  private var elements: [Element] = []
  private var isClosed = false

  package init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
    elements.reserveCapacity(capacity)
  }

  /// Adds an element, waiting for room; false when the queue is closed.
  package func push(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while elements.count >= capacity && !isClosed { condition.wait() }
    guard !isClosed else { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Takes the oldest element, waiting for one; nil when the queue is closed and empty.
  package func pop() -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty && !isClosed { condition.wait() }
    guard !elements.isEmpty else { return nil }
    let element = elements.removeFirst()
    condition.broadcast()
    return element
  }

  /// Lets every waiting and later `push` fail, and `pop` hand out what is left.
  package func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }
}
