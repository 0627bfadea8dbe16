import Foundation
import Testing

/// What a program that has ended left behind.
struct Ended {
  var code: Int32
  var out: Data
  var err: String

  var outText: String { String(decoding: out, as: UTF8.self) }
}

/// A program under test or beside it, run to its end; output goes through files, so that no pipe can fill up.
struct Tool {
  var path: String
  var arguments: [String]
  var folder: URL
  var environment: [String: String] = [:]
  var input: Data?

  func run() throws -> Ended {
    let (process, files) = try launch()
    process.waitUntilExit()
    return try files.collect(process)
  }

  /// Starts the program; whoever calls this ends or awaits it.
  func launch() throws -> (Process, Files) {
    let files = try Files(folder: folder, input: input)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = files.input
    process.standardOutput = files.out
    process.standardError = files.err
    try process.run()
    return (process, files)
  }

  struct Files {
    let outURL: URL
    let errURL: URL
    let input: FileHandle
    let out: FileHandle
    let err: FileHandle

    init(folder: URL, input data: Data?) throws {
      let base = FileManager.default.temporaryDirectory.appendingPathComponent("tool-\(UUID().uuidString)")
      outURL = base.appendingPathExtension("out")
      errURL = base.appendingPathExtension("err")
      let inURL = base.appendingPathExtension("in")
      for url in [outURL, errURL, inURL] {
        try (url == inURL ? data ?? Data() : Data()).write(to: url)
      }
      input = try FileHandle(forReadingFrom: inURL)
      out = try FileHandle(forWritingTo: outURL)
      err = try FileHandle(forWritingTo: errURL)
      try FileManager.default.removeItem(at: inURL)
    }

    func collect(_ process: Process) throws -> Ended {
      defer {
        try? FileManager.default.removeItem(at: outURL)
        try? FileManager.default.removeItem(at: errURL)
      }
      let signalled = process.terminationReason == .uncaughtSignal
      return Ended(
        code: signalled ? 128 + process.terminationStatus : process.terminationStatus,
        out: try Data(contentsOf: outURL), err: String(decoding: try Data(contentsOf: errURL), as: UTF8.self))
    }
  }
}

/// The repository's folder.
let repository = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// A fresh folder, removed at the end of the test.
func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rekey-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}

/// The built program.
func rekey(_ arguments: String..., in folder: URL, environment: [String: String] = [:], input: Data? = nil) throws
  -> Ended
{ try rekeyTool(arguments, in: folder, environment: environment, input: input).run() }

func rekeyTool(_ arguments: [String], in folder: URL, environment: [String: String] = [:], input: Data? = nil) throws
  -> Tool
{
  let binary = try #require(
    ProcessInfo.processInfo.environment["REKEY_BINARY"], "REKEY_BINARY must name the built program")
  return Tool(path: binary, arguments: arguments, folder: folder, environment: environment, input: input)
}
