/// One line of a pipeline file as a message shows it, with a caret below: secrets hidden, long lines cut.
struct Excerpt {
  private var line: [Unicode.Scalar]
  private var isHidden: [Bool]
  private let caret: Int

  init(_ line: [Unicode.Scalar], caret: Int) {
    self.line = line
    isHidden = [Bool](repeating: false, count: line.count)
    self.caret = min(caret, line.count)
  }

  mutating func hide(_ range: Range<Int>) {
    for index in range.clamped(to: line.indices) { isHidden[index] = true }
  }

  /// Hides what follows `base64:`, a URL's password, and in comments, or on demand
  /// everywhere, each word as long as a key that is no reference.
  mutating func hideSecrets(longWords: Bool) {
    for start in starts(of: "base64:") { hide(start..<wordEnd(start, stops: " \t\"'")) }
    // libpq takes blanks around the sign, and percent-encoded letters in a URL's parameter.
    for start in starts(of: "word") {
      let sign = line[start...].firstIndex { $0 != " " && $0 != "\t" }
      if let sign, line[sign] == "=" { hide((sign + 1)..<line.count) }
    }
    for start in starts(of: "://") {
      let end = wordEnd(start, stops: " \t\"'")
      guard let at = line[start..<end].lastIndex(of: "@") else { continue }
      if let colon = line[start..<at].firstIndex(of: ":") { hide((colon + 1)..<at) }
    }
    var at = longWords ? 0 : commentStart
    let first = line.firstIndex { $0 != " " && $0 != "\t" }
    while at < line.count {
      let end = wordEnd(at)
      if end - at >= 16 {
        let isName = at == first && line[end - 1] == ":"
        if !isName, !isReference(at..<end) { hide(at..<end) }
      }
      at = end + 1
    }
  }

  /// Where a comment may start; a key may have been commented out.
  private var commentStart: Int {
    line.indices.first { line[$0] == "#" && ($0 == 0 || line[$0 - 1] == " " || line[$0 - 1] == "\t") } ?? line.count
  }

  /// The line and the caret's line.
  func render() -> (line: String, caret: String) {
    // A window of the line around the caret; most lines fit whole.
    let start = caret <= 100 ? 0 : caret - 60
    let end = min(line.count, max(caret + 60, 140))
    var shown = start > 0 ? "…" : ""
    var pointer = start > 0 ? " " : ""
    for index in start..<end {
      if isHidden[index], index > start, isHidden[index - 1] { continue }
      let scalar = isHidden[index] ? "…" : printable(line[index])
      shown.unicodeScalars.append(scalar)
      if index < caret, !isContinued(at: index) { pointer += scalar == "\t" ? "\t" : spaces(scalar) }
    }
    if end < line.count { shown += "…" }
    return (shown, pointer + "^")
  }

  /// A terminal must not obey what stands in a file.
  private func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    scalar.properties.generalCategory == .control && scalar != "\t" ? "\u{FFFD}" : scalar
  }

  /// Whether the caret lies in a hidden stretch that begins here: it then stands below the stretch's one sign.
  private func isContinued(at index: Int) -> Bool {
    isHidden[index] && caret < line.count && isHidden[index...caret].allSatisfy { $0 }
  }

  /// The places right after each occurrence.
  private func starts(of text: String) -> [Int] {
    let needle = Array(text.unicodeScalars)
    return line.indices.filter { line[$0...].starts(with: needle) }.map { $0 + needle.count }
  }

  private func wordEnd(_ start: Int, stops: String = " \t\"',[]{}#") -> Int {
    line[start...].firstIndex { stops.unicodeScalars.contains($0) } ?? line.count
  }

  private func isReference(_ word: Range<Int>) -> Bool {
    ["env:", "dotenv:", "file:", "fd:", "credential:", "$"].contains { line[word].starts(with: $0.unicodeScalars) }
  }

  /// As many spaces as a terminal gives the character columns.
  private func spaces(_ scalar: Unicode.Scalar) -> String {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return ""
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return "  "
    default: return " "
    }
  }
}
