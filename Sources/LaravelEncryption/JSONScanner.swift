/// The tokens of JSON (RFC 8259) as PHP 8's scanner takes them, over bytes in memory.
///
/// Strings are unescaped in place. Every function that finds something else than it is for returns false or nil, and
/// the document is then invalid.
struct JSONScanner {
  private let bytes: UnsafeMutableRawBufferPointer
  private var at = 0

  /// `json_decode` has a depth of 512, and a scalar counts as one.
  static let deepest = 511

  init(_ bytes: UnsafeMutableRawBufferPointer) {
    self.bytes = bytes
  }

  func peek() -> UInt8? { at < bytes.count ? bytes[at] : nil }

  mutating func advance() { at += 1 }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    at += 1
    return true
  }

  mutating func skipWhiteSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  /// Whether nothing but white space follows.
  mutating func isAtEnd() -> Bool {
    skipWhiteSpace()
    return at == bytes.count
  }

  func holds(_ range: Range<Int>, _ text: StaticString) -> Bool {
    text.withUTF8Buffer { $0.elementsEqual(bytes[range]) }
  }

  /// A member's name and the colon after it.
  mutating func name() -> Range<Int>? {
    skipWhiteSpace()
    guard let name = string() else { return nil }
    skipWhiteSpace()
    return take(UInt8(ascii: ":")) ? name : nil
  }

  /// Skips a value that lies in `depth` containers.
  mutating func skipValue(depth: Int) -> Bool {
    var closers: [UInt8] = []
    while true {
      skipWhiteSpace()
      if let opener = peek(), opener == UInt8(ascii: "{") || opener == UInt8(ascii: "[") {
        guard depth + closers.count < Self.deepest else { return false }
        at += 1
        // In ASCII each closing bracket is its opening one plus two.
        closers.append(opener + 2)
        skipWhiteSpace()
        if peek() != opener + 2 {
          if opener == UInt8(ascii: "{"), name() == nil { return false }
          continue
        }
      } else if !skipScalar() {
        return false
      }
      // A value has ended: leave what it closes, up to a comma.
      closing: while let closer = closers.last {
        skipWhiteSpace()
        switch peek() {
        case closer:
          at += 1
          closers.removeLast()
        case UInt8(ascii: ","):
          at += 1
          if closer == UInt8(ascii: "}"), name() == nil { return false }
          break closing
        default:
          return false
        }
      }
      if closers.isEmpty { return true }
    }
  }

  private mutating func skipScalar() -> Bool {
    switch peek() {
    case UInt8(ascii: "\""): string() != nil
    case UInt8(ascii: "n"): skipWord("null")
    case UInt8(ascii: "t"): skipWord("true")
    case UInt8(ascii: "f"): skipWord("false")
    default: skipNumber()
    }
  }

  private mutating func skipWord(_ word: StaticString) -> Bool {
    let end = at + word.utf8CodeUnitCount
    guard end <= bytes.count, holds(at..<end, word) else { return false }
    at = end
    return true
  }

  private mutating func skipNumber() -> Bool {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")), !skipDigits() { return false }
    if take(UInt8(ascii: ".")), !skipDigits() { return false }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      return skipDigits()
    }
    return true
  }

  private mutating func skipDigits() -> Bool {
    let start = at
    while let byte = peek(), (0x30...0x39).contains(byte) { at += 1 }
    return at > start
  }

  /// A string: where its unescaped bytes lie, from the first byte behind the quote.
  mutating func string() -> Range<Int>? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = at
    var end = at
    while at < bytes.count {
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        return start..<end
      case UInt8(ascii: "\\"):
        guard let written = unescape(to: end) else { return nil }
        end += written
      case 0x20..<0x80:
        bytes[end] = byte
        end += 1
        at += 1
      case 0x80...:
        let length = sequenceLength()
        guard length > 0 else { return nil }
        for offset in 0..<length { bytes[end + offset] = bytes[at + offset] }
        end += length
        at += length
      default:
        return nil
      }
    }
    return nil
  }

  /// Writes what the escape here stands for, at most as long as itself, and returns the length.
  private mutating func unescape(to end: Int) -> Int? {
    guard at + 1 < bytes.count else { return nil }
    let plain: UInt8
    switch bytes[at + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = bytes[at + 1]
    case UInt8(ascii: "b"): plain = 0x08
    case UInt8(ascii: "f"): plain = 0x0C
    case UInt8(ascii: "n"): plain = 0x0A
    case UInt8(ascii: "r"): plain = 0x0D
    case UInt8(ascii: "t"): plain = 0x09
    case UInt8(ascii: "u"): return unescapeUnicode(to: end)
    default: return nil
    }
    bytes[end] = plain
    at += 2
    return 1
  }

  private mutating func unescapeUnicode(to end: Int) -> Int? {
    guard var code = hexUnit(at: at + 2) else { return nil }
    at += 6
    if (0xD800...0xDFFF).contains(code) {
      guard code < 0xDC00, at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u"),
        let low = hexUnit(at: at + 2), (0xDC00...0xDFFF).contains(low)
      else { return nil }
      at += 6
      code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF)
    }
    guard let scalar = Unicode.Scalar(code) else { return nil }
    var written = 0
    for unit in UTF8.encode(scalar).unsafelyUnwrapped {
      bytes[end + written] = unit
      written += 1
    }
    return written
  }

  private func hexUnit(at start: Int) -> UInt32? {
    guard start + 4 <= bytes.count else { return nil }
    var code: UInt32 = 0
    for byte in bytes[start..<start + 4] {
      switch byte {
      case 0x30...0x39: code = code << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: code = code << 4 | UInt32(byte - 0x41 + 10)
      case 0x61...0x66: code = code << 4 | UInt32(byte - 0x61 + 10)
      default: return nil
      }
    }
    return code
  }

  /// The length of the UTF-8 sequence here (RFC 3629: no overlong forms, no surrogates), or 0.
  private func sequenceLength() -> Int {
    let lead = bytes[at]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard at + length <= bytes.count, second.contains(bytes[at + 1]) else { return 0 }
    for offset in 2..<max(length, 2) where !(0x80...0xBF).contains(bytes[at + offset]) { return 0 }
    return length
  }
}
