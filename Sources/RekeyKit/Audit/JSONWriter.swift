/// Writes JSON members in the order they are given, into a flat buffer (RFC 8259).
///
/// `JSONEncoder` keeps no order, and an audit log is read by people too.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
    try nest(UInt8(ascii: "{"), UInt8(ascii: "}"), members)
  }

  mutating func array(_ elements: (inout JSONWriter) throws -> Void) rethrows {
    try nest(UInt8(ascii: "["), UInt8(ascii: "]"), elements)
  }

  mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
  }

  /// Bytes that are not UTF-8 become U+FFFD; control characters are escaped.
  mutating func string(_ text: UnsafeRawBufferPointer) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    if text.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      bytes.append(contentsOf: text)
    } else {
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars { append(scalar) }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  mutating func number(_ value: Int) { word(String(value)) }
  mutating func bool(_ value: Bool) { word(value ? "true" : "false") }
  mutating func null() { word("null") }

  mutating func newline() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  private mutating func nest(
    _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    separate()
    bytes.append(open)
    needsComma = false
    try body(&self)
    bytes.append(close)
    needsComma = true
  }

  private mutating func word(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": bytes.append(contentsOf: "\\\"".utf8)
    case "\\": bytes.append(contentsOf: "\\\\".utf8)
    case "\n": bytes.append(contentsOf: "\\n".utf8)
    case "\t": bytes.append(contentsOf: "\\t".utf8)
    case "\r": bytes.append(contentsOf: "\\r".utf8)
    default:
      // C1 controls, separators and direction marks could rewrite what a terminal shows.
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069:
        let digits = String(scalar.value, radix: 16)
        bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      default: bytes.append(contentsOf: String(scalar).utf8)
      }
    }
  }
}
