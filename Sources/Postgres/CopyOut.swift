import CLibPQ

/// A running `COPY … TO STDOUT`: one message, and so one row, at a time.
///
/// It keeps its connection busy until `next` has returned false or `close` was called.
package final class CopyOut {
  private let connection: Connection
  private var isOpen = true
  private var message: UnsafeMutablePointer<CChar>?

  /// Sends the statements and waits for the COPY to begin.
  ///
  /// - Parameter sql: statements of which one is a `COPY … TO STDOUT`; those before it run first, those after it when
  ///   all its rows were read. As bytes, since keys in it are in the server's encoding.
  package init(_ connection: Connection, sql: [UInt8]) throws {
    self.connection = connection
    let sent = (sql + [0]).withUnsafeBytes { bytes in
      PQsendQuery(connection.handle, bytes.baseAddress!.assumingMemoryBound(to: CChar.self))
    }
    guard sent == 1 else { throw PostgresError(.connection, "the connection to \(connection.place) was lost") }
    while true {
      guard let handle = PQgetResult(connection.handle) else {
        throw PostgresError(.server, "no COPY was started")
      }
      let result = QueryResult(handle)
      if result.status == PGRES_COPY_OUT { return }
      if result.status != PGRES_COMMAND_OK && result.status != PGRES_TUPLES_OK {
        let error = PostgresError(result: result, isLost: connection.isLost)
        isOpen = false
        drain()
        connection.rollBack()
        throw error
      }
    }
  }

  deinit {
    if isOpen { close() }
    PQfreemem(message)
  }

  /// Calls `body` with the next message's bytes, which are gone when it returns; false at the end.
  package func next(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    guard isOpen else { return false }
    PQfreemem(message)
    message = nil
    let count = PQgetCopyData(connection.handle, &message, 0)
    if count > 0, let message {
      try body(UnsafeRawBufferPointer(start: message, count: Int(count)))
      return true
    }
    isOpen = false
    if let error = drain() {
      connection.rollBack()
      throw error
    }
    return false
  }

  /// Stops the COPY and rolls back.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    try? connection.canceller().cancel()
    while true {
      PQfreemem(message)
      message = nil
      if PQgetCopyData(connection.handle, &message, 0) <= 0 { break }
    }
    drain()
    connection.rollBack()
  }

  /// Reads the results up to the end; the first error among them.
  @discardableResult private func drain() -> PostgresError? {
    var failure: PostgresError?
    while let handle = PQgetResult(connection.handle) {
      let result = QueryResult(handle)
      if result.status == PGRES_COPY_OUT { break }  // a lost connection would give this for ever
      if result.status != PGRES_COMMAND_OK && result.status != PGRES_TUPLES_OK && failure == nil {
        failure = PostgresError(result: result, isLost: connection.isLost)
      }
    }
    return failure
  }
}

/// The fields of a row of `COPY … (FORMAT binary)`, in order (PostgreSQL, "COPY", "Binary Format").
package struct BinaryRow {
  private let bytes: UnsafeRawBufferPointer
  private var at: Int
  /// -1 at the end of the data.
  package let count: Int

  /// - Parameter message: a message of the COPY; before the first row stands a header.
  package init(_ message: UnsafeRawBufferPointer) {
    bytes = message
    at = 0
    // "PGCOPY\n\377\r\n\0", flags, and an extension of the length given. No row begins so: 0x5047 fields are too many.
    if message.count >= 19, message[0] == 0x50, message[1] == 0x47 {
      at = 19 + Int(UInt32(bigEndian: message.loadUnaligned(fromByteOffset: 15, as: UInt32.self)))
    }
    guard at + 2 <= message.count else {
      count = -1
      return
    }
    count = Int(Int16(bigEndian: message.loadUnaligned(fromByteOffset: at, as: Int16.self)))
    at += 2
  }

  /// The next field's bytes; nil for NULL.
  package mutating func next() -> UnsafeRawBufferPointer? {
    let length = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: Int32.self)))
    at += 4
    guard length >= 0 else { return nil }
    defer { at += length }
    return UnsafeRawBufferPointer(rebasing: bytes[at..<(at + length)])
  }
}
