/// A table as the pipeline file names it: `table`, `schema.table`, or with parts in double quotes, as in `"a.b"."c"`.
///
/// The name is taken as it is written, without PostgreSQL's folding to lower case: Laravel quotes every name it sends.
package struct TableName: Hashable, Sendable, CustomStringConvertible {
  /// Nil where the search path says it.
  package var schema: String?
  package var table: String

  package init(schema: String?, table: String) {
    self.schema = schema
    self.table = table
  }

  /// Nil if the text is no table's name: an empty part, more than two, or a quote that isn't closed.
  package init?(parsing text: String) {
    var parts: [String] = []
    var rest = text[...]
    while true {
      guard let part = Self.takePart(from: &rest) else { return nil }
      parts.append(part)
      if rest.isEmpty { break }
      guard rest.removeFirst() == "." else { return nil }
    }
    switch parts.count {
    case 1: self.init(schema: nil, table: parts[0])
    case 2: self.init(schema: parts[0], table: parts[1])
    default: return nil
    }
  }

  package var description: String {
    [schema, table].compactMap { $0.map(Self.shown) }.joined(separator: ".")
  }

  private static func takePart(from rest: inout Substring) -> String? {
    var part = ""
    guard rest.first == "\"" else {
      while let character = rest.first, character != "." {
        guard character != "\"" else { return nil }
        part.append(rest.removeFirst())
      }
      return part.isEmpty ? nil : part
    }
    rest.removeFirst()
    while let character = rest.popFirst() {
      if character != "\"" {
        part.append(character)
      } else if rest.first == "\"" {
        part.append(rest.removeFirst())
      } else {
        return part.isEmpty ? nil : part
      }
    }
    return nil
  }

  private static func shown(_ part: String) -> String {
    guard part.contains(where: { $0 == "." || $0 == "\"" }) else { return part }
    return "\"" + part.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
