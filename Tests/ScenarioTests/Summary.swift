import Foundation
import Testing

/// What `--json` prints of a pipeline with one table.
struct Summary {
  var run: String
  var isResumed: Bool
  var rows: Int
  var isComplete: Bool
  /// By column: outcomes that came up, and `late_previous`.
  var counts: [String: [String: Int]] = [:]

  init(_ ended: Ended) throws {
    let object = try #require(try jsonLines(ended.out).first, "\(ended.err)")
    let pipelines = try #require(object["pipelines"] as? [[String: Any]])
    let tables = try #require(pipelines.first?["tables"] as? [[String: Any]])
    try #require(pipelines.count == 1 && tables.count == 1)
    run = try #require(pipelines[0]["run"] as? String)
    isResumed = try #require(pipelines[0]["resumed"] as? Bool)
    rows = try #require(tables[0]["rows"] as? Int)
    isComplete = try #require(tables[0]["complete"] as? Bool)
    for (column, values) in try #require(tables[0]["columns"] as? [String: [String: Any]]) {
      counts[column] = values.compactMapValues { $0 as? Int }
    }
  }

  /// All values of a column, each counted once, under its outcome.
  func sites(_ column: String) -> Int {
    (counts[column] ?? [:]).filter { $0.key != "late_previous" }.values.reduce(0, +)
  }
}
