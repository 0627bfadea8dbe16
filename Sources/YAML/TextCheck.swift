/// Refuses what is no UTF-8 and the characters that YAML doesn't allow (YAML 1.2.2, chapter 5.1).
///
/// libyaml finds them too, but says neither line nor column.
func checkText(_ bytes: [UInt8]) throws(YAMLError) {
  if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
    throw YAMLError("the file is UTF-16; save it as UTF-8", at: Mark(line: 1, column: 1))
  }
  var mark = Mark(line: 1, column: 1)
  var at = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
  var afterCR = false
  while at < bytes.count {
    guard let (character, length) = decodeUTF8(bytes, at: at) else {
      throw YAMLError("the file is not UTF-8 here; save it as UTF-8", at: mark)
    }
    guard isAllowed(character) else {
      let hex = String(character, radix: 16, uppercase: true)
      let code = String(repeating: "0", count: max(0, 4 - hex.utf8.count)) + hex
      throw YAMLError("the character U+\(code) is not allowed in YAML; remove it", at: mark)
    }
    at += length
    switch character {
    case 0x0A where afterCR: break
    case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: mark = Mark(line: mark.line + 1, column: 1)
    default: mark.column += 1
    }
    afterCR = character == 0x0D
  }
}

/// U+FEFF in UTF-8, which some editors write at the start of a file.
let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

private func isAllowed(_ character: UInt32) -> Bool {
  switch character {
  case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...0x10FFFF: true
  default: false
  }
}

/// The character at an offset and its length in bytes; nil if it is malformed, overlong or a surrogate (RFC 3629).
private func decodeUTF8(_ bytes: [UInt8], at start: Int) -> (character: UInt32, length: Int)? {
  let lead = UInt32(bytes[start])
  let length: Int
  var character: UInt32
  switch lead {
  case 0..<0x80: return (lead, 1)
  case 0xC2..<0xE0: (length, character) = (2, lead & 0x1F)
  case 0xE0..<0xF0: (length, character) = (3, lead & 0x0F)
  case 0xF0..<0xF5: (length, character) = (4, lead & 0x07)
  default: return nil
  }
  guard start + length <= bytes.count else { return nil }
  for byte in bytes[(start + 1)..<(start + length)] {
    guard byte & 0xC0 == 0x80 else { return nil }
    character = character << 6 | UInt32(byte & 0x3F)
  }
  switch (length, character) {
  case (3, 0..<0x800), (3, 0xD800..<0xE000), (4, 0..<0x10000), (4, 0x110000...): return nil
  default: return (character, length)
  }
}
