import Foundation

/// Elements that any lane takes, each once.
final class ShardQueue<Element: Sendable>: @unchecked Sendable {  // `lock` guards `rest`
  private let lock = NSLock()
  private var rest: [Element]

  init(_ elements: [Element]) { rest = elements.reversed() }

  func next() -> Element? { lock.withLock { rest.popLast() } }
}
