import FoundationEssentials
import Pipeline

/// A shard's counts as the state keeps them: `{"rows":9,"columns":[{"rekeyed":8,"current":1,"opened_by_1":8}]}`.
struct StoredCounts: Codable {
  var rows: Int
  var columns: [[String: Int]]

  init(_ tally: Tally) {
    rows = tally.rows
    columns = tally.columns.map { column in
      var counts: [String: Int] = [:]
      for outcome in Outcome.allCases where column[outcome] > 0 { counts[outcome.rawValue] = column[outcome] }
      for (key, count) in column.openedBy.enumerated() where count > 0 { counts["opened_by_\(key)"] = count }
      if column.latePrevious > 0 { counts["late_previous"] = column.latePrevious }
      return counts
    }
  }

  init(json: String) throws {
    guard let stored = try? JSONDecoder().decode(StoredCounts.self, from: Data(json.utf8)) else {
      throw RekeyError(.fatal, "the counts in the state schema can't be read: run with --restart")
    }
    self = stored
  }

  var json: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }

  var tally: Tally {
    var tally = Tally()
    tally.rows = rows
    tally.columns = columns.map { counts in
      var column = Tally.Column()
      for (name, count) in counts {
        if let outcome = Outcome(rawValue: name) {
          column[outcome] = count
        } else if name == "late_previous" {
          column.latePrevious = count
        } else if name.hasPrefix("opened_by_"), let key = Int(name.dropFirst("opened_by_".count)) {
          column.addOpened(by: key, count)
        }
      }
      return column
    }
    return tally
  }
}
