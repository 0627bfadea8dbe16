import CSV
import Pipeline
import RekeyKit

/// Bytes that arrive `chunk` at a time.
func csvFeed(_ bytes: [UInt8], chunk: Int) -> (UnsafeMutableRawBufferPointer) throws -> Int {
  var rest = bytes[...]
  return { buffer in
    let part = rest.prefix(min(chunk, buffer.count))
    buffer.copyBytes(from: part)
    rest = rest.dropFirst(part.count)
    return part.count
  }
}

/// What a source hands out, copied from its batches.
struct CSVReading: Equatable {
  var header: [String] = []
  /// For each row: its raw bytes.
  var rows: [[UInt8]] = []
  var numbers: [Int] = []
  /// For each cell: its row's number, column, value (nil is NULL) and raw field.
  var cells: [CSVCell] = []
  var keys: [[String?]] = []
  var batchSizes: [Int] = []
}

struct CSVCell: Equatable {
  var row: Int
  var column: Int
  var value: String?
  var raw: String
}

/// Reads a source to its end.
func csvRead(_ source: CSVSource) throws -> CSVReading { try csvRead(source, header: source.header.names) }

func csvRead(_ source: any Source, header: [String]) throws -> CSVReading {
  var reading = CSVReading(header: header)
  let batch = Batch()
  while try source.read(into: batch) {
    reading.batchSizes.append(batch.rows.count)
    for row in batch.rows {
      reading.rows.append(Array(batch.bytes[row.raw.start..<row.raw.end]))
      reading.numbers.append(row.number)
    }
    for cell in batch.cells {
      reading.cells.append(
        CSVCell(
          row: batch.rows[cell.row].number, column: cell.column, value: csvText(cell.value, batch),
          raw: csvText(cell.raw, batch) ?? "NULL"))
    }
    for row in batch.rows.indices where batch.keyWidth > 0 {
      reading.keys.append((0..<batch.keyWidth).map { csvText(batch.keys[row * batch.keyWidth + $0], batch) })
    }
    batch.reset()
  }
  return reading
}

/// Sends a source's rows through a sink, with the values that `change` gives in place of the old; nil leaves one.
func csvPump(
  _ source: CSVSource, to output: OutputFile, format: CSVFormat = CSVFormat(),
  change: (String) -> String? = { _ in nil }
) throws {
  let sink = CSVSink(output: output, header: source.header.bytes, format: format) { _ in }
  let batch = Batch()
  while try source.read(into: batch) {
    for index in batch.cells.indices {
      let cell = batch.cells[index]
      guard let value = csvText(cell.value, batch), let new = change(value) else { continue }
      batch.cells[index].firstSite = batch.sites.count
      batch.cells[index].siteCount = 1
      var site = Site(cell: index, old: cell.value)
      site.new = Slice(start: batch.output.count, length: new.utf8.count)
      batch.output.append(contentsOf: new.utf8)
      batch.sites.append(site)
    }
    try sink.write(batch)
    batch.reset()
  }
  try sink.finish()
}

private func csvText(_ slice: Slice, _ batch: Batch) -> String? {
  slice.isNull ? nil : String(decoding: batch.bytes[slice.start..<slice.end], as: UTF8.self)
}
