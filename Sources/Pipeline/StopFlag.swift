import Synchronization

/// A request to stop cleanly: sources read no further, batches in flight are written.
package final class StopFlag: Sendable {
  private let requested = Atomic<Bool>(false)

  package init() {}

  package var isRequested: Bool { requested.load(ordering: .acquiring) }

  package func request() { requested.store(true, ordering: .releasing) }
}
