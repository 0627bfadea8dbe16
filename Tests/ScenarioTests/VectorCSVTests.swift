import Foundation
import Testing

/// Every cell of the CSV files that real Laravel made gets its recorded status, and what is re-keyed opens there again.
@Suite(.serialized) struct VectorCSVTests {
  static let vectors = repository.appendingPathComponent("Tests/Vectors/csv")

  struct Expected {
    var row: Int
    var column: String
    var status: String
    var kind: String
    var sha: String
    var plaintext: Data?
  }

  @Test(arguments: ["lf", "crlf", "bom", "bom-crlf", "noeol", "edge", "big", "gcm"])
  func everyCellGetsItsStatus(name: String) throws {
    try withFolder { folder in
      let cipher = name == "gcm" ? "AES-256-GCM" : "AES-256-CBC"
      let env = name == "gcm" ? "new-gcm.env" : "new-cbc.env"
      let source = Self.vectors.appendingPathComponent("users-\(name).csv")
      try FileManager.default.copyItem(
        at: Self.vectors.appendingPathComponent(env), to: folder.appendingPathComponent(".env"))
      try Data(
        """
        keys: { current: "dotenv:.env#APP_KEY", previous: ["dotenv:.env#APP_PREVIOUS_KEYS"] }
        cipher: \(cipher)
        source: { csv: { path: \(source.path) } }
        columns: [api_token, two_factor_secret]
        sink: { csv: { path: out.csv } }
        audit: { path: audit.jsonl }
        limits: { failures_allowed: 1000, batch_rows: 7 }
        """.utf8
      ).write(to: folder.appendingPathComponent("p.yaml"))
      let ended = try rekey("run", "--audit-all", "p.yaml", in: folder)
      #expect(ended.code == 0, "\(ended.err)")
      let expected = try Self.expectations(name)
      var outcomes: [String: String] = [:]
      for line in try jsonLines(Data(contentsOf: folder.appendingPathComponent("audit.jsonl"))) {
        guard let row = line["row"] as? Int, let column = line["column"] as? String else { continue }
        outcomes["\(row) \(column)"] = line["outcome"] as? String
      }
      #expect(outcomes.count == expected.count)
      for cell in expected {
        let outcome = outcomes["\(cell.row) \(cell.column)"]
        #expect(
          Self.accepted(cell).contains(outcome ?? ""),
          "row \(cell.row) \(cell.column) (\(cell.kind)): \(outcome ?? "nothing")")
      }
      try check(source, folder.appendingPathComponent("out.csv"), expected, cipher: cipher)
    }
  }

  /// The recorded statuses in rekey's words.
  static func accepted(_ cell: Expected) -> [String] {
    switch cell.status {
    case "ok": ["rekeyed"]
    case "malformed": ["payload_invalid"]
    default: [cell.status]
    }
  }

  static func expectations(_ name: String) throws -> [Expected] {
    let text = try String(contentsOf: vectors.appendingPathComponent("users-\(name).expected.csv"), encoding: .utf8)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    let header = SimpleCSV.fields(lines[0])
    return try lines.dropFirst().map { line in
      let fields = SimpleCSV.fields(line)
      func value(_ name: String) throws -> String { fields[try #require(header.firstIndex(of: name))] }
      return Expected(
        row: try #require(Int(try value("row"))), column: try value("column"), status: try value("status"),
        kind: try value("kind"), sha: try value("plaintext_sha256"),
        plaintext: Data(base64Encoded: try value("plaintext_b64")))
    }
  }

  private func check(_ source: URL, _ output: URL, _ expected: [Expected], cipher: String) throws {
    let before = SimpleCSV.rows(try Data(contentsOf: source))
    let after = SimpleCSV.rows(try Data(contentsOf: output))
    try #require(before.count == after.count)
    #expect(before[0] == after[0])
    let keys = try JSONSerialization.jsonObject(
      with: Data(contentsOf: Self.vectors.appendingPathComponent("keys.json")))
    let names = try #require((keys as? [String: [String: String]])?[cipher])
    let header = before[0].map { SimpleCSV.value($0) }
    var payloads: [String] = []
    var cells: [Expected] = []
    for cell in expected {
      let column = try #require(header.firstIndex { $0.hasSuffix(cell.column) })
      let (old, new) = (before[cell.row][column], after[cell.row][column])
      if cell.status == "ok" {
        #expect(old != new)
        #expect(old.first == UInt8(ascii: "\"") ? new.first == UInt8(ascii: "\"") : true)
        payloads.append(SimpleCSV.value(new))
        cells.append(cell)
      } else {
        #expect(old == new, "row \(cell.row) \(cell.column) was changed")
      }
    }
    for (index, row) in before.enumerated() where index > 0 {
      for (column, name) in header.enumerated() where !["api_token", "two_factor_secret"].contains(name) {
        #expect(row[column] == after[index][column])
      }
      #expect(row.last == after[index].last, "the line end of row \(index)")
    }
    let openings = try Laravel.open(payloads, key: try #require(names["new"]), cipher: cipher)
    for (cell, opening) in zip(cells, openings) {
      let plaintext = try #require(opening.plaintext, "row \(cell.row) \(cell.column): \(opening.error ?? "")")
      if let recorded = cell.plaintext, !recorded.isEmpty { #expect(plaintext == recorded) }
    }
  }
}

/// A slow CSV reader of the tests' own: raw fields, and the line end as the last one.
enum SimpleCSV {
  static func rows(_ data: Data) -> [[[UInt8]]] {
    var rows: [[[UInt8]]] = []
    var row: [[UInt8]] = []
    var field: [UInt8] = []
    var isQuoted = false
    let bytes = Array(data)
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, byte == UInt8(ascii: ",") {
        row.append(field)
        field = []
      } else if !isQuoted, byte == 10 || byte == 13 {
        row.append(field)
        field = []
        let isPair = byte == 13 && at + 1 < bytes.count && bytes[at + 1] == 10
        row.append(isPair ? [13, 10] : [byte])
        if isPair { at += 1 }
        rows.append(row)
        row = []
      } else {
        field.append(byte)
      }
      at += 1
    }
    if !field.isEmpty || !row.isEmpty { rows.append(row + [field, []]) }
    return rows
  }

  static func value(_ raw: [UInt8]) -> String {
    let text = String(decoding: raw, as: UTF8.self)
    guard text.first == "\"" else { return text }
    return text.dropFirst().dropLast().replacingOccurrences(of: "\"\"", with: "\"")
  }

  static func fields(_ line: String) -> [String] {
    (rows(Data((line + "\n").utf8)).first ?? []).dropLast().map(value)
  }
}
