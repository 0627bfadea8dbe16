import CSV
import Testing

struct CSVParserErrorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var input: String
    var hasHeader = true
    var problem: CSVError.Problem
    var row: Int
    var byte: Int
    var message: String
    var testDescription: String { message }
  }

  static let cases: [Case] = [
    Case(
      input: "a,b\n1,\"2\n3,4\n", problem: .unterminatedQuote, row: 1, byte: 6,
      message: "row 1, byte 6: the quoted field that begins here has no closing quote; is the file complete?"),
    Case(
      input: "a,\"b\n1,2", problem: .unterminatedQuote, row: 0, byte: 2,
      message: "header, byte 2: the quoted field that begins here has no closing quote; is the file complete?"),
    Case(
      input: "\"\"\"", problem: .unterminatedQuote, row: 0, byte: 0,
      message: "header, byte 0: the quoted field that begins here has no closing quote; is the file complete?"),
    Case(
      input: "a,b\n1,2\n3,\"4\"5\n", problem: .textAfterQuote(afterBackslash: false), row: 2, byte: 13,
      message: "row 2, byte 13: text after a closing quote; a quote inside a quoted field has to be doubled"),
    Case(
      input: "\u{EF}\u{BB}\u{BF}\"a\" ,b", hasHeader: false,
      problem: .textAfterQuote(afterBackslash: false), row: 1, byte: 6,
      message: "row 1, byte 6: text after a closing quote; a quote inside a quoted field has to be doubled"),
    Case(
      input: "a,b\n1,\"{\\\"k\\\":1}\"\n",
      problem: .textAfterQuote(afterBackslash: true), row: 1, byte: 10,
      message: "row 1, byte 10: text after a closing quote; a quote inside a quoted field has to be doubled, "
        + "a backslash won't do (PHP: fputcsv with escape: '')"),
    Case(
      input: "a,b\n1,2\n\n3\n", problem: .ragged(found: 1, expected: 2), row: 2, byte: 9,
      message: "row 2, byte 9: 1 field where the first record has 2; mend the row, or leave such rows as they are "
        + "with ragged: pass"),
    Case(
      input: "a,b\n1,2,3", problem: .ragged(found: 3, expected: 2), row: 1, byte: 4,
      message: "row 1, byte 4: 3 fields where the first record has 2; mend the row, or leave such rows as they are "
        + "with ragged: pass"),
    Case(
      input: "a\n1,\n", hasHeader: false, problem: .ragged(found: 2, expected: 1), row: 2, byte: 2,
      message: "row 2, byte 2: 2 fields where the first record has 1; mend the row, or leave such rows as they are "
        + "with ragged: pass"),
    Case(
      input: "\u{FF}\u{FE}a\0,\0b\0\n\0", problem: .utf16, row: 0, byte: 0,
      message: "header, byte 0: this is UTF-16; convert the file to UTF-8 first (iconv -f UTF-16 -t UTF-8)"),
    Case(
      input: "\u{FE}\u{FF}\0a", hasHeader: false, problem: .utf16, row: 1, byte: 0,
      message: "row 1, byte 0: this is UTF-16; convert the file to UTF-8 first (iconv -f UTF-16 -t UTF-8)"),
  ]

  @Test(arguments: cases)
  func error(of test: Case) throws {
    let bytes = test.input.unicodeScalars.map { UInt8($0.value) }
    for chunk in 1...bytes.count {
      let error = #expect(throws: CSVError.self) {
        try parse(bytes, hasHeader: test.hasHeader, chunk: chunk)
      }
      #expect(error?.problem == test.problem, "chunks of \(chunk)")
      #expect(error?.row == test.row, "chunks of \(chunk)")
      #expect(error?.byte == test.byte, "chunks of \(chunk)")
      #expect(error?.description == test.message)
    }
  }

  @Test func tooLargeNamesTheOpenQuote() throws {
    var parser = CSVParser(format: CSVFormat(), hasHeader: false)
    try Array("a,\"b\n1,2\n3,".utf8).withUnsafeBytes { bytes in
      let length = try parser.next(in: bytes, isLast: false)
      #expect(length == nil)
      #expect(
        parser.recordTooLarge(bytes, limit: 8).description
          == "row 1, byte 0: this record is larger than 8 bytes; is the quote at byte 2 left open?")
    }
  }

  @Test func tooLargeWithoutAQuote() throws {
    var parser = CSVParser(format: CSVFormat(), hasHeader: false)
    try Array("abcdefgh".utf8).withUnsafeBytes { bytes in
      let length = try parser.next(in: bytes, isLast: false)
      #expect(length == nil)
      #expect(
        parser.recordTooLarge(bytes, limit: 8).description
          == "row 1, byte 0: this record is larger than 8 bytes; is this a CSV file with this delimiter?")
    }
  }
}
