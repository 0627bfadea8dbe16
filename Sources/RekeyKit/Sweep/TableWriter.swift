import CSV
import Pipeline
import Postgres

/// A table that a CSV file updates by key.
struct TableWriter {
  let connection: Connection
  let table: PostgresTable
  /// Where the CSV holds the key's columns, in the key's order.
  let keyIndexes: [Int]
  let header: CSVHeader
  let format: CSVFormat
  let insertsMissing: Bool

  func makeSink(_ recorder: Recorder, _ makeStage: @escaping @Sendable () throws -> RekeyStage) throws -> any Sink {
    PostgresSink(
      connection, table: table, checkpoint: nil, stage: try makeStage(), insert: insertsMissing ? insert : nil,
      settled: recorder.settle)
  }

  /// Inserts the columns that the CSV and the table both have.
  private var insert: PostgresInsert {
    let shared = header.names.enumerated().compactMap { index, name in
      table.table.column(named: name).flatMap { $0.isGenerated ? nil : (index, $0) }
    }
    let indexes = shared.map(\.0)
    let format = format
    return PostgresInsert(columns: shared.map(\.1)) { batch, row in
      try fields(of: row, in: batch, at: indexes, format)
    }
  }
}

/// A row's fields with the new values in their places; an unquoted empty field is NULL.
private func fields(of row: Int, in batch: Batch, at indexes: [Int], _ format: CSVFormat) throws -> [[UInt8]?] {
  let raw = batch.rows[row].raw
  let record = Array(batch.bytes[raw.start..<raw.end])
  let wanted = indexes.sorted()
  var parser = CSVParser(format: format, hasHeader: false, wanted: wanted)
  return try record.withUnsafeBytes { bytes in
    _ = try parser.next(in: bytes, isLast: true)
    return indexes.map { index in
      let field = parser.fields[wanted.firstIndex(of: index)!]
      if let cell = changedCell(at: raw.start + field.raw.lowerBound, row: row, in: batch) {
        var value: [UInt8] = []
        batch.splice(cell, into: &value)
        return value
      }
      if field.raw.isEmpty { return nil }
      var value: [UInt8] = []
      format.appendUnescaped(UnsafeRawBufferPointer(rebasing: bytes[field.value]), to: &value)
      return value
    }
  }
}

private func changedCell(at start: Int, row: Int, in batch: Batch) -> Cell? {
  batch.cells.first { $0.row == row && $0.raw.start == start && batch.isChanged($0) }
}
