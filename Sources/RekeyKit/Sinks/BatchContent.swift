import Pipeline

/// A batch as it came from the stage, to go back to when its transaction is rolled back.
struct BatchContent {
  private let bytes: Int
  private let output: Int
  private let cells: [Cell]
  private let sites: [Site]
  private let notes: [Int: String]

  init(_ batch: Batch) {
    bytes = batch.bytes.count
    output = batch.output.count
    cells = batch.cells  // shares the storage: nothing is copied unless rows are settled
    sites = batch.sites
    notes = batch.notes
  }

  func restore(_ batch: Batch) {
    batch.bytes.removeSubrange(bytes...)  // only ever appended to
    batch.output.removeSubrange(output...)
    batch.cells = cells
    batch.sites = sites
    batch.notes = notes
  }
}

extension Batch {
  /// A batch with some of the rows.
  func copy(of part: Range<Int>) -> Batch {
    let copy = Batch()
    copy.sequence = sequence
    copy.bytes = bytes
    copy.output = output
    copy.inputEnd = inputEnd
    copy.keyWidth = keyWidth
    copy.rows = Array(rows[part])
    if keyWidth > 0 { copy.keys = Array(keys[(part.lowerBound * keyWidth)..<(part.upperBound * keyWidth)]) }
    for cell in cells where part.contains(cell.row) {
      copy.cells.append(cell)
      copy.cells[copy.cells.count - 1].row -= part.lowerBound
      copy.takeSites(of: copy.cells.count - 1, from: self)
    }
    return copy
  }

  /// Gives a cell the sites that it still has by their indices in `source`, at the end of this batch's own.
  fileprivate func takeSites(of cell: Int, from source: Batch) {
    let first = cells[cell].firstSite
    cells[cell].firstSite = sites.count
    for index in first..<(first + cells[cell].siteCount) {
      if let note = source.notes[index] { notes[sites.count] = note }
      sites.append(source.sites[index])
      sites[sites.count - 1].cell = cell
    }
  }

  /// Drops the sites that no cell has any more, after cells were given new ones.
  func dropReplacedSites() {
    let old = Batch()
    swap(&old.sites, &sites)
    swap(&old.notes, &notes)
    for cell in cells.indices { takeSites(of: cell, from: old) }
  }

  /// Puts a cell of another batch in the place of one of this batch, with its bytes and sites.
  ///
  /// - Parameters:
  ///   - shift: where the other batch's bytes and output begin in this one's.
  func replaceCell(_ cell: Int, by other: Int, of source: Batch, shift: (bytes: Int, output: Int)) {
    let new = source.cells[other]
    cells[cell].value = new.value.moved(by: shift.bytes)
    cells[cell].raw = new.raw.moved(by: shift.bytes)
    cells[cell].firstSite = sites.count
    cells[cell].siteCount = new.siteCount
    for index in new.firstSite..<(new.firstSite + new.siteCount) {
      var site = source.sites[index]
      site.cell = cell
      site.old = site.old.moved(by: shift.bytes)
      site.new = site.new.moved(by: shift.output)
      if let note = source.notes[index] { notes[sites.count] = note }
      sites.append(site)
    }
  }
}

extension Slice {
  fileprivate func moved(by distance: Int) -> Slice {
    isNull ? self : Slice(start: start + distance, length: length)
  }
}
