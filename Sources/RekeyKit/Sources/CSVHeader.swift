import CSV

/// The columns of a CSV input: the names in its header, or their number alone.
package struct CSVHeader: Sendable {
  /// As messages name the input.
  let path: String
  /// The header as it was read, with its byte order mark and line end; the sink writes it first.
  package let bytes: [UInt8]
  /// Empty where the input has no header.
  package let names: [String]
  package let columnCount: Int

  /// The index of a column, from 0.
  ///
  /// Throws `RekeyError` where there is no such column, naming the nearest, or where several have the name. An empty
  /// input has any column by number.
  package func index(of column: ColumnReference) throws(RekeyError) -> Int {
    switch column {
    case .number(let number):
      guard number >= 1, number <= columnCount || columnCount == 0 else {
        throw problem("there is no column \(column): the first record has \(columnCount)")
      }
      return number - 1
    case .name(let name):
      let matches = names.indices.filter { names[$0] == name }
      if matches.count == 1 { return matches[0] }
      if matches.count > 1 {
        let numbers = matches.map { "'#\($0 + 1)'" }.joined(separator: " or ")
        throw problem("\(matches.count) columns are named '\(name)'; say which by its number: \(numbers)")
      }
      if names.isEmpty {
        throw problem("there is no header to look '\(name)' up in; name the column by its number ('#1' is the first)")
      }
      let hint = suggestion(for: name, among: names) ?? "the header has \(names.count) other columns"
      throw problem("there is no column '\(name)'; \(hint)")
    }
  }

  /// A column as messages name it.
  func label(of column: Int) -> String {
    names.indices.contains(column) ? "column '\(names[column])'" : "column #\(column + 1)"
  }

  private func problem(_ text: String) -> RekeyError {
    RekeyError(.usage, "\(path): \(text)")
  }
}
