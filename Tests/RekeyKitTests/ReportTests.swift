import Pipeline
import Testing

@testable import RekeyKit

@Suite struct JSONWriterTests {
  @Test func membersKeepTheirOrderAndCommas() {
    var json = JSONWriter()
    json.object { json in
      json.member("b", "x")
      json.key("a")
      json.array { json in
        json.number(1)
        json.null()
        json.bool(true)
        json.object { _ in }
      }
      json.member("c", nil)
    }
    #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"b":"x","a":[1,null,true,{}],"c":null}"#)
  }

  @Test(arguments: [
    ("plain", #""plain""#), ("a\"b\\c", #""a\"b\\c""#), ("\u{1B}[31m\n\t\r", #""\u001b[31m\n\t\r""#),
    ("é\u{85}\u{202E}", #""é\u0085\u202e""#), ("", #""""#),
  ])
  func stringsAreEscaped(text: String, expected: String) {
    var json = JSONWriter()
    json.string(text)
    #expect(String(decoding: json.bytes, as: UTF8.self) == expected)
  }

  @Test func bytesThatAreNotUTF8BecomeReplacementCharacters() {
    var json = JSONWriter()
    [UInt8(0x61), 0xFF, 0x62].withUnsafeBytes { json.string($0) }
    #expect(String(decoding: json.bytes, as: UTF8.self) == "\"a\u{FFFD}b\"")
  }
}

@Suite struct TextTests {
  @Test func numbersAreGrouped() {
    #expect(grouped(0) == "0")
    #expect(grouped(999) == "999")
    #expect(grouped(1000) == "1,000")
    #expect(grouped(12_345_678) == "12,345,678")
  }

  @Test func tablesLineUp() {
    var table = TextTable()
    table.add(["column", "rekeyed", "empty"])
    table.add(["a", "1,000", "2"])
    #expect(table.rendered(indent: "  ") == "  column  rekeyed  empty\n  a         1,000      2")
  }

  @Test func progressTellsShareAndTimeLeft() {
    let line = ProgressLine(label: "users", size: .rows(1000), rows: 250, bytes: 0, seconds: 10)
    #expect(line.text == "users: 250 rows, 25/s, 25%, 30 s left")
    let file = ProgressLine(label: "f", size: .bytes(100), rows: 5, bytes: 200, seconds: 10)
    #expect(file.text == "f: 5 rows, 0/s, 99%, 0 s left")
    #expect(ProgressLine(label: "f", size: .unknown, rows: 5, bytes: 0, seconds: 0).text == "f: 5 rows, 0/s")
  }

  @Test func controlCharactersDoNotReachATerminal() {
    #expect(printable("a\u{1B}[2Jb") == "a\\u{1b}[2Jb")
    #expect(printable(String(repeating: "x", count: 100)).count == 61)
  }
}
