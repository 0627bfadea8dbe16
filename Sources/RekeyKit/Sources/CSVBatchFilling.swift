import CSV
import Pipeline

/// A batch's arrays while it is filled: taken out of the batch, so that a row costs no claim on a shared object.
struct CSVBatchFilling {
  var bytes: [UInt8] = []
  var rows: [Row] = []
  var cells: [Cell] = []
  var keys: [Slice] = []

  init(taking batch: Batch) {
    swap(&bytes, &batch.bytes)
    swap(&rows, &batch.rows)
    swap(&cells, &batch.cells)
    swap(&keys, &batch.keys)
  }

  mutating func giveBack(to batch: Batch) {
    swap(&bytes, &batch.bytes)
    swap(&rows, &batch.rows)
    swap(&cells, &batch.cells)
    swap(&keys, &batch.keys)
  }

  /// Copies a record, and returns the index of its row.
  mutating func addRow(_ record: UnsafeRawBufferPointer, number: Int) -> Int {
    rows.append(Row(raw: Slice(start: bytes.count, length: record.count), number: number))
    bytes.append(contentsOf: record)
    return rows.count - 1
  }

  mutating func addCell(
    _ field: CSVField, of record: UnsafeRawBufferPointer, at row: Int, column: Int, _ format: CSVFormat
  ) {
    let raw = Slice(start: rows[row].raw.start + field.raw.lowerBound, length: field.raw.count)
    cells.append(Cell(row: row, column: column, value: value(of: field, of: record, at: row, format), raw: raw))
  }

  /// Where the field's value lies; where its quotes are doubled, in a copy behind the row.
  mutating func value(
    of field: CSVField, of record: UnsafeRawBufferPointer, at row: Int, _ format: CSVFormat
  ) -> Slice {
    if field.raw.isEmpty { return .null }
    let value = field.value
    if field.hasDoubledQuotes {
      let start = bytes.count
      format.appendUnescaped(UnsafeRawBufferPointer(rebasing: record[value]), to: &bytes)
      return Slice(start: start, length: bytes.count - start)
    }
    return Slice(start: rows[row].raw.start + value.lowerBound, length: value.count)
  }
}
