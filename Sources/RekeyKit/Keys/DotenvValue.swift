/// The value of one `.env` entry, unquoted (vlucas/phpdotenv 5: `EntryParser::processToken`).
struct DotenvValue {
  enum Failure: String, Error {
    case text = "text follows white space or a closing quote; put the whole value in quotes"
    case escape = "a backslash in double quotes stands before a character that it can't escape"
    case quote = "a quote is not closed"
  }

  private enum State {
    case start
    case unquoted
    case singleQuoted
    case doubleQuoted
    case escape
    case end
    case comment
  }

  private let text: SecretBuffer
  /// Where a `$` stands that may start a variable.
  private var dollars: [Int] = []

  /// - Parameter written: what follows the equals sign, trimmed.
  init(_ written: UnsafeRawBufferPointer) throws(Failure) {
    text = SecretBuffer(capacity: written.count)
    var state = State.start
    for byte in written { state = try next(state, byte) }
    switch state {
    case .singleQuoted, .doubleQuoted, .escape: throw .quote
    case .start, .unquoted, .end, .comment: break
    }
  }

  private mutating func next(_ state: State, _ byte: UInt8) throws(Failure) -> State {
    let character = Unicode.Scalar(byte)
    switch state {
    case .start:
      switch character {
      case "'": return .singleQuoted
      case "\"": return .doubleQuoted
      case "#": return .comment
      default: return append(byte, .unquoted)
      }
    case .unquoted:
      if character == "#" { return .comment }
      return isSpace(byte) ? .end : append(byte, .unquoted)
    case .singleQuoted:
      if character == "'" { return .end }
      text.append(byte)
      return .singleQuoted
    case .doubleQuoted:
      switch character {
      case "\"": return .end
      case "\\": return .escape
      default: return append(byte, .doubleQuoted)
      }
    case .escape:
      text.append(try Self.escaped(character))
      return .doubleQuoted
    case .end:
      if character == "#" { return .comment }
      guard isSpace(byte) else { throw .text }
      return .end
    case .comment: return .comment
    }
  }

  private mutating func append(_ byte: UInt8, _ state: State) -> State {
    if byte == UInt8(ascii: "$") { dollars.append(text.count) }
    text.append(byte)
    return state
  }

  private static func escaped(_ character: Unicode.Scalar) throws(Failure) -> UInt8 {
    switch character {
    case "\"", "\\", "$": UInt8(ascii: character)
    case "f": 0x0C
    case "n": 0x0A
    case "r": 0x0D
    case "t": 0x09
    case "v": 0x0B
    default: throw .escape
    }
  }

  /// The value with its variables put in, from the last to the first, so that what was put in isn't read again.
  func resolved(_ lookUp: (String) -> SecretBuffer?) -> SecretBuffer {
    var value = text
    for dollar in dollars.reversed() {
      let replaced: SecretBuffer? = value.withBytes { bytes in
        guard let end = Self.variableEnd(bytes, at: dollar),
          let other = lookUp(String(decoding: bytes[(dollar + 2)..<end], as: UTF8.self))
        else { return nil }
        let result = SecretBuffer(capacity: bytes.count + other.count)
        result.append(UnsafeRawBufferPointer(rebasing: bytes[..<dollar]))
        other.withBytes { result.append($0) }
        result.append(UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
        return result
      }
      value = replaced ?? value
    }
    return value
  }

  /// Where the closing brace of a `${NAME}` stands that begins here.
  private static func variableEnd(_ bytes: UnsafeRawBufferPointer, at dollar: Int) -> Int? {
    guard dollar + 2 < bytes.count, bytes[dollar + 1] == UInt8(ascii: "{"),
      let end = bytes[(dollar + 2)...].firstIndex(of: UInt8(ascii: "}")), end > dollar + 2
    else { return nil }
    let isName = bytes[(dollar + 2)..<end].allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2E: true
      default: false
      }
    }
    return isName ? end : nil
  }
}
