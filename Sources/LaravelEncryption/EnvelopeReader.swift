/// Why JSON is no envelope, as Laravel's `validPayload` sees it.
enum EnvelopeFault: Error {
  case notJSON
  case notAnObject
  case memberMissing
  case tagNotString

  var reason: StaticString {
    switch self {
    case .notJSON: "its base64 holds no valid JSON"
    case .notAnObject: "its JSON is no object"
    case .memberMissing: "iv, value or mac is missing or no string"
    case .tagNotString: "the tag is no string"
    }
  }
}

/// Reads any envelope as PHP's `json_decode($json, true)` and Laravel 13's `validPayload` do.
///
/// Strings are unescaped in place, so the JSON is changed. A member given twice counts by its last value; foreign
/// members are checked and dropped; containers may be nested 511 deep (PHP's depth of 512 counts the scalar too);
/// strings must be valid UTF-8.
struct EnvelopeReader {
  private var scanner: JSONScanner

  init(_ json: UnsafeMutableRawBufferPointer) {
    scanner = JSONScanner(json)
  }

  private enum Member {
    case absent
    case null
    case string(Range<Int>)
    case other
  }

  mutating func read() throws(EnvelopeFault) -> Envelope {
    scanner.skipWhiteSpace()
    guard scanner.peek() == UInt8(ascii: "{") else {
      throw scanner.skipValue(depth: 0) && scanner.isAtEnd() ? .notAnObject : .notJSON
    }
    scanner.advance()
    var iv = Member.absent
    var value = Member.absent
    var mac = Member.absent
    var tag = Member.absent
    scanner.skipWhiteSpace()
    if !scanner.take(UInt8(ascii: "}")) {
      repeat {
        guard let name = scanner.name() else { throw .notJSON }
        let member = try readMember()
        if scanner.holds(name, "iv") {
          iv = member
        } else if scanner.holds(name, "value") {
          value = member
        } else if scanner.holds(name, "mac") {
          mac = member
        } else if scanner.holds(name, "tag") {
          tag = member
        }
        scanner.skipWhiteSpace()
      } while scanner.take(UInt8(ascii: ","))
      guard scanner.take(UInt8(ascii: "}")) else { throw .notJSON }
    }
    guard scanner.isAtEnd() else { throw .notJSON }
    guard case .string(let ivText) = iv, case .string(let valueText) = value, case .string(let macText) = mac else {
      throw .memberMissing
    }
    switch tag {
    case .absent: return Envelope(iv: ivText, value: valueText, mac: macText, tag: 0..<0, hasTag: false)
    case .null: return Envelope(iv: ivText, value: valueText, mac: macText, tag: 0..<0, hasTag: true)
    case .string(let text): return Envelope(iv: ivText, value: valueText, mac: macText, tag: text, hasTag: true)
    case .other: throw .tagNotString
    }
  }

  private mutating func readMember() throws(EnvelopeFault) -> Member {
    scanner.skipWhiteSpace()
    switch scanner.peek() {
    case UInt8(ascii: "\""):
      guard let text = scanner.string() else { throw .notJSON }
      return .string(text)
    case UInt8(ascii: "n"):
      guard scanner.skipValue(depth: 1) else { throw .notJSON }
      return .null
    default:
      guard scanner.skipValue(depth: 1) else { throw .notJSON }
      return .other
    }
  }
}
