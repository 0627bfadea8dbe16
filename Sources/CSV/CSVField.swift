/// Where a field lies in its record, in bytes from the record's start.
package struct CSVField: Equatable, Sendable {
  /// The field as it is written, with its quotes.
  package var raw: Range<Int>
  package var isQuoted: Bool
  /// Whether the value holds doubled quotes, so that it has to be copied by `appendUnescaped`.
  package var hasDoubledQuotes: Bool

  /// What the quotes hold, or the whole field where it is unquoted.
  package var value: Range<Int> {
    isQuoted ? raw.lowerBound + 1..<raw.upperBound - 1 : raw
  }
}
