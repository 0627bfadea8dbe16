/// The delimiter of a CSV file; the quote is always `"`, doubled inside a quoted field (RFC 4180, section 2).
package struct CSVFormat: Equatable, Sendable {
  package static let quote = UInt8(ascii: "\"")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")

  package let delimiter: UInt8

  /// Comma-separated, as RFC 4180 has it.
  package init() {
    delimiter = UInt8(ascii: ",")
  }

  /// Another delimiter; nil for a quote, a carriage return or a line feed, which can't be told from their own use.
  package init?(delimiter: UInt8) {
    guard delimiter != Self.quote, delimiter != Self.carriageReturn, delimiter != Self.lineFeed else { return nil }
    self.delimiter = delimiter
  }
}

/// What becomes of a record with fewer or more fields than the first record has.
package enum CSVRagged: Sendable {
  /// The parser throws `CSVError`.
  case error
  /// The parser hands it out with `isRagged`, and the caller leaves it as it is: where its columns are is not known.
  case pass
}
