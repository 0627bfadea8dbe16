/// What a server or a connection reported: the SQLSTATE and the names of what it concerns, never a value.
///
/// The server's message, DETAIL and CONTEXT aren't kept, as they can hold values of the row.
package struct PostgresError: Error, Equatable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// No connection, or a lost one: nothing is known of a COMMIT that was under way.
    case connection
    /// The server refused a statement.
    case server
    /// The table isn't one that can be worked on.
    case unusable
    /// The server took a row, but a trigger has made something else of its new value.
    case altered
  }

  package var kind: Kind
  /// Five characters (PostgreSQL, "Error Codes"); empty where the server gave none.
  package var sqlState = ""
  package var schema: String?
  package var table: String?
  package var column: String?
  package var constraint: String?
  /// What happened, for errors that are not a statement's.
  package var message = ""

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The letters are libpq's PG_DIAG_… codes.
  init(result: QueryResult, isLost: Bool) {
    sqlState = result.field("C") ?? ""
    kind = isLost || sqlState.hasPrefix("08") || sqlState.hasPrefix("57P") ? .connection : .server
    schema = result.field("s")
    table = result.field("t")
    column = result.field("c")
    constraint = result.field("n")
    if kind == .connection { message = "the connection to the server was lost" }
  }

  /// SQLSTATE with its standard name and the names of what it concerns: `23514 (check_violation) constraint "c"`.
  package var reason: String {
    if kind == .altered { return message }
    var words = [sqlState.isEmpty ? "no SQLSTATE" : sqlState]
    if let name = conditionName(sqlState) { words.append("(\(name))") }
    if let constraint { words.append("constraint \"\(constraint)\"") }
    if let column { words.append("column \"\(column)\"") }
    if let table { words.append("table \"\(schema.map { $0 + "." } ?? "")\(table)\"") }
    return words.joined(separator: " ")
  }

  package var description: String {
    switch kind {
    case .unusable, .altered: message
    case .connection: sqlState.isEmpty ? message : "\(message) (\(reason))"
    case .server: "the server refused a statement: \(reason)\(adviceFor(sqlState).map { "; \($0)" } ?? "")"
    }
  }

  /// The row was refused by a constraint, a trigger, a policy or the column's type: another row may pass.
  package var isRefusal: Bool {
    guard kind == .server else { return kind == .altered }
    switch sqlState.prefix(2) {
    case "22", "23", "44", "P0", "09", "27", "38", "39": return true
    default: return sqlState == "42501"
    }
  }

  /// The same batch may pass when it is tried again.
  package var isRetryable: Bool {
    kind == .server && ["40001", "40P01", "55P03", "57014", "53200", "53300"].contains(sqlState)
  }

  /// The batch took too long: a smaller one may pass.
  package var isTimeout: Bool { kind == .server && (sqlState == "57014" || sqlState == "55P03") }
}

/// The names of the codes that a run meets (PostgreSQL, appendix "Error Codes").
private func conditionName(_ sqlState: String) -> String? {
  switch sqlState {
  case "22001": "string_data_right_truncation"
  case "23502": "not_null_violation"
  case "23503": "foreign_key_violation"
  case "23505": "unique_violation"
  case "23514": "check_violation"
  case "23P01": "exclusion_violation"
  case "25006": "read_only_sql_transaction"
  case "28P01": "invalid_password"
  case "40001": "serialization_failure"
  case "40P01": "deadlock_detected"
  case "42501": "insufficient_privilege"
  case "42601": "syntax_error"
  case "42703": "undefined_column"
  case "42804": "datatype_mismatch"
  case "42883": "undefined_function"
  case "42P01": "undefined_table"
  case "53100": "disk_full"
  case "53200": "out_of_memory"
  case "53300": "too_many_connections"
  case "55P03": "lock_not_available"
  case "57014": "query_canceled"
  case "57P01": "admin_shutdown"
  case "57P02": "crash_shutdown"
  case "57P03": "cannot_connect_now"
  case "P0001": "raise_exception"
  default: nil
  }
}

private func adviceFor(_ sqlState: String) -> String? {
  switch sqlState {
  case "0A000": "a rule on the table may stand in the way of UPDATE … RETURNING"
  case "25006": "this is a standby or a read-only session: connect to the primary"
  case "42501": "grant the role what it lacks (rekey check lists it)"
  case "42601", "42703", "42804", "42883": "check the pipeline's where"
  case "42P01": "the table or its schema is gone: run rekey check"
  case "53100": "the server's disk is full: make room, then run again to go on"
  case "55P03", "57014": "lock_timeout or statement_timeout struck: run again when the server is calmer"
  default: nil
  }
}
