import Foundation
import RekeyKit
import Testing

/// Where files are read from and written to: nothing half-written stands under the output's name, ever.
struct CSVFileTests {
  private func write(_ text: String, to output: OutputFile) throws {
    try Array(text.utf8).withUnsafeBytes { try output.write($0) }
  }

  private func read(_ file: InputFile, by count: Int) throws -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: count)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
      if count == 0 { return String(decoding: text, as: UTF8.self) }
      text.append(contentsOf: buffer[..<count])
    }
  }

  @Test func reading() throws {
    let folder = try CSVScratchFolder()
    let file = try InputFile(path: folder.write("id\n1\n", to: "in.csv"))
    #expect(file.size == 5)
    #expect(try read(file, by: 2) == "id\n1\n")
  }

  @Test func aFileThatCameMeanwhileIsNotReplaced() throws {
    let folder = try CSVScratchFolder()
    let path = folder.file("out.csv")
    let output = try OutputFile(path: path, input: nil, force: false)
    try write("new\n", to: output)
    _ = try folder.write("precious\n", to: "out.csv")
    let error = #expect(throws: RekeyError.self) { try output.finish() }
    #expect(error?.message.contains("came to stand there") == true)
    output.cancel()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious\n")

    let forced = try OutputFile(path: path, input: nil, force: true)
    try write("new\n", to: forced)
    try forced.finish()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new\n")
  }

  @Test func aFileThatGetsShorterIsNoticed() throws {
    let folder = try CSVScratchFolder()
    let path = try folder.write("id\n1\n2\n", to: "in.csv")
    let file = try InputFile(path: path)
    _ = try folder.write("id\n1\n", to: "in.csv")
    let error = #expect(throws: RekeyError.self) { try read(file, by: 100) }
    #expect(error?.message.contains("got shorter while it was read (5 of 7 bytes)") == true, "\(error?.message ?? "")")
  }

  @Test func inputsThatCannotBeRead() throws {
    let folder = try CSVScratchFolder()
    var error = #expect(throws: RekeyError.self) { try InputFile(path: folder.file("none.csv")) }
    #expect(
      error?.description == "\(folder.file("none.csv")): cannot open for reading: No such file or directory")
    error = #expect(throws: RekeyError.self) { try InputFile(path: folder.path) }
    #expect(error?.description == "\(folder.path): this is a folder; name a file")
  }

  @Test func theFileAppearsWhole() throws {
    let folder = try CSVScratchFolder()
    let output = try OutputFile(path: folder.file("out.csv"), input: nil, force: false)
    try write("id\n", to: output)
    let names = try folder.names()
    #expect(names.count == 1 && names[0].hasPrefix(".out.csv.rekey-"))
    #expect(try folder.mode(of: names[0]) == 0o600)
    try write("1\n", to: output)
    try output.finish()
    #expect(try folder.names() == ["out.csv"])
    #expect(try folder.text(of: "out.csv") == "id\n1\n")
    #expect(try folder.mode(of: "out.csv") == 0o600)
    output.cancel()
    #expect(try folder.names() == ["out.csv"])
  }

  @Test func cancelLeavesNothing() throws {
    let folder = try CSVScratchFolder()
    let output = try OutputFile(path: folder.file("out.csv"), input: nil, force: false)
    try write("id\n", to: output)
    output.cancel()
    #expect(try folder.names().isEmpty)
  }

  @Test func droppingLeavesNothing() throws {
    let folder = try CSVScratchFolder()
    do {
      let output = try OutputFile(path: folder.file("out.csv"), input: nil, force: false)
      try write("id\n", to: output)
    }
    #expect(try folder.names().isEmpty)
  }

  @Test func existingOutput() throws {
    let folder = try CSVScratchFolder()
    let path = try folder.write("old", to: "out.csv")
    #expect(chmod(path, 0o640) == 0)
    let error = #expect(throws: RekeyError.self) { try OutputFile(path: path, input: nil, force: false) }
    #expect(error?.description == "\(path): the output exists already; remove it, or replace it with --force")
    #expect(error?.kind == .usage)

    let output = try OutputFile(path: path, input: nil, force: true)
    try write("new", to: output)
    #expect(try folder.text(of: "out.csv") == "old")
    try output.finish()
    #expect(try folder.text(of: "out.csv") == "new")
    #expect(try folder.mode(of: "out.csv") == 0o640)
    #expect(try folder.names() == ["out.csv"])
  }

  @Test func aReplacedLinkStaysALink() throws {
    let folder = try CSVScratchFolder()
    _ = try folder.write("old", to: "real.csv")
    try FileManager.default.createSymbolicLink(atPath: folder.file("link.csv"), withDestinationPath: "real.csv")
    let output = try OutputFile(path: folder.file("link.csv"), input: nil, force: true)
    try write("new", to: output)
    try output.finish()
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.csv")) == "real.csv")
    #expect(try folder.text(of: "real.csv") == "new")
  }

  @Test func aDanglingLinkExists() throws {
    let folder = try CSVScratchFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.file("link.csv"), withDestinationPath: "none.csv")
    let error = #expect(throws: RekeyError.self) {
      try OutputFile(path: folder.file("link.csv"), input: nil, force: false)
    }
    #expect(error?.description.contains("the output exists already") == true)
  }

  @Test(arguments: ["in.csv", "./in.csv", "hard.csv", "soft.csv"])
  func outputIsInput(name: String) throws {
    let folder = try CSVScratchFolder()
    let path = try folder.write("id\n", to: "in.csv")
    try FileManager.default.linkItem(atPath: path, toPath: folder.file("hard.csv"))
    try FileManager.default.createSymbolicLink(atPath: folder.file("soft.csv"), withDestinationPath: path)
    let input = try InputFile(path: path)
    for force in [false, true] {
      let error = #expect(throws: RekeyError.self) {
        try OutputFile(path: folder.file(name), input: input, force: force)
      }
      #expect(error?.description == "\(folder.file(name)): the output is the input; write to another file")
    }
    #expect(try folder.text(of: "in.csv") == "id\n")
  }

  @Test func foldersAreNoOutputs() throws {
    let folder = try CSVScratchFolder()
    var error = #expect(throws: RekeyError.self) { try OutputFile(path: folder.path, input: nil, force: true) }
    #expect(error?.description == "\(folder.path): this is a folder; name a file in it")
    error = #expect(throws: RekeyError.self) {
      try OutputFile(path: folder.file("none/out.csv"), input: nil, force: false)
    }
    #expect(
      error?.description
        == "\(folder.file("none/out.csv")): cannot create a file in the folder \(folder.file("none")): "
        + "No such file or directory")
  }

  /// Root may write anywhere.
  @Test(.enabled(if: geteuid() != 0, "root can write to any folder"))
  func unwritableFolder() throws {
    let folder = try CSVScratchFolder()
    #expect(chmod(folder.path, 0o500) == 0)
    defer { chmod(folder.path, 0o700) }
    let error = #expect(throws: RekeyError.self) {
      try OutputFile.check(path: folder.file("out.csv"), input: nil, force: false)
    }
    #expect(
      error?.description
        == "\(folder.file("out.csv")): cannot create a file in the folder \(folder.path): Permission denied")
  }

  @Test func checkChangesNothing() throws {
    let folder = try CSVScratchFolder()
    try OutputFile.check(path: folder.file("out.csv"), input: nil, force: false)
    #expect(try folder.names().isEmpty)
  }

  @Test func longNames() throws {
    let folder = try CSVScratchFolder()
    let name = String(repeating: "é", count: 127)
    let output = try OutputFile(path: folder.file(name), input: nil, force: false)
    try write("x", to: output)
    try output.finish()
    #expect(try folder.text(of: name) == "x")
  }

  @Test(.enabled(if: access("/dev/full", W_OK) == 0, "needs /dev/full"))
  func aFullDisk() throws {
    let output = try OutputFile(path: "/dev/full", input: nil, force: false)
    let error = #expect(throws: RekeyError.self) { try write("x", to: output) }
    #expect(error?.description == "/dev/full: cannot write: No space left on device")
    #expect(error?.kind == .fatal)
  }

  @Test func aPipeIsWrittenToAndMayClose() throws {
    signal(SIGPIPE, SIG_IGN)
    let folder = try CSVScratchFolder()
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    let output = try OutputFile(path: path, input: nil, force: false)
    try write("id\n", to: output)
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(Foundation.read(reader, &buffer, 16) == 3)
    close(reader)
    let error = #expect(throws: RekeyError.self) { try write("1\n", to: output) }
    #expect(error?.kind == .closedPipe)
    try output.finish()
    #expect(try folder.names() == ["pipe"])
  }

  @Test func shortWritesAreContinued() throws {
    // A pipe set to non-blocking takes what fits, then nothing for a while.
    let folder = try CSVScratchFolder()
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let reader = FileDescriptor(open(path, O_RDONLY | O_NONBLOCK), path: path)
    let writer = open(path, O_WRONLY | O_NONBLOCK)
    let sent = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let thread = Thread {
      try? sent.withUnsafeBytes { try FileDescriptor(writer, path: path).write($0) }
    }
    thread.start()
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 30_000)
    while received.count < sent.count {
      let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      received.append(contentsOf: buffer[..<count])
    }
    #expect(received == sent)
  }
}
