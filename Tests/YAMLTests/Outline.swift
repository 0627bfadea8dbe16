import YAML

/// A node on one line: plain scalars bare, others in quotes, with `@line:column` where asked.
func outline(_ node: Node, marks: Bool = false) -> String {
  let mark = marks ? "@\(node.start.line):\(node.start.column)" : ""
  switch node.content {
  case .scalar(let scalar): return (scalar.isPlain ? scalar.text : "'\(scalar.text)'") + mark
  case .sequence(let items):
    return "[" + items.map { outline($0, marks: marks) }.joined(separator: ", ") + "]" + mark
  case .mapping(let pairs):
    let entries = pairs.map { pair in
      let keyMark = marks ? "@\(pair.key.start.line):\(pair.key.start.column)" : ""
      return "\(pair.key.text)\(keyMark): \(outline(pair.value, marks: marks))"
    }
    return "{" + entries.joined(separator: ", ") + "}" + mark
  }
}

func parse(_ text: String) throws(YAMLError) -> YAMLDocument {
  try YAMLDocument(parsing: Array(text.utf8))
}

/// `line:column: message` of the error that the bytes give, or the outline of what they were read as.
func failure(_ bytes: [UInt8]) -> String {
  do throws(YAMLError) {
    let document = try YAMLDocument(parsing: bytes)
    return "read as " + (document.root.map { outline($0) } ?? "nothing")
  } catch {
    return "\(error.mark.line):\(error.mark.column): \(error.message)"
  }
}
