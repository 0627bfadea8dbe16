import Foundation
import Testing

/// A database of its own on the test server, dropped at the end of the test.
struct Database {
  let name: String
  let url: String

  static func with<R>(_ body: (Database) throws -> R) throws -> R {
    let server = try #require(
      ProcessInfo.processInfo.environment["REKEY_TEST_DATABASE_URL"], "REKEY_TEST_DATABASE_URL must name a test server")
    let name = "scenario_\(UUID().uuidString.prefix(8).lowercased())"
    let slash = try #require(server.lastIndex(of: "/"))
    let main = Database(name: "", url: server)
    try main.run("CREATE DATABASE \(name)")
    defer { _ = try? main.run("DROP DATABASE \(name) WITH (FORCE)") }
    return try body(Database(name: name, url: "\(server[..<slash])/\(name)"))
  }

  /// Runs SQL from text; the rows as tab-separated lines.
  @discardableResult
  func run(_ sql: String) throws -> [[String]] {
    let ended = try psql(input: sql).run()
    try #require(ended.code == 0, "psql: \(ended.err)")
    return ended.outText.split(separator: "\n").map { line in
      line.split(separator: "\u{1}", omittingEmptySubsequences: false).map(String.init)
    }
  }

  func psql(input sql: String) -> Tool {
    Tool(
      path: "/usr/bin/psql",
      arguments: ["-X", "-q", "-A", "-t", "-F", "\u{1}", "-v", "ON_ERROR_STOP=1", "-d", url],
      folder: repository, input: Data(sql.utf8))
  }

  func count(_ sql: String) throws -> Int { try #require(Int(try run(sql).first?.first ?? "")) }
}
