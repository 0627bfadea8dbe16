/// Reads a `.env` file as Laravel does (vlucas/phpdotenv 5: `Lines`, `EntryParser`, `Resolver`), on bytes.
///
/// Of a name that stands twice the last value holds. `${OTHER}` is looked up among the variables above it, then in the
/// environment; one that is nowhere stays as it is written.
struct Dotenv {
  /// What keeps Laravel from reading the file at all.
  struct Failure: Error, Equatable {
    /// Counted from 1.
    var line: Int
    /// Never text of the file.
    var reason: String
  }

  private(set) var variables: [String: SecretBuffer] = [:]
  /// Where a double quote opens that is never closed: Laravel drops the rest of the file.
  private(set) var unclosedLine: Int?
  private let environment: ProcessEnvironment

  init(_ text: SecretBuffer, environment: ProcessEnvironment) throws(Failure) {
    self.environment = environment
    try text.withBytes { bytes throws(Failure) in try read(bytes) }
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    var line = 0
    var open: (entry: SecretBuffer, line: Int)?
    while !rest.isEmpty {
      line += 1
      let text = Self.takeLine(from: &rest)
      if let entry = open?.entry, let start = open?.line {
        entry.append(newline)
        entry.append(text)
        if Self.closesQuote(text, isFirstLine: false) {
          open = nil
          try entry.withBytes { joined throws(Failure) in try readEntry(joined, line: start) }
        }
      } else if Self.opensMultiline(text) {
        open = (SecretBuffer(text), line)
      } else {
        try readEntry(text, line: line)
      }
    }
    unclosedLine = open?.line
  }

  /// One variable; a comment or white space is passed over.
  private mutating func readEntry(_ text: UnsafeRawBufferPointer, line: Int) throws(Failure) {
    let trimmed = trim(text)
    if trimmed.isEmpty || trimmed[0] == UInt8(ascii: "#") { return }
    let equals = text.firstIndex(of: UInt8(ascii: "="))
    let nameText = equals.map { trim(UnsafeRawBufferPointer(rebasing: text[..<$0])) } ?? text
    let name = try Self.name(nameText, line: line)
    guard let equals else {
      variables[name] = nil  // a name alone unsets it
      return
    }
    do throws(DotenvValue.Failure) {
      let value = try DotenvValue(trim(UnsafeRawBufferPointer(rebasing: text[(equals + 1)...])))
      variables[name] = value.resolved { variables[$0] ?? environment.value($0) }
    } catch {
      throw Failure(line: line, reason: error.rawValue)
    }
  }

  private static func name(_ text: UnsafeRawBufferPointer, line: Int) throws(Failure) -> String {
    guard !text.isEmpty else { throw Failure(line: line, reason: "a name is missing before '='") }
    var name = text
    // phpdotenv asks for more than 8 characters, so `export A=b` fails there too.
    let characters = name.count { $0 & 0xC0 != 0x80 }
    if characters > 8, name.starts(with: "export".utf8), isSpace(name[6]) {
      name = UnsafeRawBufferPointer(rebasing: name[6...].drop(while: isSpace))
    }
    if name.count > 2, let quote = name.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      name.last == quote
    {
      name = UnsafeRawBufferPointer(rebasing: name[1..<(name.count - 1)])
    }
    let isValid = name.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2E, 0x80...: true
      default: false
      }
    }
    guard isValid, !name.isEmpty else {
      throw Failure(line: line, reason: "no name and '=' stand here; a value of several lines needs double quotes")
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// Whether a double quote right after `=` isn't closed on this line.
  private static func opensMultiline(_ line: UnsafeRawBufferPointer) -> Bool {
    let opens = zip(line, line.dropFirst()).contains { $0 == UInt8(ascii: "=") && $1 == UInt8(ascii: "\"") }
    return opens && !closesQuote(line, isFirstLine: true)
  }

  /// Counts double quotes without a backslash before them, as `Lines` does: pairs of backslashes are left out first.
  private static func closesQuote(_ line: UnsafeRawBufferPointer, isFirstLine: Bool) -> Bool {
    if line.count == 1, line[0] == UInt8(ascii: "\"") { return true }
    var quotes = 0
    var before: UInt8?
    var at = 0
    while at < line.count {
      if line[at] == backslash, at + 1 < line.count, line[at + 1] == backslash {
        at += 2
        continue
      }
      if line[at] == UInt8(ascii: "\""), let before, before != backslash { quotes += 1 }
      before = line[at]
      at += 1
    }
    return quotes > (isFirstLine ? 1 : 0)
  }

  private static func takeLine(from rest: inout Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer {
    let end = rest.firstIndex { $0 == newline || $0 == carriageReturn } ?? rest.endIndex
    let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
    var next = end
    if next < rest.endIndex {
      next += rest[next] == carriageReturn && next + 1 < rest.endIndex && rest[next + 1] == newline ? 2 : 1
    }
    rest = rest[next...]
    return line
  }
}

private let newline = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
private let backslash = UInt8(ascii: "\\")

/// PHP's `ctype_space`.
func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

/// PHP's `trim`: white space but the form feed, and NUL.
func trim(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
  let isTrimmed = { (byte: UInt8) in byte == 0 || byte != 0x0C && isSpace(byte) }
  guard let start = text.firstIndex(where: { !isTrimmed($0) }), let last = text.lastIndex(where: { !isTrimmed($0) })
  else { return UnsafeRawBufferPointer(rebasing: text[..<0]) }
  return UnsafeRawBufferPointer(rebasing: text[start...last])
}
