import YAML

extension ConfigReader {
  /// What the columns of a pipeline belong to.
  enum ColumnOwner {
    case csv(hasHeader: Bool)
    case table
  }

  /// A list of columns, or a mapping from columns to their options.
  mutating func columns(_ node: Node, _ what: String, of owner: ColumnOwner) -> [Config.Column]? {
    let columns: [Config.Column?]
    switch node.content {
    case .sequence(let items): columns = items.map { listedColumn($0, what, of: owner) }
    case .mapping(let pairs): columns = pairs.map { column($0, what, of: owner) }
    case .scalar:
      mismatch(node, "\(what) must be a list of columns, or a mapping from columns to their options")
      return nil
    }
    if columns.isEmpty { report("\(what) names no column", at: node.start) }
    var seen: [ColumnReference: Mark] = [:]
    for reference in columns.compactMap({ $0?.reference }) {
      if let first = seen[reference.value] {
        report("\(what) names this column twice", at: reference.mark, hint: "the first is on line \(first.line)")
      } else {
        seen[reference.value] = reference.mark
      }
    }
    return columns.isEmpty || columns.contains { $0 == nil } ? nil : columns.compactMap(\.self)
  }

  private mutating func listedColumn(_ node: Node, _ what: String, of owner: ColumnOwner) -> Config.Column? {
    guard case .scalar(let scalar) = node.content, !scalar.isNull else {
      mismatch(
        node, "a column in a list must be its name",
        hint: "for options write \(what) as a mapping; a column's number goes in quotes, as in '#3'")
      return nil
    }
    guard let name = substituted(scalar, at: node.start) else { return nil }
    guard let reference = columnReference(name, of: owner) else { return nil }
    return Config.Column(reference: reference, plaintext: operation == .encrypt ? .encrypt : .leave)
  }

  private mutating func column(_ pair: Pair, _ what: String, of owner: ColumnOwner) -> Config.Column? {
    let name = substituted(pair.key.scalar, at: pair.key.start)
    let reference = name.flatMap { columnReference($0, of: owner) }
    var plaintext: Config.PlaintextRule? = operation == .encrypt ? .encrypt : .leave
    if case .scalar(let scalar) = pair.value.content, scalar.isNull {
      // No options.
    } else if let fields = fields(pair.value, of: "a column", known: ["plaintext"], later: ["json", "wrap"]) {
      if let node = fields["plaintext"] { plaintext = plaintextRule(node) }
    } else {
      plaintext = nil
    }
    guard let reference, let plaintext else { return nil }
    return Config.Column(reference: reference, plaintext: plaintext)
  }

  private mutating func plaintextRule(_ node: Node) -> Config.PlaintextRule? {
    guard let rule: Config.PlaintextRule = choice(node, "plaintext") else { return nil }
    switch (operation, rule) {
    case (.encrypt, .leave), (.encrypt, .fail):
      report("'encrypt' is there to seal plaintext", at: node.start, hint: "remove 'plaintext', or the column")
      return nil
    case (.decrypt, .encrypt):
      report("'decrypt' seals nothing", at: node.start, hint: "write leave or fail")
      return nil
    default: return rule
    }
  }

  private mutating func columnReference(_ name: Located<String>, of owner: ColumnOwner) -> Located<ColumnReference>? {
    guard !name.value.isEmpty else {
      report("a column's name is empty", at: name.mark)
      return nil
    }
    guard case .csv(let hasHeader) = owner else {
      return Located(.name(name.value), at: name.mark, isSubstituted: name.isSubstituted)
    }
    let isNumber = name.value.hasPrefix("#")
    let digits = isNumber ? name.value.dropFirst() : name.value[...]
    let isDecimal = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    if isDecimal, isNumber || !hasHeader {
      guard let number = Int(digits), number > 0 else {
        report("columns are counted from 1", at: name.mark)
        return nil
      }
      return Located(.number(number), at: name.mark, isSubstituted: name.isSubstituted)
    }
    if !hasHeader {
      report("without a header columns have no names", at: name.mark, hint: "write the column's number, as in '#3'")
      return nil
    }
    return Located(.name(name.value), at: name.mark, isSubstituted: name.isSubstituted)
  }
}
