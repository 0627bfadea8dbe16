/// Why the input can't be read as CSV, and where; it holds no byte of a field.
package struct CSVError: Error, Equatable, CustomStringConvertible {
  package enum Problem: Equatable, Sendable {
    case utf16
    case unterminatedQuote
    /// After `\"`, the parser reads a closing quote: only PHP's `fputcsv` means a quote by it.
    case textAfterQuote(afterBackslash: Bool)
    case ragged(found: Int, expected: Int)
    /// `openQuote` is the offset of the quote that is open where the limit is reached.
    case recordTooLarge(limit: Int, openQuote: Int?)
  }

  package var problem: Problem
  /// Data records are counted from 1; 0 is the header.
  package var row: Int
  /// The offset in the input, from 0.
  package var byte: Int

  package var description: String {
    "\(row == 0 ? "header" : "row \(row)"), byte \(byte): \(explanation)"
  }

  private var explanation: String {
    switch problem {
    case .utf16:
      return "this is UTF-16; convert the file to UTF-8 first (iconv -f UTF-16 -t UTF-8)"
    case .unterminatedQuote:
      return "the quoted field that begins here has no closing quote; is the file complete?"
    case .textAfterQuote(afterBackslash: false):
      return "text after a closing quote; a quote inside a quoted field has to be doubled"
    case .textAfterQuote(afterBackslash: true):
      return "text after a closing quote; a quote inside a quoted field has to be doubled, a backslash won't do"
        + " (PHP: fputcsv with escape: '')"
    case .ragged(let found, let expected):
      return "\(found) \(found == 1 ? "field" : "fields") where the first record has \(expected);"
        + " mend the row, or leave such rows as they are with ragged: pass"
    case .recordTooLarge(let limit, let openQuote):
      let size = "this record is larger than \(limit) bytes"
      guard let openQuote else { return "\(size); is this a CSV file with this delimiter?" }
      return "\(size); is the quote at byte \(openQuote) left open?"
    }
  }
}
