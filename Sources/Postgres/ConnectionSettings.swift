import CLibPQ

/// What libpq understands of a URL, as far as messages need it.
struct ConnectionSettings {
  /// Passwords that must not show.
  private var secrets: [String] = []

  /// - Throws: when libpq can't parse the URL. Its own reason quotes the URL, so it isn't shown.
  init(url: String) throws {
    guard let parsed = PQconninfoParse(url, nil) else {
      // A URL without a scheme is read as key=value pairs; both mistakes are common.
      throw PostgresError(
        .connection,
        "the database URL can't be parsed (it isn't shown, it can hold a password): write "
          + "postgresql://user@host:port/database, with %40 for an @ and %2F for a / in a password")
    }
    defer { PQconninfoFree(parsed) }
    var option = parsed
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        try add(keyword: String(cString: keyword), value: String(cString: value))
      }
      option += 1
    }
  }

  private mutating func add(keyword: String, value: String) throws {
    switch keyword {
    case "password", "sslpassword":
      if !value.isEmpty { secrets.append(value) }
    case "host" where value.contains("@"):
      // postgresql://user:p@ss@host: libpq splits at the first @, and would print the rest of the password as a host.
      throw PostgresError(
        .connection, "the database URL's host contains an @: write %40 for an @ in the password")
    case "port" where value.contains(where: { !("0"..."9" ~= $0 || $0 == ",") }):
      throw PostgresError(
        .connection, "the database URL's port isn't a number: write %2F for a / and %3A for a : in the password")
    default: break
    }
  }

  /// Host, port, database and user of a connection, standing or failed.
  func place(of connection: OpaquePointer) -> String {
    let host = PQhost(connection).map { String(cString: $0) } ?? ""
    let port = PQport(connection).map { String(cString: $0) } ?? ""
    let database = PQdb(connection).map { String(cString: $0) } ?? ""
    let user = PQuser(connection).map { String(cString: $0) } ?? ""
    return hide("database \"\(database)\" on \(host.isEmpty ? "the local socket" : host), port \(port), as \"\(user)\"")
  }

  /// libpq's reason for a failed connection, on one line.
  func reason(of connection: OpaquePointer) -> String {
    var secrets = self
    if let password = PQpass(connection), password.pointee != 0 { secrets.secrets.append(String(cString: password)) }
    let message = String(cString: PQerrorMessage(connection))
    let lines = message.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
    return secrets.hide(lines.joined(separator: "; "))
  }

  private func hide(_ text: String) -> String {
    var text = text
    for secret in secrets { text = text.replacing(secret, with: "***") }
    return text
  }
}
