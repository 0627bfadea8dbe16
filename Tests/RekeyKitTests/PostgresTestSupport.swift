import Foundation
import Pipeline
import Postgres
import Testing

@testable import RekeyKit

/// The server that `Tests/Support/with-postgres.sh` started.
func testDatabaseURL() throws -> String {
  try #require(
    ProcessInfo.processInfo.environment["REKEY_TEST_DATABASE_URL"],
    "REKEY_TEST_DATABASE_URL is not set: run the tests through Tests/Support/with-postgres.sh")
}

/// Runs `body` with a connection and a fresh schema of its own, dropped afterwards.
func withSchema(_ body: (Connection, String) throws -> Void) throws {
  let connection = try Connection(url: testDatabaseURL())
  // Two tests that create an extension at once would collide.
  try connection.execute(
    "BEGIN; SELECT pg_advisory_xact_lock(1); CREATE EXTENSION IF NOT EXISTS citext; COMMIT")
  let schema = "t_\(UInt32.random(in: 0...UInt32.max))"
  try connection.execute("CREATE SCHEMA \(schema)")
  defer {
    connection.rollBack()
    try? connection.execute("DROP SCHEMA IF EXISTS \(schema) CASCADE; DROP SCHEMA IF EXISTS \(schema)_state CASCADE")
  }
  try body(connection, schema)
}

/// Turns "old:…" into "new:…", as if a previous key had opened it.
final class PrefixStage: Stage {
  func transform(_ batch: Batch) throws {
    for cell in batch.cells.indices {
      let value = batch.cells[cell].value
      var site = Site(cell: cell, old: value)
      let bytes = batch.bytes[value.start..<value.end]
      if bytes.isEmpty {
        site.outcome = .empty
      } else if bytes.starts(with: "old:".utf8) {
        site.outcome = .rekeyed
        site.openedBy = 1
        site.new = Slice(start: batch.output.count, length: bytes.count)
        batch.output.append(contentsOf: "new:".utf8)
        batch.output.append(contentsOf: bytes.dropFirst(4))
      } else if bytes.starts(with: "new:".utf8) {
        site.outcome = .current
        site.openedBy = 0
      }
      batch.cells[cell].firstSite = batch.sites.count
      batch.cells[cell].siteCount = 1
      batch.sites.append(site)
    }
  }
}

/// What the runner does when a batch is settled.
func countSites(_ batch: Batch) {
  batch.tally.rows += batch.rows.count
  for cell in batch.cells {
    for site in batch.sites[cell.firstSite..<(cell.firstSite + cell.siteCount)] {
      batch.tally.count(site, column: cell.column)
    }
  }
}

func chosen(_ connection: Connection, _ name: String, _ columns: [String], where predicate: String? = nil) throws
  -> PostgresTable
{
  let table = try Catalog(connection).table(named: name)
  return PostgresTable(
    table: table, columns: try columns.map { try #require(table.column(named: $0)) }, predicate: predicate)
}

/// A lane's work on a table, all in this thread.
struct Sweep {
  var url: String
  var table: PostgresTable
  var rows = 4
  var bytes = 1 << 20
  /// Called with each batch between reading and writing.
  var beforeWrite: (Batch) throws -> Void = { _ in }
  var settled: (Batch) throws -> Void = { _ in }

  init(_ table: PostgresTable) throws {
    url = try testDatabaseURL()
    self.table = table
  }

  /// Sweeps the whole table without state.
  func run() throws -> Tally {
    var tally = Tally()
    let reader = try Connection(url: url)
    for range in try table.cutShards(reader, count: 3, rowsAtLeast: 2) {
      tally.add(try run(reader, try Connection(url: url), range, nil))
    }
    return tally
  }

  func run(_ reader: Connection, _ writer: Connection, _ range: KeyRange, _ checkpoint: ShardCheckpoint?) throws
    -> Tally
  {
    let source = PostgresSource(
      reader, table: table, range: range, mode: .pages, limits: .init(rows: rows, bytes: bytes))
    let sink = PostgresSink(writer, table: table, checkpoint: checkpoint, stage: PrefixStage()) { batch in
      countSites(batch)
      try settled(batch)
    }
    var tally = Tally()
    let batch = Batch()
    do {
      while try source.read(into: batch) {
        try PrefixStage().transform(batch)
        try beforeWrite(batch)
        try sink.write(batch)
        tally.add(batch.tally)
        batch.reset()
      }
      try sink.finish()
    } catch {
      sink.cancel()
      throw error
    }
    return tally
  }
}

extension Connection {
  /// A query's first column, joined.
  func list(_ sql: String) throws -> [String] {
    let result = try query(sql)
    return (0..<result.rows).map { result.string($0, 0) ?? "NULL" }
  }
}
