import CLibPQ

/// One connection to a server, used from one queue at a time: its lane's.
///
/// Every libpq setting works, through the URL (or a `key=value` string), the environment and the files that libpq
/// reads (`PGPASSFILE`, `PGSERVICEFILE`, `PGSSLROOTCERT`…). Nothing is sent in `options` and nothing is set on the
/// session, so that it works through PgBouncer in transaction mode.
package final class Connection: @unchecked Sendable {  // its owner calls it from one queue at a time
  let handle: OpaquePointer
  /// What tells the server apart in messages: host, port, database and user; never the password.
  package let place: String

  /// Connects.
  ///
  /// - Parameter url: `postgresql://user@host/database?sslmode=verify-full`, or `host=… dbname=…`; empty for what the
  ///   environment says (PostgreSQL, "Connection Strings").
  /// - Throws: a `PostgresError` with libpq's reason, the password taken out.
  package init(url: String) throws {
    let settings = try ConnectionSettings(url: url)
    let keywords = ["dbname", "fallback_application_name"]
    let values = [url, "rekey"]
    let connected = withCStrings(keywords) { keywords in
      withCStrings(values) { values in PQconnectdbParams(keywords, values, 1) }
    }
    guard let connected else { throw PostgresError(.connection, "out of memory while connecting") }
    handle = connected
    place = settings.place(of: connected)
    guard PQstatus(connected) == CONNECTION_OK else {
      throw PostgresError(
        .connection, "could not connect to \(place): \(settings.reason(of: connected))")
    }
    PQsetNoticeProcessor(connected, { _, _ in }, nil)  // a notice can hold values
  }

  deinit { PQfinish(handle) }

  /// Whether the connection is lost, as far as libpq knows.
  package var isLost: Bool { PQstatus(handle) == CONNECTION_BAD }

  /// The server's version as a number: 150018 for 15.18.
  package var serverVersion: Int { Int(PQserverVersion(handle)) }

  /// Connects again with the same settings.
  package func reconnect() throws {
    PQreset(handle)
    guard !isLost else {
      throw PostgresError(.connection, "could not connect again to \(place)")
    }
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
  }

  /// Runs one or several statements without parameters, in one round trip.
  package func execute(_ sql: String) throws {
    let result = QueryResult(PQexec(handle, sql))
    try check(result, PGRES_COMMAND_OK, PGRES_TUPLES_OK)
  }

  /// Runs one unnamed statement; the result is whole and in binary form.
  package func query(_ sql: String, _ parameters: Parameters = Parameters()) throws -> QueryResult {
    let result = parameters.withPointers { count, types, values, lengths, formats in
      QueryResult(PQexecParams(handle, sql, count, types, values, lengths, formats, 1))
    }
    try check(result, PGRES_COMMAND_OK, PGRES_TUPLES_OK)
    return result
  }

  /// Rolls back what is open, if the connection still stands; never throws, for use after an error.
  package func rollBack() {
    guard !isLost, PQtransactionStatus(handle) != PQTRANS_IDLE else { return }
    PQclear(PQexec(handle, "ROLLBACK"))
  }

  /// What another thread needs to stop the running statement.
  package func canceller() throws -> Canceller {
    guard let cancel = PQgetCancel(handle) else {
      throw PostgresError(.connection, "no connection to \(place) to cancel")
    }
    return Canceller(cancel)
  }

  func check(_ result: QueryResult, _ expected: ExecStatusType...) throws {
    if expected.contains(result.status) { return }
    throw PostgresError(result: result, isLost: isLost)
  }
}

/// Calls `body` with the strings as C strings and a null at the end.
private func withCStrings<R>(
  _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws -> R
) rethrows -> R {
  var bytes: [CChar] = []
  var starts: [Int] = []
  for string in strings {
    starts.append(bytes.count)
    bytes.append(contentsOf: string.utf8.map { CChar(bitPattern: $0) })
    bytes.append(0)
  }
  return try bytes.withUnsafeBufferPointer { flat in
    let pointers = starts.map { start in flat.baseAddress.map { $0 + start } } + [nil]
    return try pointers.withUnsafeBufferPointer { try body($0.baseAddress!) }
  }
}
