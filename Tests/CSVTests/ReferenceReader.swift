/// A slow reader of the same rules, a byte at a time over the whole input, to compare the parser with.
struct ReferenceReader {
  enum Failure: Error, Equatable {
    case unterminatedQuote(Int)
    case textAfterQuote(Int)
  }

  private let bytes: [UInt8]
  private let delimiter: UInt8
  private var at = 0

  init(_ bytes: [UInt8], delimiter: UInt8) {
    self.bytes = bytes
    self.delimiter = delimiter
  }

  /// All records; the error that stopped it, if any.
  mutating func records() -> (records: [(raw: [UInt8], values: [[UInt8]])], failure: Failure?) {
    var records: [(raw: [UInt8], values: [[UInt8]])] = []
    var start = 0
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    skipLineEnds()
    do {
      while at < bytes.count {
        var values = [try field()]
        while at < bytes.count, bytes[at] == delimiter {
          at += 1
          values.append(try field())
        }
        skipLineEnd()
        if records.first?.values.count ?? values.count != 1 { skipLineEnds() }
        records.append((Array(bytes[start..<at]), values))
        start = at
      }
    } catch {
      return (records, error)
    }
    if records.isEmpty, !bytes.isEmpty { records.append((bytes, [])) }
    return (records, nil)
  }

  private mutating func field() throws(Failure) -> [UInt8] {
    var value: [UInt8] = []
    guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
      while at < bytes.count, !isFieldEnd(bytes[at]) {
        value.append(bytes[at])
        at += 1
      }
      return value
    }
    let start = at
    at += 1
    while true {
      guard at < bytes.count else { throw .unterminatedQuote(start) }
      let byte = bytes[at]
      at += 1
      if byte != UInt8(ascii: "\"") {
        value.append(byte)
      } else if at == bytes.count || isFieldEnd(bytes[at]) {
        return value
      } else if bytes[at] == UInt8(ascii: "\"") {
        value.append(byte)
        at += 1
      } else {
        throw .textAfterQuote(at)
      }
    }
  }

  private mutating func skipLineEnd() {
    guard at < bytes.count else { return }
    let isCarriageReturn = bytes[at] == UInt8(ascii: "\r")
    at += 1
    if isCarriageReturn, at < bytes.count, bytes[at] == UInt8(ascii: "\n") { at += 1 }
  }

  private mutating func skipLineEnds() {
    while at < bytes.count, isLineEnd(bytes[at]) { at += 1 }
  }

  private func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
  }

  private func isFieldEnd(_ byte: UInt8) -> Bool {
    byte == delimiter || isLineEnd(byte)
  }
}
