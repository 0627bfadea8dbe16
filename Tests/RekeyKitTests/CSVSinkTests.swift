import CSV
import Foundation
import Pipeline
import RekeyKit
import Testing

struct CSVSinkTests {
  private static let vectors = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Vectors/csv")

  private func vector(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Self.vectors.appendingPathComponent(name)))
  }

  /// Reads and writes `input` and returns the output.
  private func rewritten(
    _ input: [UInt8], delimiter: Character = ",", hasHeader: Bool = true, ragged: CSVRagged = .error, columns: [Int],
    batchBytes: Int = 1 << 20, change: (String) -> String? = { _ in nil }
  ) throws -> [UInt8] {
    let folder = try CSVScratchFolder()
    let byte = try #require(delimiter.asciiValue)
    let format = try #require(CSVFormat(delimiter: byte))
    let source = try CSVSource(
      path: "in.csv", read: csvFeed(input, chunk: 4096), format: format, hasHeader: hasHeader, ragged: ragged,
      batchRows: 100, batchBytes: batchBytes)
    try source.choose(columns: columns)
    let output = try OutputFile(path: folder.file("out.csv"), input: nil, force: false)
    try csvPump(source, to: output, format: format, change: change)
    return try folder.bytes(of: "out.csv")
  }

  private func rewritten(
    _ input: String, delimiter: Character = ",", columns: [Int], change: (String) -> String? = { _ in nil }
  ) throws -> String {
    String(
      decoding: try rewritten(Array(input.utf8), delimiter: delimiter, columns: columns, change: change), as: UTF8.self)
  }

  @Test(arguments: [
    "users-big.csv", "users-bom-crlf.csv", "users-bom.csv", "users-crlf.csv", "users-edge.csv", "users-gcm.csv",
    "users-lf.csv", "users-noeol.csv",
  ])
  func unchangedFilesAreTheSame(name: String) throws {
    let input = try vector(name)
    #expect(try rewritten(input, columns: [0, 1, 2, 3]) == input)
    #expect(try rewritten(input, hasHeader: false, columns: [], batchBytes: 1) == input)
  }

  @Test(arguments: [
    "users-bom-crlf.csv", "users-bom.csv", "users-crlf.csv", "users-edge.csv", "users-gcm.csv", "users-lf.csv",
    "users-noeol.csv",
  ])
  func changedCellsAloneDiffer(name: String) throws {
    let input = try vector(name)
    func read(_ bytes: [UInt8]) throws -> CSVReading {
      let source = try CSVSource(
        path: name, read: csvFeed(bytes, chunk: 1 << 16), format: CSVFormat(), hasHeader: true)
      try source.choose(columns: [0, 1, 2, 3])
      return try csvRead(source)
    }
    let before = try read(input)
    // Special bytes in every second value, none in the others.
    let change: (String) -> String? = { $0.utf8.count % 2 == 0 ? "<\($0),\"\n>" : "<\($0.filter { $0 != "\n" })>" }
    let after = try read(rewritten(input, columns: [2, 3], change: change))
    #expect(before.cells.count == after.cells.count && before.header == after.header)
    for (old, new) in zip(before.cells, after.cells) {
      guard old.column >= 2, let value = old.value else {
        #expect(old == new)
        continue
      }
      #expect(new.value == change(value))
      if old.raw.hasPrefix("\"") { #expect(new.raw.hasPrefix("\"")) }
    }
    // And with the old values put back, the file is the old one (a quote stays where a value needed it in between).
    var values = before.cells.filter { $0.column >= 2 }.compactMap(\.value)[...]
    let back = try rewritten(input, columns: [2, 3], change: { _ in values.popFirst() })
    #expect(back == input)
  }

  /// With a byte of a real file replaced, what can still be read comes out as it went in.
  @Test(arguments: Array("\",\n\r;a\0".utf8))
  func mutatedFilesAreTheSame(byte: UInt8) throws {
    let input = try vector("users-edge.csv")
    var readable = 0
    for position in stride(from: 0, to: input.count, by: 211) {
      var mutated = input
      mutated[position] = byte
      guard let output = try? rewritten(mutated, ragged: .pass, columns: [2, 3]) else { continue }
      readable += 1
      #expect(output == mutated, "byte \(position)")
    }
    #expect(readable > 0)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var input: String
    var delimiter: Character = ","
    var new: String
    var output: String
    var testDescription: String { "\(input) with \(new)" }
  }

  @Test(arguments: [
    Case(input: "a,b\n1,x\n", new: "new", output: "a,b\n1,new\n"),
    Case(input: "a,b\r\n1,\"x\"\r\n\r\n", new: "new", output: "a,b\r\n1,\"new\"\r\n\r\n"),
    Case(input: "a,b\n1,\"\"\"x\"\"\"", new: "\"y\"", output: "a,b\n1,\"\"\"y\"\"\""),
    Case(input: "a,b\n1,x", new: "y,z", output: "a,b\n1,\"y,z\""),
    Case(input: "a;b\n1;x\n", delimiter: ";", new: "y,z", output: "a;b\n1;y,z\n"),
    Case(input: "a,b\n1,x\n", new: "", output: "a,b\n1,\"\"\n"),
    Case(input: "a,b\n1, \"x\"\n", new: " \"y\"", output: "a,b\n1, \"y\"\n"),
    Case(input: "a,b\n1,\n2,\"\"\n3,x\n", new: "y", output: "a,b\n1,\n2,\"y\"\n3,y\n"),
  ])
  func quotingStaysAsItWas(_ test: Case) throws {
    #expect(
      try rewritten(test.input, delimiter: test.delimiter, columns: [1], change: { _ in test.new }) == test.output)
  }

  @Test func twoCellsOfARow() throws {
    let output = try rewritten("a,b,c,d\n1,\"x\"\"\",3,y\n5,,7,z\n", columns: [3, 1], change: { "<\($0)>" })
    #expect(output == "a,b,c,d\n1,\"<x\"\">\",3,<y>\n5,,7,<z>\n")
  }

  @Test func partsOfAValueAreReplaced() throws {
    let folder = try CSVScratchFolder()
    let source = try CSVSource(
      path: "in.csv", read: csvFeed(Array("a\n\"{\"\"k\"\":\"\"old\"\"}\"\n".utf8), chunk: 64), format: CSVFormat(),
      hasHeader: true)
    try source.choose(columns: [0])
    let batch = Batch()
    #expect(try source.read(into: batch))
    var site = Site(cell: 0, old: Slice(start: batch.cells[0].value.start + 6, length: 3))
    batch.output = Array("new".utf8)
    site.new = Slice(start: 0, length: 3)
    batch.sites = [site]
    batch.cells[0].siteCount = 1
    let output = try OutputFile(path: folder.file("out.csv"), input: nil, force: false)
    let sink = CSVSink(output: output, header: source.header.bytes, format: CSVFormat()) { _ in }
    try sink.write(batch)
    try sink.finish()
    #expect(try folder.text(of: "out.csv") == "a\n\"{\"\"k\"\":\"\"new\"\"}\"\n")
  }

  @Test func outcomesAreSettledBeforeBytesAreWritten() throws {
    let folder = try CSVScratchFolder()
    let source = try CSVSource(
      path: "in.csv", read: csvFeed(Array("a\n1\n".utf8), chunk: 64), format: CSVFormat(), hasHeader: true)
    let batch = Batch()
    #expect(try source.read(into: batch))
    let sink = CSVSink(
      output: try OutputFile(path: folder.file("out.csv"), input: nil, force: false), header: source.header.bytes,
      format: CSVFormat()
    ) { batch in
      #expect(batch.rows.count == 1)
      throw RekeyError(.fatal, "the audit log is full")
    }
    #expect(throws: RekeyError(.fatal, "the audit log is full")) { try sink.write(batch) }
    sink.cancel()
    #expect(try folder.names().isEmpty)
  }
}
