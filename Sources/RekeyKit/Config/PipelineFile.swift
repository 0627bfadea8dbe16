import YAML

/// The text of a pipeline file, for showing where its problems are.
package struct PipelineFile: Sendable {
  /// As it was given on the command line.
  package var name: String
  /// Split where YAML breaks lines, so that marks fit.
  private var lines: [[Unicode.Scalar]] = []
  /// Stretches that may be a key or a password.
  private var hidden: [Range<Mark>] = []
  /// Until the text is known to be YAML, any long word may be a key.
  private var hidesLongWords = true

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    var line: [Unicode.Scalar] = []
    var afterCR = false
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\u{FEFF}" where lines.isEmpty && line.isEmpty: break
      case "\n" where afterCR: break
      case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
        lines.append(line)
        line.removeAll()
      default: line.append(scalar)
      }
      afterCR = scalar == "\r"
    }
    if !line.isEmpty { lines.append(line) }
  }

  /// Keeps a stretch of the text out of every message.
  mutating func hide(_ start: Mark, _ end: Mark) {
    if start < end { hidden.append(start..<end) }
  }

  /// From here on only what `hide` named is hidden, and what looks like a key or a password.
  mutating func showLongWords() {
    hidesLongWords = false
  }

  /// Whether the line has the text before the column.
  func line(of mark: Mark, hasBeforeIt text: String) -> Bool {
    guard mark.line <= lines.count else { return false }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: lines[mark.line - 1].prefix(mark.column))
    return String(view).contains(text)
  }

  /// All problems in the order of their places, each as `file:line:column: error: text`, the line and a caret.
  package func render(_ problems: [Problem]) -> String {
    problems.sorted { $0.mark < $1.mark }.map(render).joined(separator: "\n")
  }

  /// One problem; the last line has no line end.
  package func render(_ problem: Problem) -> String {
    let mark = problem.mark
    var text = "\(name):\(mark.line):\(mark.column): \(problem.severity.rawValue): \(problem.message)"
    guard mark.line <= lines.count else { return text }
    let line = lines[mark.line - 1]
    var excerpt = Excerpt(line, caret: mark.column - 1)
    for range in hidden where range.lowerBound.line <= mark.line && range.upperBound.line >= mark.line {
      let start = range.lowerBound.line < mark.line ? 0 : range.lowerBound.column - 1
      let end = range.upperBound.line > mark.line ? line.count : range.upperBound.column - 1
      excerpt.hide(start..<end)
    }
    excerpt.hideSecrets(longWords: hidesLongWords)
    let (shown, caret) = excerpt.render()
    text += "\n  \(shown)\n  \(caret)"
    return text
  }
}
