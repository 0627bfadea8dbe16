/// A place in a YAML file, as an editor shows it: line and column are counted from 1, the column in characters.
package struct Mark: Equatable, Hashable, Comparable, Sendable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (a: Mark, b: Mark) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }
}
