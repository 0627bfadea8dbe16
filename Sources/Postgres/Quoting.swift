/// An identifier as SQL: always in double quotes.
///
/// A name beyond ASCII is written with Unicode escapes, so that it means the same whatever the client encoding is.
package func quoteIdentifier(_ name: String) -> String {
  var quoted = ""
  let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
  quoted += isASCII ? "\"" : "U&\""
  for scalar in name.unicodeScalars {
    switch scalar {
    case "\"": quoted += "\"\""
    case "\\" where !isASCII: quoted += "\\\\"
    case _ where scalar.isASCII: quoted.unicodeScalars.append(scalar)
    default:
      let digits = String(scalar.value, radix: 16)
      quoted += "\\+" + String(repeating: "0", count: 6 - digits.count) + digits
    }
  }
  return quoted + "\""
}

/// Appends bytes as an SQL string literal, right with `standard_conforming_strings` on or off.
package func appendLiteral(_ value: some Collection<UInt8>, to sql: inout [UInt8]) {
  let quote = UInt8(ascii: "'")
  let backslash = UInt8(ascii: "\\")
  if value.contains(backslash) { sql.append(contentsOf: " E".utf8) }
  sql.append(quote)
  for byte in value {
    if byte == quote || byte == backslash { sql.append(byte) }
    sql.append(byte)
  }
  sql.append(quote)
}

/// A string as an SQL literal.
package func quoteLiteral(_ value: String) -> String {
  var sql: [UInt8] = []
  appendLiteral(value.utf8, to: &sql)
  return String(decoding: sql, as: UTF8.self)
}
