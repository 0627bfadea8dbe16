/// Puts elements that arrive in any order back into the order of their sequence numbers.
package struct ReorderBuffer<Element> {
  private var waiting: [Int: Element] = [:]
  /// The sequence number that leaves next.
  package private(set) var next = 0

  package init() {}

  package var isEmpty: Bool { waiting.isEmpty }

  /// Adds an element under its sequence number, which must be new and not yet passed.
  package mutating func insert(_ element: Element, at sequence: Int) {
    precondition(sequence >= next && waiting[sequence] == nil, "a sequence number came twice")
    waiting[sequence] = element
  }

  /// Takes the element whose turn it is, if it is there.
  package mutating func popNext() -> Element? {
    guard let element = waiting.removeValue(forKey: next) else { return nil }
    next += 1
    return element
  }
}
