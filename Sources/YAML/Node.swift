/// A value of a YAML document and where it stands.
///
/// Aliases and merge keys are resolved: a node that came through an alias has the mark of the alias, what lies inside it
/// the marks of the definition.
package struct Node: Sendable {
  package enum Content: Sendable {
    case scalar(Scalar)
    case sequence([Node])
    case mapping([Pair])
  }

  package var content: Content
  package var start: Mark
  /// The first place after it.
  package var end: Mark

  package init(_ content: Content, start: Mark, end: Mark) {
    self.content = content
    self.start = start
    self.end = end
  }
}

/// A scalar as text; what type it is, the reader of the document says.
package struct Scalar: Equatable, Sendable {
  package var text: String
  /// Neither quoted, nor a block, nor tagged `!!str`: may stand for a number, a truth value or null.
  package var isPlain: Bool

  package init(text: String, isPlain: Bool) {
    self.text = text
    self.isPlain = isPlain
  }

  /// `null` of YAML 1.2's core schema (chapter 10.3.2).
  package var isNull: Bool {
    isPlain && ["", "~", "null", "Null", "NULL"].contains(text)
  }
}

/// One entry of a mapping; the key is a scalar.
package struct Pair: Sendable {
  package var key: Key
  package var value: Node

  package struct Key: Sendable {
    package var scalar: Scalar
    package var start: Mark
    package var end: Mark

    package var text: String { scalar.text }
  }
}
