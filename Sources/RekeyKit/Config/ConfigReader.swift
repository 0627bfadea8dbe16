import YAML

/// Reads a `Config` from marked nodes and collects every problem on the way.
///
/// A method that returns nil has reported why. The parts of the file are read in extensions, one file each.
struct ConfigReader {
  var file: PipelineFile
  var problems: [Problem] = []
  let environment: (String) -> String?
  /// Known before the columns are read.
  var operation = Config.Operation.rekey

  /// The entries of one mapping.
  struct Fields {
    /// Where the mapping starts.
    var mark: Mark
    fileprivate var pairs: [String: Pair] = [:]

    subscript(name: String) -> Node? { pairs[name]?.value }
    func keyMark(_ name: String) -> Mark { pairs[name]?.key.start ?? mark }
  }

  mutating func report(_ message: String, at mark: Mark, hint: String? = nil) {
    problems.append(Problem(message, at: mark, hint: hint))
  }

  /// The entries of a mapping whose keys are all known.
  ///
  /// - Parameter later: keys that a later release will know.
  mutating func fields(
    _ node: Node, of what: String, known: [String], later: [String] = [], extensions: Bool = false
  ) -> Fields? {
    guard let pairs = mapping(node, what) else { return nil }
    var fields = Fields(mark: node.start)
    for pair in pairs {
      let name = pair.key.text
      if known.contains(name) {
        fields.pairs[name] = pair
      } else if later.contains(name) {
        report("\(name): is not supported yet", at: pair.key.start)
      } else if !(extensions && name.hasPrefix("x-")) {
        reportUnknown(pair, known: known + later)
      }
    }
    return fields
  }

  /// The value may be a key under a misspelt name, and the name part of a key or a password: neither is shown.
  private mutating func reportUnknown(_ pair: Pair, known: [String]) {
    let name = pair.key.text
    file.hide(pair.value.start, pair.value.end)
    let nearest = suggestion(for: name, among: known)
    let isShown = nearest != nil || name.count < 16 && isVariableName(name)
    if !isShown { file.hide(pair.key.start, pair.key.end) }
    let hint = nearest ?? "known here: \(known.joined(separator: ", "))"
    report(isShown ? "unknown key '\(name)'" : "unknown key", at: pair.key.start, hint: hint)
  }

  /// The value of a key that must be there.
  mutating func required(_ name: String, in fields: Fields, of what: String) -> Node? {
    if let node = fields[name] { return node }
    report("\(what) has no '\(name)'", at: fields.mark)
    return nil
  }

  mutating func mapping(_ node: Node, _ what: String) -> [Pair]? {
    if case .mapping(let pairs) = node.content { return pairs }
    mismatch(node, "\(what) must be a mapping")
    return nil
  }

  mutating func sequence(_ node: Node, _ what: String) -> [Node]? {
    if case .sequence(let items) = node.content { return items }
    mismatch(node, "\(what) must be a list")
    return nil
  }

  /// Reports a wrong type. The value isn't shown if it is long enough for a key.
  mutating func mismatch(_ node: Node, _ message: String, hint: String? = nil) {
    var found = ""
    switch node.content {
    case .scalar(let scalar) where scalar.isNull: found = ", and here is nothing"
    case .scalar(let scalar): if scalar.text.count >= 16 { file.hide(node.start, node.end) }
    case .sequence: found = ", not a list"
    case .mapping: found = ", not a mapping"
    }
    report(message + found, at: node.start, hint: hint)
  }
}

/// What may be left out: nil inside if it was, nil outside if it is there and wrong.
func optional<Value>(_ node: Node?, _ read: (Node) -> Value?) -> Value?? {
  guard let node else { return .some(nil) }
  return read(node).map { .some($0) }
}
