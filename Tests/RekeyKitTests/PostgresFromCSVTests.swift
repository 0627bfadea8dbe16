import Pipeline
import Postgres
import Testing

@testable import RekeyKit

/// Rows that come from a file: the key finds the table's row, and the file's cell is the guard.
@Suite struct PostgresFromCSVTests {
  /// A batch as a CSV source makes it, with one chosen column.
  private func batch(_ rows: [(key: String?, value: String)]) -> Batch {
    let batch = Batch()
    batch.keyWidth = 1
    for (index, row) in rows.enumerated() {
      batch.rows.append(Row(raw: Slice(start: 0, length: 0), number: index + 1))
      batch.keys.append(row.key.map { key in Array(key.utf8).withUnsafeBytes { batch.append($0) } } ?? .null)
      let value = Array(row.value.utf8).withUnsafeBytes { batch.append($0) }
      batch.addCell(row: index, column: 0, value: value, raw: value)
    }
    return batch
  }

  private func write(_ rows: [(key: String?, value: String)], to table: PostgresTable, insert: PostgresInsert?) throws
    -> (batch: Batch, outcomes: [Outcome])
  {
    let batch = batch(rows)
    let stage = PrefixStage()
    try stage.transform(batch)
    let sink = PostgresSink(
      try Connection(url: testDatabaseURL()), table: table, checkpoint: nil, stage: stage, insert: insert,
      settled: countSites)
    try sink.write(batch)
    try sink.finish()
    return (batch, batch.cells.map { batch.sites[$0.firstSite].outcome })
  }

  private let rows: [(key: String?, value: String)] = [
    ("1", "old:1"), ("2", "old:2"), ("3", "old:3"), ("4", "old:4"), ("5", "plain"), (nil, "old:6"), ("x", "old:7"),
  ]

  @Test func updatesWhereTheFilesCellStillStands() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text);
        INSERT INTO \(schema).t VALUES (1, 'old:1'), (2, 'old:theirs'), (3, 'new:3');
        """)
      let (written, outcomes) = try write(rows, to: chosen(connection, "\(schema).t", ["c"]), insert: nil)
      #expect(outcomes == [.rekeyed, .rekeyed, .current, .gone, .plaintext, .gone, .writeRefused])
      #expect(written.notes[written.cells[6].firstSite] == "22P02")
      #expect(
        try connection.list("SELECT c FROM \(schema).t ORDER BY id") == ["new:1", "new:theirs", "new:3"])
    }
  }

  @Test func insertsMissingRowsWhenTold() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text, note varchar(20) CHECK (note <> 'row 4'));
        INSERT INTO \(schema).t VALUES (1, 'old:1', 'there'), (3, 'old:3', 'there');
        """)
      let table = try chosen(connection, "\(schema).t", ["c"])
      let insert = PostgresInsert(columns: table.table.columns) { batch, row in
        var value: [UInt8] = []
        batch.splice(batch.cells[row], into: &value)
        return [batch.key(of: row)[0], value, row == 4 ? nil : Array("row \(row + 1)".utf8)]
      }
      let (_, outcomes) = try write(Array(rows.prefix(5)), to: table, insert: insert)
      #expect(outcomes == [.rekeyed, .rekeyed, .rekeyed, .writeRefused, .plaintext])
      #expect(
        try connection.list("SELECT concat_ws(' ', id, c, note) FROM \(schema).t ORDER BY id") == [
          "1 new:1 there", "2 new:2 row 2", "3 new:3 there", "5 plain",
        ])
    }
  }
}
