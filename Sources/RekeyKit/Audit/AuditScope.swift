import Pipeline

/// What the audit lines of one table or file have in common, and how a site becomes a line.
struct AuditScope: Sendable {
  enum Place: Sendable {
    /// `schema.table`, and the names of its key's columns.
    case table(String, key: [String])
    case file(String)
  }

  var run: String
  var pipeline: String
  var place: Place
  /// The chosen columns' names, by `Cell.column`.
  var columns: [String]
  /// Each key's fingerprint, the current one first.
  var fingerprints: [String]
  /// Whether every site gets a line (`--audit-all`).
  var writesAll: Bool

  /// The lines of a batch whose outcomes are final.
  func lines(of batch: Batch) -> [UInt8] {
    var json = JSONWriter()
    for (index, site) in batch.sites.enumerated() where isWorthALine(site.outcome) {
      append(site, at: index, of: batch, to: &json)
    }
    return json.bytes
  }

  private func isWorthALine(_ outcome: Outcome) -> Bool {
    switch outcome {
    case .rekeyed, .previous, .current, .empty: writesAll
    default: true
    }
  }

  private func append(_ site: Site, at index: Int, of batch: Batch, to json: inout JSONWriter) {
    let cell = batch.cells[site.cell]
    json.object { json in
      json.key("run")
      json.string(run)
      json.key("pipeline")
      json.string(pipeline)
      switch place {
      case .table(let table, let key):
        json.key("table")
        json.string(table)
        json.key("key")
        appendKey(key, row: cell.row, of: batch, to: &json)
      case .file(let file):
        json.key("file")
        json.string(file)
        json.key("row")
        json.number(batch.rows[cell.row].number)
      }
      json.key("column")
      json.string(columns[cell.column])
      json.key("path")
      json.null()
      json.key("outcome")
      json.string(site.outcome.rawValue)
      json.key("reason")
      if let note = batch.notes[index] {
        json.string(note)
      } else if let reason = site.reason {
        json.string(reason.description)
      } else {
        json.null()
      }
      json.key("opened_by")
      if site.openedBy >= 0 { json.string(fingerprints[site.openedBy]) } else { json.null() }
    }
    json.newline()
  }

  private func appendKey(_ names: [String], row: Int, of batch: Batch, to json: inout JSONWriter) {
    json.object { json in
      batch.bytes.withUnsafeBytes { bytes in
        for (index, name) in names.enumerated() {
          let value = batch.keys[row * batch.keyWidth + index]
          json.key(name)
          json.string(UnsafeRawBufferPointer(rebasing: bytes[value.start..<value.end]))
        }
      }
    }
  }

  /// A row as people name it: `row 7`, or `id=7`.
  func label(ofRow row: Int, in batch: Batch) -> String {
    switch place {
    case .file: return "row \(batch.rows[row].number)"
    case .table(_, let key):
      return key.enumerated().map { index, name in
        let value = batch.keys[row * batch.keyWidth + index]
        return "\(name)=\(printable(String(decoding: batch.bytes[value.start..<value.end], as: UTF8.self)))"
      }.joined(separator: " ")
    }
  }
}
