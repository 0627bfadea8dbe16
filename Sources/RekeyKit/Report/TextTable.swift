/// Columns of text that line up; the first is aligned left, numbers right.
struct TextTable {
  private var rows: [[String]] = []

  mutating func add(_ row: [String]) { rows.append(row) }

  /// Each line with `indent` before it; without a line end after the last.
  func rendered(indent: String, leftColumns: Int = 1) -> String {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = indent
      for (column, text) in row.enumerated() {
        let gap = String(repeating: " ", count: widths[column] - text.count)
        line += column < leftColumns ? text + gap : gap + text
        if column < row.count - 1 { line += "  " }
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
