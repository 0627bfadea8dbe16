/// A YAML file's one document.
package struct YAMLDocument: Sendable {
  /// A key that stands twice in one mapping; the mapping has the first.
  package struct Duplicate: Sendable {
    package var key: Pair.Key
    package var value: Node
    package var first: Mark
  }

  /// Nil if the file is empty or holds nothing but comments.
  package var root: Node?
  package var duplicates: [Duplicate]

  /// Reads YAML 1.2 from UTF-8, with anchors, aliases and merge keys (`<<`, of YAML 1.1's type repository).
  ///
  /// It is limited to 64 levels and 100,000 nodes, each alias counted as what it stands for, so that a small file can't
  /// grow without bound.
  ///
  /// - Throws: the first `YAMLError`; duplicate keys are no error, see `duplicates`.
  package init(parsing bytes: [UInt8]) throws(YAMLError) {
    try checkText(bytes)
    let parser = try EventParser(bytes)
    var composer = Composer(parser)
    root = try composer.composeStream()
    duplicates = composer.duplicates
  }
}
