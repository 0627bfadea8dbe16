import CLibPQ

/// A statement's whole result, in PostgreSQL's binary form.
package final class QueryResult {
  private let handle: OpaquePointer?

  init(_ handle: OpaquePointer?) { self.handle = handle }

  deinit { PQclear(handle) }

  var status: ExecStatusType { PQresultStatus(handle) }

  package var rows: Int { Int(PQntuples(handle)) }

  /// The number of rows that an INSERT, UPDATE or DELETE changed.
  package var affected: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

  /// A field of an error report, by libpq's one-letter code.
  func field(_ code: Unicode.Scalar) -> String? {
    PQresultErrorField(handle, Int32(code.value)).map { String(cString: $0) }
  }

  package func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) != 0 }

  /// Calls `body` with the value's bytes; nil for NULL.
  package func withBytes<R>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    guard !isNull(row, column), let value = PQgetvalue(handle, Int32(row), Int32(column)) else { return try body(nil) }
    let length = Int(PQgetlength(handle, Int32(row), Int32(column)))
    return try body(UnsafeRawBufferPointer(start: value, count: length))
  }

  /// A text value.
  package func string(_ row: Int, _ column: Int) -> String? {
    withBytes(row, column) { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// A smallint, integer or bigint value.
  package func int(_ row: Int, _ column: Int) -> Int? {
    withBytes(row, column) { bytes in
      guard let bytes, let first = bytes.first else { return nil }
      var value = Int(Int8(bitPattern: first))
      for byte in bytes.dropFirst() { value = value << 8 | Int(byte) }
      return value
    }
  }

  /// A boolean value; false for NULL.
  package func bool(_ row: Int, _ column: Int) -> Bool {
    withBytes(row, column) { $0?.first == 1 }
  }

  /// A one-dimensional text[] value, as bytes in the client encoding; nil for NULL.
  package func textArray(_ row: Int, _ column: Int) -> [[UInt8]]? {
    withBytes(row, column) { bytes in
      guard let bytes else { return nil }
      // Dimensions, flags, element type, then size and lower bound of each dimension (array_send in PostgreSQL).
      guard bytes.count >= 20 else { return [] }
      var elements: [[UInt8]] = []
      var at = 20
      while at + 4 <= bytes.count {
        let length = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: Int32.self)))
        at += 4
        guard length >= 0 else {
          elements.append([])
          continue
        }
        elements.append([UInt8](bytes[at..<(at + length)]))
        at += length
      }
      return elements
    }
  }
}
