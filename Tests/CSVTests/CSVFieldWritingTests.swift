import CSV
import Testing

struct CSVFieldWritingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var value: String
    var isQuoted = false
    var keepsQuotes = false
    var delimiter: Character = ","
    var field: String
    var testDescription: String { "\(value) as \(field)" }
  }

  @Test(arguments: [
    Case(value: "eyJpdiI6", field: "eyJpdiI6"),
    Case(value: "eyJpdiI6", isQuoted: true, field: "\"eyJpdiI6\""),
    Case(value: "", field: "\"\""),
    Case(value: "", isQuoted: true, field: "\"\""),
    Case(value: "a,b", field: "\"a,b\""),
    Case(value: "a,b", delimiter: ";", field: "a,b"),
    Case(value: "a;b", delimiter: ";", field: "\"a;b\""),
    Case(value: "a\nb", field: "\"a\nb\""),
    Case(value: "a\r", field: "\"a\r\""),
    Case(value: "say \"hi\"", field: "\"say \"\"hi\"\"\""),
    Case(value: "\"", field: "\"\"\"\""),
    Case(value: "\"\"", isQuoted: true, field: "\"\"\"\"\"\""),
    Case(value: "0123456789\"0123456789", isQuoted: true, field: "\"0123456789\"\"0123456789\""),
    Case(value: "say \"hi\"", keepsQuotes: true, field: "say \"hi\""),
    Case(value: "\"hi\" ho", keepsQuotes: true, field: "\"\"\"hi\"\" ho\""),
    Case(value: "a \"b\",c", keepsQuotes: true, field: "\"a \"\"b\"\",c\""),
    Case(value: " ", field: " "),
  ])
  func field(of test: Case) throws {
    let format = try format(test.delimiter)
    for prefix in ["", "x,\"y\"\n"] {
      var target = Array(prefix.utf8)
      let start = target.count
      target.append(contentsOf: test.value.utf8)
      format.encodeField(in: &target, from: start, isQuoted: test.isQuoted, keepsQuotes: test.keepsQuotes)
      #expect(String(decoding: target, as: UTF8.self) == prefix + test.field)
      let records = try parse(Array(target.dropFirst(start)) + [0x0A], delimiter: test.delimiter, chunk: 3)
      #expect(records.map(\.values) == [[test.value]])
    }
  }

  @Test(arguments: [
    ("", ""), ("abc", "abc"), ("\"\"", "\""), ("a\"\"b\"\"\"\"c", "a\"b\"\"c"), ("\"\"abc\"\"", "\"abc\""),
  ])
  func unescaped(_ pair: (String, String)) {
    var target = Array("before ".utf8)
    Array(pair.0.utf8).withUnsafeBytes { CSVFormat().appendUnescaped($0, to: &target) }
    #expect(String(decoding: target, as: UTF8.self) == "before " + pair.1)
  }
}
