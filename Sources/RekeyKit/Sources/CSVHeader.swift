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

  /// The index, from 0, of the column that a name or a number (`#3`, counted from 1) stands for.
  ///
  /// Throws `RekeyError` where there is no such column, naming the nearest, or where several have the name. A column
  /// that is really named `#3` is found by that name first.
  package func index(of column: String) throws(RekeyError) -> Int {
    let matches = names.indices.filter { names[$0] == column }
    if matches.count == 1 { return matches[0] }
    if matches.count > 1 {
      let numbers = matches.map { "'#\($0 + 1)'" }.joined(separator: " or ")
      throw problem("\(matches.count) columns are named '\(column)'; say which by its number: \(numbers)")
    }
    if column.hasPrefix("#"), let number = Int(column.dropFirst()) {
      guard number >= 1, number <= columnCount else {
        throw problem("there is no column \(column): the first record has \(columnCount)")
      }
      return number - 1
    }
    if names.isEmpty {
      throw problem("there is no header to look '\(column)' up in; name the column by its number ('#1' is the first)")
    }
    guard let nearest = nearestName(to: column) else {
      throw problem("there is no column '\(column)'; the header has \(names.prefix(20).joined(separator: ", "))")
    }
    throw problem("there is no column '\(column)'; did you mean '\(nearest)'?")
  }

  /// A column as messages name it.
  func label(of column: Int) -> String {
    names.indices.contains(column) ? "column '\(names[column])'" : "column #\(column + 1)"
  }

  private func problem(_ text: String) -> RekeyError {
    RekeyError(.usage, "\(path): \(text)")
  }

  /// The name that differs in the fewest letters, if that is at most a third of them.
  private func nearestName(to column: String) -> String? {
    let wanted = Array(column.lowercased())
    let distances = names.map { editDistance(wanted, Array($0.lowercased())) }
    guard let best = distances.indices.min(by: { distances[$0] < distances[$1] }) else { return nil }
    return distances[best] * 3 <= max(wanted.count, 3) ? names[best] : nil
  }

  private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let replaced = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
      }
    }
    return row[right.count]
  }
}
