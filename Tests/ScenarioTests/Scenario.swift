import Foundation
import Testing

/// A folder of `Tests/Scenarios`: what is typed, and all that it leaves behind.
///
/// | file | |
/// |---|---|
/// | `command` | a bash script, run in a copy of the folder with `rekey` on the path and `samples` beside it |
/// | `exit` | the exit status of its last command |
/// | `stdout`, `stderr` | the exact text, once masked (see `masked`); without the file it has to be empty |
/// | `stdout.contains`, `stderr.contains` | instead: lines that occur in it, in any order, perhaps within longer ones |
/// | `made` | files that appear, a name a line; any other new, lost or changed file is an error |
/// | `expected` | files that appear or change, with their whole content |
/// | `database.sql` | statements for a fresh database, which `$DATABASE_URL` then names |
struct Scenario {
  let name: String
  private let folder: URL

  /// The names of all of them.
  static let names: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: all.path)
    return (names ?? []).filter { !$0.hasPrefix(".") }.sorted()
  }()

  private static let all = repository.appendingPathComponent("Tests/Scenarios")
  private static let own = [
    "command", "exit", "stdout", "stderr", "stdout.contains", "stderr.contains", "made", "expected", "database.sql",
  ]

  init(name: String) {
    self.name = name
    folder = Scenario.all.appendingPathComponent(name)
  }

  /// Runs it and compares everything.
  func run() throws {
    guard try expectation("database.sql") != nil else { return try run(nil) }
    try Database.with { try run($0) }
  }

  private func run(_ database: Database?) throws {
    try withFolder { folder in
      for file in try FileManager.default.contentsOfDirectory(atPath: self.folder.path) where !Self.own.contains(file) {
        try FileManager.default.copyItem(
          at: self.folder.appendingPathComponent(file), to: folder.appendingPathComponent(file))
      }
      try FileManager.default.copyItem(
        at: repository.appendingPathComponent("samples"), to: folder.appendingPathComponent("samples"))
      if let database, let statements = try expectation("database.sql") { try database.run(statements) }
      let before = try files(in: folder)
      let script = try #require(try expectation("command"))
      let ended = try Tool(
        path: "/bin/bash", arguments: ["-c", script], folder: folder, environment: try environment(database)
      ).run()
      let status = try #require(try expectation("exit"), "\(name): no file exit")
      #expect("\(ended.code)\n" == status, "\(ended.err)")
      try compare("stdout", masked(ended.outText, folder, database))
      try compare("stderr", masked(ended.err, folder, database))
      try compare(before, try files(in: folder))
    }
  }

  private func environment(_ database: Database?) throws -> [String: String] {
    let binary = URL(fileURLWithPath: try rekeyTool([], in: folder).path).deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    var environment = ["PATH": "\(binary):\(path)", "LC_ALL": "C.UTF-8"]
    if let database { environment["DATABASE_URL"] = database.url }
    return environment
  }

  private func expectation(_ file: String) throws -> String? {
    let url = folder.appendingPathComponent(file)
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return String(decoding: try Data(contentsOf: url), as: UTF8.self)
  }

  private func compare(_ stream: String, _ text: String) throws {
    guard let parts = try expectation("\(stream).contains") else {
      #expect(text == (try expectation(stream) ?? ""), "\(stream)")
      return
    }
    for part in parts.split(separator: "\n") {
      #expect(text.contains(part), "\(stream) lacks the line")
    }
  }

  private func compare(_ before: [String: Data], _ after: [String: Data]) throws {
    var expected = before
    let results = folder.appendingPathComponent("expected")
    if FileManager.default.fileExists(atPath: results.path) {
      expected.merge(try files(in: results)) { _, new in new }
    }
    for made in (try expectation("made") ?? "").split(separator: "\n").map(String.init) {
      #expect(after[made] != nil, "\(made) was not made")
      expected[made] = after[made]
    }
    #expect(after.keys.sorted() == expected.keys.sorted())
    for (file, content) in expected where after[file] != nil {
      #expect(after[file] == content, "\(file) is not as expected")
    }
  }

  /// What differs from run to run is replaced by a word in capitals.
  private func masked(_ text: String, _ folder: URL, _ database: Database?) -> String {
    var text = text.replacingOccurrences(of: folder.resolvingSymlinksInPath().path, with: "FOLDER")
    if let database { text = text.replacingOccurrences(of: database.name, with: "DATABASE") }
    for (pattern, word) in [
      (#"\b\d{8}T\d{6}Z-[a-z0-9]{6}\b"#, "RUN"), (#"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\b"#, "TIME"),
      (#"127\.0\.0\.1:\d+|127\.0\.0\.1, port \d+"#, "SERVER"),
    ] {
      text = text.replacingOccurrences(of: pattern, with: word, options: .regularExpression)
    }
    return text
  }

  /// Every regular file below a folder, by its path there.
  private func files(in folder: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let url = folder.appendingPathComponent(path)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue else {
        continue
      }
      files[path] = try Data(contentsOf: url)
    }
    return files
  }
}
