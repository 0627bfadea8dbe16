import CSV
import Pipeline

/// Reads a CSV, a file or what `COPY … TO STDOUT (FORMAT csv, HEADER)` sends, as batches.
///
/// A row's `raw` is its record with the line end (and blank lines that follow). A cell's `raw` is the field as it is
/// written; its `value` is what the quotes hold (unescaped behind the row where quotes are doubled), and NULL for an
/// unquoted empty field. A row's cells come in the order of their fields.
///
/// ```swift
/// let source = try CSVSource(path: file.path, read: file.read, format: CSVFormat(), hasHeader: true)
/// source.choose(columns: [try source.header.index(of: .name("api_token"))])
/// ```
package final class CSVSource: Source, @unchecked Sendable {  // used from its lane's reading queue alone
  package static let defaultMaxRecordBytes = 64 << 20

  package let header: CSVHeader
  /// Rows that were left as they are because of `CSVRagged.pass`: what they hold isn't known.
  package private(set) var raggedRows = 0
  /// The number of the first of them.
  package private(set) var firstRaggedRow: Int?

  private var reader: CSVRecordReader
  private let format: CSVFormat
  private let batchRows: Int
  private let batchBytes: Int
  /// For each wanted field, in the reader's order: the column's index in the list of chosen columns, if it is one.
  private var cellColumns: [Int?] = []
  /// For each key column: its place among the wanted fields.
  private var keyFields: [Int] = []
  /// A record that was read but is for the next batch; the reader isn't called before it is used.
  private var held: UnsafeRawBufferPointer?

  /// Reads the header, or without one only counts the first record's fields.
  ///
  /// `path` names the input in messages; `read` fills a buffer and returns the number of bytes, 0 at the end. Throws
  /// `RekeyError` where the input is empty but should have a header, or isn't CSV, and what `read` throws.
  package init(
    path: String, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int, format: CSVFormat, hasHeader: Bool,
    ragged: CSVRagged = .error, batchRows: Int = 1000, batchBytes: Int = 4 << 20,
    maxRecordBytes: Int = CSVSource.defaultMaxRecordBytes, bufferBytes: Int = 256 << 10
  ) throws {
    self.format = format
    self.batchRows = batchRows
    self.batchBytes = batchBytes
    reader = CSVRecordReader(
      path: path, parser: CSVParser(format: format, ragged: ragged, hasHeader: hasHeader),
      maxRecordBytes: maxRecordBytes, bufferBytes: bufferBytes, fill: read)
    let columnCount = try reader.countFirstFields()
    guard hasHeader || columnCount == 0 else {
      header = CSVHeader(path: path, bytes: [], names: [], columnCount: columnCount)
      return
    }
    if hasHeader, columnCount == 0 { throw RekeyError(.fatal, "\(path): there is no header: the input is empty") }
    reader.wanted = Array(0..<columnCount)
    // Without a header this is a blank input's line ends, which have to be written too.
    guard let record = try reader.next() else {
      header = CSVHeader(path: path, bytes: [], names: [], columnCount: 0)
      return
    }
    let names = reader.fields.map { field in
      var name: [UInt8] = []
      let value = UnsafeRawBufferPointer(rebasing: record[field.value])
      if field.hasDoubledQuotes { format.appendUnescaped(value, to: &name) } else { name.append(contentsOf: value) }
      return String(decoding: name, as: UTF8.self)
    }
    header = CSVHeader(path: path, bytes: Array(record), names: names, columnCount: columnCount)
    reader.wanted = []
  }

  /// Chooses what batches hold, by indexes from 0, before the first `read`.
  ///
  /// A cell's `column` is the position in `columns`; a row's keys come in the order of `keys`. Throws `RekeyError`
  /// where a column is chosen twice, or is not there.
  package func choose(columns: [Int], keys: [Int] = []) throws(RekeyError) {
    for (position, column) in columns.enumerated() where columns[..<position].contains(column) {
      throw RekeyError(.usage, "\(header.path): \(header.label(of: column)) is chosen twice")
    }
    let wanted = Set(columns).union(keys).sorted()
    // An empty input is fine: no row lacks the column.
    if header.columnCount > 0, let column = wanted.first(where: { !(0..<header.columnCount).contains($0) }) {
      throw RekeyError(
        .usage, "\(header.path): there is no column #\(column + 1): the first record has \(header.columnCount)")
    }
    reader.wanted = wanted
    cellColumns = wanted.map { columns.firstIndex(of: $0) }
    keyFields = keys.compactMap { wanted.firstIndex(of: $0) }
  }

  package func read(into batch: Batch) throws -> Bool {
    batch.keyWidth = keyFields.count
    var filling = CSVBatchFilling(taking: batch)
    defer { filling.giveBack(to: batch) }
    try fill(&filling, from: &reader, &held)
    batch.inputEnd = reader.offset - (held?.count ?? 0)
    return !filling.rows.isEmpty
  }

  /// The reader is passed in, so that it is claimed once for a batch rather than for each row.
  private func fill(
    _ batch: inout CSVBatchFilling, from reader: inout CSVRecordReader, _ held: inout UnsafeRawBufferPointer?
  ) throws {
    let cellColumns = cellColumns
    let keyFields = keyFields
    while batch.rows.count < batchRows, let record = try held ?? reader.next() {
      held = nil
      if !batch.rows.isEmpty, batch.bytes.count + record.count > batchBytes {
        held = record
        return
      }
      let row = batch.addRow(record, number: reader.row)
      if reader.isRagged {
        raggedRows += 1
        firstRaggedRow = firstRaggedRow ?? reader.row
        for _ in keyFields { batch.keys.append(.null) }
        continue
      }
      let fields = reader.fields
      for index in fields.indices {
        guard let column = cellColumns[index] else { continue }
        batch.addCell(fields[index], of: record, at: row, column: column, format)
      }
      for index in keyFields {
        batch.keys.append(batch.value(of: fields[index], of: record, at: row, format))
      }
    }
  }
}
