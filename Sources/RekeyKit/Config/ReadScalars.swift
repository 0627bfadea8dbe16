import YAML

extension ConfigReader {
  /// A text with its variables put in; never null.
  mutating func anyText(_ node: Node, _ what: String) -> Located<String>? {
    guard case .scalar(let scalar) = node.content, !scalar.isNull else {
      mismatch(node, "\(what) must be text")
      return nil
    }
    return substituted(scalar, at: node.start)
  }

  /// A text that isn't empty, its variables put in.
  mutating func text(_ node: Node, _ what: String) -> Located<String>? {
    guard let text = anyText(node, what) else { return nil }
    guard !text.value.isEmpty else {
      report("\(what) is empty\(text.isSubstituted ? " once its variables are put in" : "")", at: node.start)
      return nil
    }
    guard !text.value.utf8.contains(0) else {
      report("\(what) contains a NUL character", at: node.start)
      return nil
    }
    return text
  }

  mutating func substituted(_ scalar: Scalar, at mark: Mark) -> Located<String>? {
    let result = Substitution.apply(to: scalar.text, environment: environment)
    for name in result.missing {
      report("environment variable '\(name)' is not set", at: mark, hint: "set it, or write ${\(name):-default}")
    }
    if result.isMalformed {
      report("'${' starts a variable", at: mark, hint: "write ${NAME} or ${NAME:-default}, or $${ for the text ${")
    }
    if result.isMalformed || !result.missing.isEmpty { return nil }
    return Located(result.text, at: mark, isSubstituted: result.isSubstituted)
  }

  /// A plain scalar, or one that came from a variable: the text that stands for a number, a size or a truth value.
  private mutating func plain(_ node: Node, _ message: String) -> String? {
    guard case .scalar(let scalar) = node.content, !scalar.isNull else {
      mismatch(node, message)
      return nil
    }
    guard let text = substituted(scalar, at: node.start) else { return nil }
    if scalar.isPlain || text.isSubstituted { return text.value }
    mismatch(node, message, hint: "remove the quotes")
    return nil
  }

  /// `true` or `false`, as in YAML 1.2's core schema.
  mutating func bool(_ node: Node, _ what: String) -> Bool? {
    let message = "\(what) must be true or false"
    guard let text = plain(node, message) else { return nil }
    switch text {
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default:
      mismatch(node, message)
      return nil
    }
  }

  /// A whole number in decimal digits.
  mutating func integer(_ node: Node, _ what: String, in range: ClosedRange<Int>, or word: String? = nil) -> Int? {
    let message = "\(what) must be \(word.map { "\($0) or " } ?? "")a whole number \(described(range))"
    guard let text = plain(node, message) else { return nil }
    guard isDecimal(text), let number = Int(text), range.contains(number) else {
      mismatch(node, message)
      return nil
    }
    return number
  }

  /// The number, or nil inside for the word.
  mutating func integer(_ node: Node, _ what: String, in range: ClosedRange<Int>, orNil word: String) -> Int?? {
    if case .scalar(let scalar) = node.content, scalar.text == word { return .some(nil) }
    guard let number = integer(node, what, in: range, or: word) else { return nil }
    return .some(number)
  }

  /// A number of bytes: digits alone, or with KiB, MiB or GiB.
  mutating func size(_ node: Node, _ what: String, in range: ClosedRange<Int>) -> Int? {
    let message = "\(what) must be a size from \(sizeText(range.lowerBound)) to \(sizeText(range.upperBound))"
    guard let text = plain(node, message) else { return nil }
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)]
    let unit = units.first { text.hasSuffix($0.0) }
    let digits = text.dropLast(unit?.0.count ?? 0)
    guard isDecimal(digits), let number = Int(digits), number <= Int.max >> (unit?.1 ?? 0),
      range.contains(number << (unit?.1 ?? 0))
    else {
      mismatch(node, message, hint: "write bytes, or a number with KiB, MiB or GiB, such as 4MiB")
      return nil
    }
    return number << (unit?.1 ?? 0)
  }

  /// One of an enumeration's words.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(_ node: Node, _ what: String) -> Choice?
  where Choice.RawValue == String {
    let words = Choice.allCases.map(\.rawValue)
    let message = "\(what) must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
    guard case .scalar(let scalar) = node.content, !scalar.isNull else {
      mismatch(node, message)
      return nil
    }
    guard let text = substituted(scalar, at: node.start) else { return nil }
    if let choice = Choice(rawValue: text.value) { return choice }
    mismatch(node, message, hint: text.isSubstituted ? nil : suggestion(for: text.value, among: words))
    return nil
  }

  private func described(_ range: ClosedRange<Int>) -> String {
    range.upperBound == Int.max ? "from \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
  }

  private func isDecimal(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private func sizeText(_ bytes: Int) -> String {
    bytes % (1 << 20) == 0 ? "\(bytes >> 20)MiB" : "\(bytes >> 10)KiB"
  }
}
