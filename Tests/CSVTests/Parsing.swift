import CSV
import Testing

/// A record as tests compare it.
struct ParsedRecord: Equatable {
  var raw: String
  /// Each field as it is written, and its value.
  var fields: [String]
  var values: [String]
  var row: Int
}

/// Parses with bytes arriving `chunk` at a time, each time at another address.
func parse(
  _ bytes: [UInt8], delimiter: Character = ",", ragged: CSVRagged = .error, hasHeader: Bool = false,
  wanted: [Int] = Array(0..<64), chunk: Int
) throws -> [ParsedRecord] {
  let format = try CSVTests.format(delimiter)
  var parser = CSVParser(format: format, ragged: ragged, hasHeader: hasHeader, wanted: wanted)
  var records: [ParsedRecord] = []
  var start = 0
  var end = 0
  while true {
    let held = Array(bytes[start..<end])
    let isLast = end == bytes.count
    let record: ParsedRecord? = try held.withUnsafeBytes { held in
      guard let length = try parser.next(in: held, isLast: isLast) else { return nil }
      start += length
      #expect(parser.offset == start)
      return ParsedRecord(
        raw: text(held[..<length]), fields: parser.fields.map { text(held[$0.raw]) },
        values: parser.fields.map { value(of: $0, in: held, format) }, row: parser.row)
    }
    if let record {
      records.append(record)
    } else if isLast {
      return records
    } else {
      end = min(end + chunk, bytes.count)
    }
  }
}

func format(_ delimiter: Character) throws -> CSVFormat {
  let byte = try #require(delimiter.asciiValue)
  return try #require(CSVFormat(delimiter: byte))
}

func text<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> String {
  // Latin 1, so that any byte is one letter and none is lost.
  String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

private func value(of field: CSVField, in record: UnsafeRawBufferPointer, _ format: CSVFormat) -> String {
  let value = UnsafeRawBufferPointer(rebasing: record[field.value])
  guard field.hasDoubledQuotes else { return text(value) }
  var unescaped: [UInt8] = []
  format.appendUnescaped(value, to: &unescaped)
  return text(unescaped)
}
