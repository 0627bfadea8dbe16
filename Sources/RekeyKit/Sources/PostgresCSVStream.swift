import Postgres

/// A table as the CSV that `COPY … (FORMAT csv, HEADER)` prints: all columns in table order.
package final class PostgresCSVStream: @unchecked Sendable {  // used from its lane's reading queue alone
  private let copy: CopyOut
  private let place: String
  private var pending: [UInt8] = []
  private var at = 0

  package init(_ connection: Connection, table: PostgresTable) throws {
    place = table.table.description
    let names = table.table.columns.map(table.qualified).joined(separator: ",")
    var sql = Array("\(beginStatements(.snapshot))COPY (SELECT \(names) FROM \(table.table.onlySQL)".utf8)
    table.appendCondition(KeyRange(), to: &sql)
    sql.append(contentsOf: " ORDER BY \(table.keyList)) TO STDOUT (FORMAT csv, HEADER);COMMIT".utf8)
    do {
      copy = try CopyOut(connection, sql: sql)
    } catch let error as PostgresError {
      throw RekeyError(error, while: "reading \(table.table.description)")
    }
  }

  /// Fills the buffer as far as it goes; the number of bytes, 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if at == pending.count { try refill() }
    let count = min(buffer.count, pending.count - at)
    pending.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[at..<(at + count)]))
    }
    at += count
    return count
  }

  private func refill() throws {
    pending.removeAll(keepingCapacity: true)
    at = 0
    do {
      while pending.count < 1 << 16, try copy.next({ message in pending.append(contentsOf: message) }) {}
    } catch let error as PostgresError {
      throw RekeyError(error, while: "reading \(place)")
    }
  }
}
