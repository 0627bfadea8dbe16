/// One line of progress: rows, rate, share and time left.
struct ProgressLine {
  var label: String
  var size: UnitSize
  var rows: Int
  /// Of the input file.
  var bytes: Int
  var seconds: Double

  var text: String {
    let rate = seconds > 0 ? Double(rows) / seconds : 0
    var text = "\(label): \(grouped(rows)) rows, \(grouped(Int(rate)))/s"
    if let share {
      text += ", \(Int(share * 100))%"
      if share > 0.005, share < 1, seconds > 1 { text += ", \(duration(seconds / share - seconds)) left" }
    }
    return text
  }

  /// Of the whole, at most 0.99 while it isn't done: the planner only estimates.
  private var share: Double? {
    switch size {
    case .rows(let total) where total > 0: min(Double(rows) / Double(total), 0.99)
    case .bytes(let total) where total > 0: min(Double(bytes) / Double(total), 0.99)
    default: nil
    }
  }
}

/// `42 s`, `3 min 5 s`, `2 h 10 min`.
func duration(_ seconds: Double) -> String {
  let whole = Int(seconds.rounded())
  if whole < 60 { return "\(whole) s" }
  if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
  return "\(whole / 3600) h \(whole % 3600 / 60) min"
}
