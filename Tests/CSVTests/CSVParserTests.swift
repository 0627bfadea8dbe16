import CSV
import Testing

/// Each input is parsed at every chunk size, so that each of its bytes is a chunk's first and last once.
struct CSVParserTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var input: String
    var delimiter: Character = ","
    /// The values of each record.
    var values: [[String]]
    /// The records' raw forms; nil where each ends behind its LF.
    var raws: [String]?
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "nothing", input: "", values: []),
    Case(name: "LF", input: "a,b\nc,d\n", values: [["a", "b"], ["c", "d"]]),
    Case(name: "CRLF", input: "a,b\r\nc,d\r\n", values: [["a", "b"], ["c", "d"]], raws: ["a,b\r\n", "c,d\r\n"]),
    Case(name: "lone CR", input: "a,b\rc,d\r", values: [["a", "b"], ["c", "d"]], raws: ["a,b\r", "c,d\r"]),
    Case(
      name: "mixed line ends", input: "a,b\rc,d\r\ne,f\n", values: [["a", "b"], ["c", "d"], ["e", "f"]],
      raws: ["a,b\r", "c,d\r\n", "e,f\n"]),
    Case(name: "no final newline", input: "a,b\nc,d", values: [["a", "b"], ["c", "d"]], raws: ["a,b\n", "c,d"]),
    Case(name: "no final newline, quoted", input: "a\n\"c\"", values: [["a"], ["c"]], raws: ["a\n", "\"c\""]),
    Case(name: "ends in a delimiter", input: "a,b\nc,", values: [["a", "b"], ["c", ""]], raws: ["a,b\n", "c,"]),
    Case(name: "empty fields", input: ",\n,\n", values: [["", ""], ["", ""]]),
    Case(name: "quoted", input: "\"a\",\"b\"\n", values: [["a", "b"]]),
    Case(name: "empty quoted", input: "\"\",b\n", values: [["", "b"]]),
    Case(name: "doubled quotes", input: "\"a\"\"b\",\"\"\"\"\n", values: [["a\"b", "\""]]),
    Case(name: "doubled quotes at both ends", input: "\"\"\"a\"\"\",\"\"\"\"\"\"\n", values: [["\"a\"", "\"\""]]),
    Case(
      name: "delimiter and line ends in quotes", input: "\"a,\r\n\rb\n\",c\n", values: [["a,\r\n\rb\n", "c"]],
      raws: ["\"a,\r\n\rb\n\",c\n"]),
    Case(name: "quotes in unquoted", input: "a\"b\"c, \"d\"\n", values: [["a\"b\"c", " \"d\""]]),
    Case(name: "backslash", input: "\"a\\\",b\\\n", values: [["a\\", "b\\"]]),
    Case(name: "white space", input: " a , \n", values: [[" a ", " "]]),
    Case(name: "semicolon", input: "a;b,c\n", delimiter: ";", values: [["a", "b,c"]]),
    Case(name: "tab", input: "a\tb\n\"\t\"\tc\n", delimiter: "\t", values: [["a", "b"], ["\t", "c"]]),
    Case(name: "bar", input: "a|\"b|\"\n", delimiter: "|", values: [["a", "b|"]]),
    Case(name: "NUL", input: "a\0,\"\0\"\n\0,\n", values: [["a\0", "\0"], ["\0", ""]]),
    Case(name: "high bytes", input: "\u{FF},\u{8D}\u{8A}\u{AC}\n", values: [["\u{FF}", "\u{8D}\u{8A}\u{AC}"]]),
    Case(
      name: "byte order mark", input: "\u{EF}\u{BB}\u{BF}a,b\nc,d\n", values: [["a", "b"], ["c", "d"]]),
    Case(name: "byte order mark and quote", input: "\u{EF}\u{BB}\u{BF}\"a\",b\n", values: [["a", "b"]]),
    Case(name: "byte order mark alone", input: "\u{EF}\u{BB}\u{BF}", values: [[]], raws: ["\u{EF}\u{BB}\u{BF}"]),
    Case(name: "half a byte order mark", input: "\u{EF}\u{BB}", values: [["\u{EF}\u{BB}"]], raws: ["\u{EF}\u{BB}"]),
    Case(
      name: "byte order mark later on", input: "a\n\u{EF}\u{BB}\u{BF}b\n", values: [["a"], ["\u{EF}\u{BB}\u{BF}b"]]),
    Case(
      name: "blank lines", input: "\n\r\na,b\n\n\r\r\nc,d\n\n", values: [["a", "b"], ["c", "d"]],
      raws: ["\n\r\na,b\n\n\r\r\n", "c,d\n\n"]),
    Case(
      name: "blank lines of one column", input: "a\n\nb\r\n\r\n", values: [["a"], [""], ["b"], [""]],
      raws: ["a\n", "\n", "b\r\n", "\r\n"]),
    Case(name: "blank lines only", input: "\n\r\n", values: [[]], raws: ["\n\r\n"]),
    Case(
      name: "long fields", input: "abcdefghijklmnopqrstuvwxyz,\"0123456789 \"\"0123456789\"\"\"\nx,y\n",
      values: [["abcdefghijklmnopqrstuvwxyz", "0123456789 \"0123456789\""], ["x", "y"]]),
  ]

  @Test(arguments: cases)
  func values(of test: Case) throws {
    let bytes = test.input.unicodeScalars.map { UInt8($0.value) }
    for chunk in 1...max(bytes.count, 1) {
      let records = try parse(bytes, delimiter: test.delimiter, chunk: chunk)
      #expect(records.map(\.values) == test.values, "chunks of \(chunk)")
      #expect(records.map(\.raw).joined() == test.input, "chunks of \(chunk)")
      #expect(records.map(\.row) == Array(1..<records.count + 1))
      if let raws = test.raws { #expect(records.map(\.raw) == raws, "chunks of \(chunk)") }
    }
  }

  @Test func headerIsRowZero() throws {
    let records = try parse(Array("a,b\n1,2\n3,4\n".utf8), hasHeader: true, chunk: 5)
    #expect(records.map(\.row) == [0, 1, 2])
  }

  @Test func onlyWantedFieldsAreHandedOut() throws {
    let input = Array("a,\"b\",c,d\ne,\"\",g,h\n".utf8)
    let records = try parse(input, wanted: [1, 3, 9], chunk: 3)
    #expect(records.map(\.fields) == [["\"b\"", "d"], ["\"\"", "h"]])
    #expect(records.map(\.values) == [["b", "d"], ["", "h"]])
  }

  @Test func raggedRowsArePassedByOption() throws {
    let bytes = Array("a,b\n1\n2,3,4\n5,6\n".utf8)
    var parser = CSVParser(format: CSVFormat(), ragged: .pass, hasHeader: true)
    var found: [[Int]] = []
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while let length = try parser.next(in: UnsafeRawBufferPointer(rebasing: rest), isLast: true) {
        found.append([parser.row, parser.fieldCount, parser.isRagged ? 1 : 0])
        rest = rest.dropFirst(length)
      }
    }
    #expect(found == [[0, 2, 0], [1, 1, 1], [2, 3, 1], [3, 2, 0]])
  }

  @Test func twoThousandColumns() throws {
    let row = (0..<2000).map { $0 % 3 == 0 ? "\"\($0),\"" : "\($0)" }.joined(separator: ",") + "\n"
    let records = try parse(Array((row + row).utf8), wanted: [0, 1000, 1998, 1999], chunk: 1000)
    #expect(records.map(\.values) == [["0,", "1000", "1998,", "1999"], ["0,", "1000", "1998,", "1999"]])
  }

  @Test func aLargeCellIsReadOnce() throws {
    // Were it read again with each chunk, this would take minutes.
    let cell = "\"" + String(repeating: "abcdefg\"\"\n", count: 300_000) + "\""
    let bytes = Array((cell + ",x\n").utf8)
    var parser = CSVParser(format: CSVFormat(), hasHeader: false, wanted: [0, 1])
    try bytes.withUnsafeBytes { bytes in
      for end in stride(from: 64, to: bytes.count, by: 64) {
        let length = try parser.next(in: UnsafeRawBufferPointer(rebasing: bytes[..<end]), isLast: false)
        #expect(length == nil)
      }
      let length = try parser.next(in: bytes, isLast: true)
      #expect(length == bytes.count)
    }
    #expect(parser.fields.map(\.raw) == [0..<cell.utf8.count, cell.utf8.count + 1..<cell.utf8.count + 2])
  }

  @Test(arguments: [("\"", "\""), ("\r", "\""), ("\n", "\""), (",", "\r"), (",", "\n"), ("'", "'")])
  func formatsThatCannotBe(_ delimiter: String, _ quote: String) {
    #expect(CSVFormat(delimiter: delimiter.utf8.first!, quote: quote.utf8.first!) == nil)
  }

  @Test func anotherQuote() throws {
    let format = try #require(CSVFormat(delimiter: UInt8(ascii: "|"), quote: UInt8(ascii: "'")))
    let bytes = Array("'it''s|'|\"b\"\n".utf8)
    var parser = CSVParser(format: format, hasHeader: false, wanted: [0, 1])
    _ = try bytes.withUnsafeBytes { try parser.next(in: $0, isLast: true) }
    #expect(parser.fields.map(\.raw) == [0..<8, 9..<12])
    #expect(parser.fields.map(\.value) == [1..<7, 9..<12])

    var target = Array("it's|".utf8)
    format.encodeField(in: &target, from: 0, isQuoted: false)
    #expect(String(decoding: target, as: UTF8.self) == "'it''s|'")
  }
}
