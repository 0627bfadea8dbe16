import Synchronization

/// What has been written so far; counted by the lanes, read by whoever shows it.
package final class RunProgress: Sendable {
  private let rowCount = Atomic<Int>(0)
  private let inputEnd = Atomic<Int>(0)

  package init() {}

  package var rows: Int { rowCount.load(ordering: .relaxed) }
  /// The bytes of an input file behind the rows; 0 where there is no file.
  package var bytes: Int { inputEnd.load(ordering: .relaxed) }

  package func add(rows: Int, inputEnd end: Int) {
    rowCount.add(rows, ordering: .relaxed)
    inputEnd.max(end, ordering: .relaxed)
  }
}
