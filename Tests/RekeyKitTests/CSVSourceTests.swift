import CSV
import Pipeline
import Testing

@testable import RekeyKit

struct CSVSourceTests {
  private func source(
    _ text: String, hasHeader: Bool = true, ragged: CSVRagged = .error, batchRows: Int = 1000,
    batchBytes: Int = 1 << 20,
    maxRecordBytes: Int = CSVSource.defaultMaxRecordBytes, chunk: Int = 7
  ) throws -> CSVSource {
    // A buffer of 16 bytes has to grow and to be refilled all the time.
    try CSVSource(
      path: "users.csv", read: csvFeed(Array(text.utf8), chunk: chunk), format: CSVFormat(), hasHeader: hasHeader,
      ragged: ragged, batchRows: batchRows, batchBytes: batchBytes, maxRecordBytes: maxRecordBytes, bufferBytes: 16)
  }

  @Test(arguments: [1, 2, 3, 5, 16, 1000])
  func rowsAndCells(chunk: Int) throws {
    let input = "\u{FEFF}id,\"e\"\"mail\",token\r\n1,\"a\"\"b\n\",\r\n2,\"\",plain\r\n3,x,\"q,\"\"q\"\"\""
    let source = try source(input, chunk: chunk)
    #expect(source.header.names == ["id", "e\"mail", "token"])
    #expect(String(decoding: source.header.bytes, as: UTF8.self) == "\u{FEFF}id,\"e\"\"mail\",token\r\n")
    try source.choose(columns: [2, 1], keys: [0, 1])
    let reading = try csvRead(source)
    #expect(
      reading.rows.map { String(decoding: $0, as: UTF8.self) } == [
        "1,\"a\"\"b\n\",\r\n", "2,\"\",plain\r\n", "3,x,\"q,\"\"q\"\"\"",
      ])
    #expect(reading.numbers == [1, 2, 3])
    #expect(
      reading.cells == [
        CSVCell(row: 1, column: 1, value: "a\"b\n", raw: "\"a\"\"b\n\""),
        CSVCell(row: 1, column: 0, value: nil, raw: ""),
        CSVCell(row: 2, column: 1, value: "", raw: "\"\""),
        CSVCell(row: 2, column: 0, value: "plain", raw: "plain"),
        CSVCell(row: 3, column: 1, value: "x", raw: "x"),
        CSVCell(row: 3, column: 0, value: "q,\"q\"", raw: "\"q,\"\"q\"\"\""),
      ])
    #expect(reading.keys == [["1", "a\"b\n"], ["2", ""], ["3", "x"]])
  }

  @Test func withoutAHeader() throws {
    let source = try source("1,a\n2,b\n", hasHeader: false)
    #expect(source.header.names.isEmpty)
    #expect(source.header.bytes.isEmpty)
    #expect(source.header.columnCount == 2)
    try source.choose(columns: [source.header.index(of: .number(2))])
    let reading = try csvRead(source)
    #expect(reading.numbers == [1, 2])
    #expect(reading.cells.map(\.value) == ["a", "b"])
  }

  @Test func batchesEndAtTheirLimits() throws {
    let rows = (1...10).map { "\($0 % 10),abcdef\n" }.joined()
    let source = try source("id,v\n" + rows, batchRows: 4)
    #expect(try csvRead(source).batchSizes == [4, 4, 2])

    // 9 bytes a row: two make 18.
    let byBytes = try self.source("id,v\n" + rows, batchBytes: 20)
    #expect(try csvRead(byBytes).batchSizes == [2, 2, 2, 2, 2])
  }

  @Test func aRowLargerThanABatchIsABatch() throws {
    let large = String(repeating: "x", count: 500)
    let source = try source("id,v\n1,a\n2,\(large)\n3,b\n4,c\n", batchBytes: 100)
    let reading = try csvRead(source)
    #expect(reading.batchSizes == [1, 1, 2])
    #expect(reading.rows[1].count == 503)
  }

  @Test func inputEndIsWhereTheBatchEnds() throws {
    let source = try source("id,v\n1,abc\n2,abc\n3,abc\n", batchRows: 2)
    let batch = Batch()
    #expect(try source.read(into: batch))
    #expect(batch.inputEnd == 17)
    batch.reset()
    #expect(try source.read(into: batch))
    #expect(batch.inputEnd == 23)
    batch.reset()
    #expect(try !source.read(into: batch))
  }

  @Test(arguments: [1, 1000])
  func aHeldBatchIsReadAgain(batchRows: Int) throws {
    let input = "id,v\n1,\"a\"\"b\"\n2,b\n3,c\n"
    func opened() throws -> CSVSource {
      let source = try self.source(input, batchRows: batchRows)
      try source.choose(columns: [1], keys: [0])
      return source
    }
    let expected = try csvRead(opened())
    #expect(expected.rows.count == 3)

    let source = try opened()
    let batch = Batch()
    #expect(try source.read(into: batch))
    #expect(batch.rows.count == min(batchRows, 3))
    // What a stage does to the held batch doesn't show later.
    batch.sites.append(Site(cell: 0, old: .null))
    batch.output.append(0)
    #expect(try csvRead(HeldSource([batch], then: source), header: source.header.names) == expected)
  }

  @Test func raggedRowsPassWithoutCells() throws {
    let source = try source("id,v\n1\n2,a\n3,b,c\n", ragged: .pass)
    try source.choose(columns: [1], keys: [0])
    let reading = try csvRead(source)
    #expect(reading.rows.count == 3)
    #expect(reading.cells == [CSVCell(row: 2, column: 0, value: "a", raw: "a")])
    #expect(reading.keys == [[nil], ["2"], [nil]])
    #expect(source.raggedRows == 2)
    #expect(source.firstRaggedRow == 1)
  }

  @Test func blankInputWithoutAHeader() throws {
    let source = try source("\n\n", hasHeader: false)
    #expect(source.header.columnCount == 0)
    #expect(String(decoding: source.header.bytes, as: UTF8.self) == "\n\n")
    #expect(try csvRead(source).rows.isEmpty)
  }

  @Test func nothingWithoutAHeader() throws {
    let source = try source("", hasHeader: false)
    #expect(source.header.columnCount == 0)
    try source.choose(columns: [source.header.index(of: .number(3))])
    #expect(try csvRead(source).rows.isEmpty)
  }

  @Test func headerAlone() throws {
    let source = try source("id,v")
    try source.choose(columns: [1])
    #expect(try csvRead(source).rows.isEmpty)
  }

  @Test(arguments: ["", "\n", "\u{FEFF}\r\n"])
  func noHeader(input: String) {
    let error = #expect(throws: RekeyError.self) { try source(input) }
    #expect(error?.description == "users.csv: there is no header: the input is empty")
  }

  @Test func brokenRowsNameTheFile() throws {
    let source = try source("id,v\n1,a\n2,\"b\"c\n")
    let error = #expect(throws: RekeyError.self) { try csvRead(source) }
    #expect(
      error?.description
        == "users.csv: row 2, byte 14: text after a closing quote; a quote inside a quoted field has to be doubled")
    #expect(error?.kind == .fatal)
  }

  @Test func recordsHaveALimit() throws {
    let source = try source("id,v\n1,\"\(String(repeating: "a\n", count: 100))", maxRecordBytes: 64)
    let error = #expect(throws: RekeyError.self) { try csvRead(source) }
    #expect(
      error?.description
        == "users.csv: row 1, byte 5: this record is larger than 64 bytes; is the quote at byte 7 left open?")
  }

  @Test func readErrorsPass() throws {
    var calls = 0
    let source = try CSVSource(
      path: "users.csv",
      read: { buffer in
        calls += 1
        if calls > 1 { throw RekeyError(.fatal, "gone") }
        buffer.copyBytes(from: "id\n1\n".utf8)
        return 5
      }, format: CSVFormat(), hasHeader: true)
    let error = #expect(throws: RekeyError.self) { try csvRead(source) }
    #expect(error?.description == "gone")
  }

  @Test func choicesThatCannotBe() throws {
    let source = try source("id,v\n1,a\n")
    var error = #expect(throws: RekeyError.self) { try source.choose(columns: [1, 1]) }
    #expect(error?.description == "users.csv: column 'v' is chosen twice")
    error = #expect(throws: RekeyError.self) { try source.choose(columns: [2]) }
    #expect(error?.description == "users.csv: there is no column #3: the first record has 2")
  }
}
