/// The delimiter and the quote of a CSV file; a quote inside a quoted field is doubled (RFC 4180, section 2).
package struct CSVFormat: Equatable, Sendable {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")

  package let delimiter: UInt8
  package let quote: UInt8

  /// A comma and `"`, as RFC 4180 has them.
  package init() {
    delimiter = UInt8(ascii: ",")
    quote = UInt8(ascii: "\"")
  }

  /// Nil if the delimiter and the quote are the same byte, or one of them is CR or LF.
  package init?(delimiter: UInt8, quote: UInt8 = UInt8(ascii: "\"")) {
    let lineEnds = [Self.carriageReturn, Self.lineFeed]
    guard delimiter != quote, !lineEnds.contains(delimiter), !lineEnds.contains(quote) else { return nil }
    self.delimiter = delimiter
    self.quote = quote
  }
}

/// What becomes of a record with fewer or more fields than the first record has.
package enum CSVRagged: Sendable {
  /// The parser throws `CSVError`.
  case error
  /// The parser hands it out with `isRagged`, and the caller leaves it as it is: where its columns are is not known.
  case pass
}
