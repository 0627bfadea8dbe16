import CLibPQ

/// Stops the statement that a connection runs, from any thread.
package final class Canceller: @unchecked Sendable {  // libpq never changes a PGcancel, and PQcancel is thread-safe
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { PQfreeCancel(handle) }

  /// Asks the server to stop; the statement then fails with SQLSTATE 57014, unless it has ended before.
  package func cancel() {
    var reason = [CChar](repeating: 0, count: 256)
    _ = PQcancel(handle, &reason, Int32(reason.count))
  }
}
