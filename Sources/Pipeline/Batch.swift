/// A range of a batch's byte buffer: an offset and a length, both in bytes.
package struct Slice: Equatable, Sendable {
  package var start: Int
  /// -1 stands for NULL.
  package var length: Int

  package init(start: Int, length: Int) {
    self.start = start
    self.length = length
  }

  package static let null = Slice(start: 0, length: -1)

  package var isNull: Bool { length < 0 }
  package var end: Int { start + max(length, 0) }
}

/// One row of a batch.
package struct Row: Sendable {
  /// The whole row as it was read (CSV, line end included); empty where rows have no raw form.
  package var raw: Slice
  /// Data records are counted from 1 over the whole input (CSV, dry run and audit of PostgreSQL).
  package var number: Int

  package init(raw: Slice, number: Int) {
    self.raw = raw
    self.number = number
  }
}

/// One chosen value: a row, a column and where its bytes lie in `Batch.bytes`.
package struct Cell: Sendable {
  /// The index in `Batch.rows`.
  package var row: Int
  /// The index in the pipeline's list of chosen columns.
  package var column: Int
  /// The value's bytes; of a quoted CSV field, what the quotes hold, unescaped.
  package var value: Slice
  /// What a new value replaces in `Batch.bytes`: of a CSV field its raw form with the quotes, else the value itself.
  package var raw: Slice
  /// The index of the cell's first site and the number of its sites.
  package var firstSite = 0
  package var siteCount = 0

  package init(row: Int, column: Int, value: Slice, raw: Slice) {
    self.row = row
    self.column = column
    self.value = value
    self.raw = raw
  }
}

/// One payload's place in a cell, and what became of it.
package struct Site: Sendable {
  /// The index in `Batch.cells`.
  package var cell: Int
  /// The payload's bytes in `Batch.bytes`, inside the cell's value.
  package var old: Slice
  /// The new bytes in `Batch.output`; `.null` while the site stays as it is.
  package var new = Slice.null
  package var outcome = Outcome.plaintext
  /// Which key opened it: 0 the current one, n previous[n - 1], -1 none.
  package var openedBy = -1
  /// Why, in a few words, where the outcome needs it; never a value.
  package var reason: StaticString?

  package init(cell: Int, old: Slice) {
    self.cell = cell
    self.old = old
  }

  package var isChanged: Bool { !new.isNull }
}

/// Rows on their way through the pipeline: flat byte buffers and offsets into them.
///
/// A batch belongs to one queue at a time: the source fills it, a worker transforms it, the sink writes it, and the
/// runner hands it back to the source. Its buffers keep their capacity when it is reused.
package final class Batch: @unchecked Sendable {  // handed from queue to queue by the runner, never shared by two
  /// The position in its shard, from 0.
  package var sequence = 0
  /// What was read: rows, and unescaped values behind them.
  package var bytes: [UInt8] = []
  /// New payloads, written by the stage.
  package var output: [UInt8] = []
  package var rows: [Row] = []
  /// `keyWidth` slices of `bytes` for each row: the primary key as text.
  package var keys: [Slice] = []
  package var keyWidth = 0
  package var cells: [Cell] = []
  package var sites: [Site] = []
  /// Reasons that are known only at run time (an SQLSTATE), by site.
  package var notes: [Int: String] = [:]
  /// The outcomes of this batch; filled by the sink when they are final.
  package var tally = Tally()
  /// Where the source stands after this batch, in bytes of input (files).
  package var inputEnd = 0

  package init() {}

  /// Empties the batch for its next use.
  package func reset() {
    bytes.removeAll(keepingCapacity: true)
    output.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    sites.removeAll(keepingCapacity: true)
    notes.removeAll()
    tally = Tally()
    inputEnd = 0
  }

  /// Adds a cell with its sites left to the stage.
  package func addCell(row: Int, column: Int, value: Slice, raw: Slice) {
    cells.append(Cell(row: row, column: column, value: value, raw: raw))
  }

  /// Appends bytes and returns where they lie.
  package func append(_ source: UnsafeRawBufferPointer) -> Slice {
    let start = bytes.count
    bytes.append(contentsOf: source)
    return Slice(start: start, length: source.count)
  }

  /// Whether any site of the cell has new bytes.
  package func isChanged(_ cell: Cell) -> Bool {
    for site in cell.firstSite..<(cell.firstSite + cell.siteCount) where sites[site].isChanged { return true }
    return false
  }

  /// Appends the cell's new value to `target`: gap, site, gap.
  package func splice(_ cell: Cell, into target: inout [UInt8]) {
    var at = cell.value.start
    for index in cell.firstSite..<(cell.firstSite + cell.siteCount) where sites[index].isChanged {
      let site = sites[index]
      target.append(contentsOf: bytes[at..<site.old.start])
      target.append(contentsOf: output[site.new.start..<site.new.end])
      at = site.old.end
    }
    target.append(contentsOf: bytes[at..<cell.value.end])
  }
}
