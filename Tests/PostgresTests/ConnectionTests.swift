import Foundation
import Testing

@testable import Postgres

@Suite struct ConnectionTests {
  @Test func sendsAndReadsBinaryValues() throws {
    let connection = try Connection(url: testDatabaseURL())
    var parameters = Parameters()
    parameters.add("naïve")
    parameters.add(-5_000_000_000)
    parameters.addNull(.text)
    parameters.beginArray(of: .bytea)
    [UInt8]([0, 1, 255]).withUnsafeBytes { parameters.appendElement($0) }
    parameters.appendNullElement()
    parameters.appendElement { $0.append(contentsOf: [7, 8]) }
    parameters.endArray()
    parameters.add([[], Array("b".utf8)])
    let result = try connection.query(
      "SELECT $1::text, $2::int8, $3::text, array_length($4::bytea[], 1), encode($4[1] || $4[3], 'hex'), $4[2] IS NULL, $5::text[]",
      parameters)
    #expect(result.string(0, 0) == "naïve")
    #expect(result.int(0, 1) == -5_000_000_000)
    #expect(result.isNull(0, 2))
    #expect(result.int(0, 3) == 3)
    #expect(result.string(0, 4) == "0001ff0708")
    #expect(result.bool(0, 5))
    #expect(result.textArray(0, 6) == [[], Array("b".utf8)])
  }

  @Test func anErrorShowsNamesAndNoValue() throws {
    try withSchema { connection, schema in
      try connection.execute(
        "CREATE TABLE \(schema).t (id int PRIMARY KEY, c text CONSTRAINT short CHECK (length(c) < 5))")
      let error = #expect(throws: PostgresError.self) {
        try connection.execute("INSERT INTO \(schema).t VALUES (1, 'secret value')")
      }
      let text = String(describing: error)
      #expect(error?.sqlState == "23514" && error?.constraint == "short" && error?.isRefusal == true)
      #expect(text.contains("check_violation") || error?.description.contains("check_violation") == true)
      #expect(!text.contains("secret"))
      let raised = #expect(throws: PostgresError.self) {
        try connection.execute("DO $$ BEGIN RAISE EXCEPTION 'secret %', 1; END $$")
      }
      #expect(raised?.sqlState == "P0001" && !String(describing: raised).contains("secret"))
    }
  }

  @Test(arguments: [
    "postgresql://user:hunter2@127.0.0.1:1/db", "postgresql://user:hunter2@nowhere.invalid/db",
    "postgresql://user:hun@ter2@127.0.0.1/db", "postgresql://user:hunter2/x@127.0.0.1/db",
    "postgresql://user:hunter2%zz@127.0.0.1/db", "host=127.0.0.1 port=1 password=hunter2 user=u",
    "host=127.0.0.1 password='hunter2", "postgresql://user:hunter2@127.0.0.1/db?nonsense=hunter2",
  ])
  func aFailedConnectionHidesThePassword(url: String) {
    let error = #expect(throws: PostgresError.self) { _ = try Connection(url: url) }
    let text = String(describing: error)
    #expect(!text.contains("hunter2") && !text.contains("ter2") && !text.contains("hun@"), "\(text)")
    #expect(error?.kind == .connection)
  }

  @Test func quotesLiteralsAndNames() throws {
    let connection = try Connection(url: testDatabaseURL())
    for text in ["plain", "it's", "back\\slash", "\\'", "a''b", "ü€😀", ""] {
      for conforming in ["on", "off"] {
        let result = try connection.transaction(.catalog) {
          try connection.execute("SET LOCAL standard_conforming_strings = \(conforming)")
          return try connection.query("SELECT \(quoteLiteral(text)) AS \(quoteIdentifier(text + "\"x"))").string(0, 0)
        }
        #expect(result == text)
      }
    }
  }

  @Test func aTransactionLeavesTheSessionAsItWas() throws {
    let connection = try Connection(url: testDatabaseURL())
    let settings = ["row_security", "TimeZone", "DateStyle", "enable_seqscan", "client_encoding", "bytea_output"]
    func values() throws -> [String?] {
      try settings.map { try connection.query("SELECT current_setting('\($0)')").string(0, 0) }
    }
    try connection.execute("SET TimeZone = 'Asia/Tokyo'; SET client_encoding = 'LATIN1'")
    let before = try values()
    for kind in [TransactionKind.catalog, .page, .snapshot, .update] {
      let inside = try connection.transaction(kind) { try values() }
      #expect(inside != before)
      #expect(try values() == before)
      #expect(throws: PostgresError.self) { try connection.transaction(kind) { try connection.execute("SELECT 1/0") } }
      #expect(try values() == before)
    }
  }

  @Test func aCopyGivesEachRowAndCanBeClosed() throws {
    let connection = try Connection(url: testDatabaseURL())
    func sql(_ count: Int) -> [UInt8] {
      Array(
        (beginStatements(.page) + "COPY (SELECT i::text, NULL::text, 'v' || i FROM generate_series(1, \(count)) i) "
          + "TO STDOUT (FORMAT binary);COMMIT").utf8)
    }
    for count in [0, 1, 3] {
      var read: [String] = []
      let copy = try CopyOut(connection, sql: sql(count))
      while try copy.next({ message in
        var row = BinaryRow(message)
        guard row.count > 0 else { return }
        #expect(row.count == 3)
        let key = row.next().map { String(decoding: $0, as: UTF8.self) }
        #expect(row.next() == nil)
        read.append((key ?? "") + (row.next().map { String(decoding: $0, as: UTF8.self) } ?? ""))
      }) {}
      #expect(read == (0..<count).map { "\($0 + 1)v\($0 + 1)" })
    }
    let long = try CopyOut(connection, sql: sql(3_000_000))
    #expect(try long.next { _ in })
    long.close()
    #expect(try connection.query("SELECT 1::int8").int(0, 0) == 1)
    #expect(throws: PostgresError.self) { try CopyOut(connection, sql: Array("BEGIN;COPY nowhere TO STDOUT".utf8)) }
    let failing = try CopyOut(
      connection, sql: Array("BEGIN;COPY (SELECT 1 / (3 - i) FROM generate_series(1, 5) i) TO STDOUT;COMMIT".utf8))
    let error = #expect(throws: PostgresError.self) { while try failing.next({ _ in }) {} }
    #expect(error?.sqlState == "22012")
    #expect(try connection.query("SELECT 1::int8").int(0, 0) == 1)
  }

  @Test func aStatementCanBeCancelledFromAnotherThread() throws {
    let connection = try Connection(url: testDatabaseURL())
    let canceller = try connection.canceller()
    let thread = Thread {
      Thread.sleep(forTimeInterval: 0.3)
      canceller.cancel()
    }
    thread.start()
    let error = #expect(throws: PostgresError.self) { try connection.execute("SELECT pg_sleep(20)") }
    #expect(error?.sqlState == "57014")
  }

  @Test func aLostConnectionIsToldAndCanBeMadeAgain() throws {
    let connection = try Connection(url: testDatabaseURL())
    let other = try Connection(url: testDatabaseURL())
    let pid = try #require(try connection.query("SELECT pg_backend_pid()::int8").int(0, 0))
    try other.execute("SELECT pg_terminate_backend(\(pid), 5000)")
    let error = #expect(throws: PostgresError.self) { try connection.execute("SELECT 1") }
    #expect(error?.kind == .connection)
    #expect(connection.isLost)
    try connection.reconnect()
    #expect(try connection.query("SELECT 1::int8").int(0, 0) == 1)
  }
}
