import Foundation
import Pipeline
import Postgres
import Testing

@testable import RekeyKit

/// Other writers, deadlocks, dropped connections, lost leases.
@Suite struct PostgresFaultTests {
  /// Runs `body` in a thread until it returns false; the closure that this returns waits for its end.
  private func inBackground(_ body: @escaping @Sendable () -> Bool) -> () -> Void {
    let group = DispatchGroup()
    DispatchQueue(label: "writer").async(group: group) { while body() {} }
    return { group.wait() }
  }

  @Test func noUpdateOfTwoWritersIsLost() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text);
        INSERT INTO \(schema).t SELECT i, 'old:0' FROM generate_series(1, 400) i;
        CREATE TABLE \(schema).oracle AS SELECT id, 0 AS n FROM \(schema).t;
        ALTER TABLE \(schema).oracle ADD PRIMARY KEY (id);
        """)
      let stop = StopSwitch()
      let url = try testDatabaseURL()
      // Each update raises the number in the value, as old or as new; the oracle counts them.
      let waits = try (0..<2).map { _ in
        let writer = try Connection(url: url)
        return inBackground {
          let id = Int.random(in: 1...400)
          let prefix = Bool.random() ? "old" : "new"
          try! writer.execute(
            """
            BEGIN; UPDATE \(schema).t SET c = '\(prefix):' || (substr(c, 5)::int + 1) WHERE id = \(id);
            UPDATE \(schema).oracle SET n = n + 1 WHERE id = \(id); COMMIT
            """)
          return !stop.isSet
        }
      }
      var sweep = try Sweep(try chosen(connection, "\(schema).t", ["c"]))
      sweep.rows = 50
      sweep.beforeWrite = { _ in usleep(3000) }
      var late = 0
      for _ in 0..<15 {
        let tally = try sweep.run()
        #expect(tally.total.sites == 400 && tally.total[.conflict] == 0)
        late += tally.total.latePrevious
      }
      stop.set()
      for wait in waits { wait() }
      let updates = try #require(try connection.query("SELECT sum(n) FROM \(schema).oracle").int(0, 0))
      #expect(updates > 100 && late > 0)
      #expect(
        try connection.query(
          "SELECT count(*) FROM \(schema).t JOIN \(schema).oracle o USING (id) WHERE substr(c, 5)::int <> n"
        ).int(0, 0) == 0)
      _ = try sweep.run()
      #expect(try connection.query("SELECT count(*) FROM \(schema).t WHERE c LIKE 'old:%'").int(0, 0) == 0)
    }
  }

  @Test func aDeadlockIsTriedAgain() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text, other text);
        INSERT INTO \(schema).t SELECT i, 'old:' || i FROM generate_series(1, 10) i;
        """)
      let rival = try Connection(url: testDatabaseURL())
      var sweep = try Sweep(try chosen(connection, "\(schema).t", ["c"]))
      sweep.rows = 10
      // The rival locks a late row first, and then wants an early one; it lets the sweep be the victim.
      try rival.execute("BEGIN; SET deadlock_timeout = '1h'; UPDATE \(schema).t SET other = 'x' WHERE id = 9")
      var wait: (() -> Void)?
      sweep.beforeWrite = { _ in
        wait = self.inBackground {
          usleep(300_000)
          try! rival.execute("UPDATE \(schema).t SET other = 'x' WHERE id = 2; COMMIT")
          return false
        }
      }
      #expect(try sweep.run(connection, try Connection(url: testDatabaseURL()), KeyRange(), nil).total[.rekeyed] == 10)
      wait?()
      #expect(try connection.query("SELECT count(*) FROM \(schema).t WHERE c LIKE 'new:%'").int(0, 0) == 10)
      #expect(try connection.query("SELECT count(*) FROM \(schema).t WHERE other = 'x'").int(0, 0) == 2)
    }
  }

  @Test func aBatchThatWaitsTooLongIsHalved() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text);
        INSERT INTO \(schema).t SELECT i, 'old:' || i FROM generate_series(1, 16) i;
        """)
      let rival = try Connection(url: testDatabaseURL())
      try rival.execute("BEGIN; SELECT FROM \(schema).t WHERE id = 16 FOR UPDATE")
      let table = try chosen(connection, "\(schema).t", ["c"])
      let writer = try Connection(url: testDatabaseURL())
      try writer.execute("SET lock_timeout = '20ms'")
      var sizes: [Int] = []
      var sweep = try Sweep(table)
      sweep.rows = 16
      sweep.settled = { batch in
        sizes.append(batch.rows.count)
        if batch.rows.count == 8 { try rival.execute("ROLLBACK") }
      }
      let tally = try sweep.run(connection, writer, KeyRange(), nil)
      #expect(tally.rows == 16 && tally.total[.rekeyed] == 16)
      #expect(sizes == [8, 8])
      #expect(try connection.query("SELECT count(*) FROM \(schema).t WHERE c LIKE 'new:%'").int(0, 0) == 16)
    }
  }

  @Test func givesUpOnALockThatStays() throws {
    try withSchema { connection, schema in
      try connection.execute(
        "CREATE TABLE \(schema).t (id int PRIMARY KEY, c text); INSERT INTO \(schema).t VALUES (1, 'old:1')")
      let rival = try Connection(url: testDatabaseURL())
      try rival.execute("BEGIN; SELECT FROM \(schema).t FOR UPDATE")
      let writer = try Connection(url: testDatabaseURL())
      try writer.execute("SET lock_timeout = '5ms'")
      let error = #expect(throws: RekeyError.self) {
        try Sweep(try chosen(connection, "\(schema).t", ["c"])).run(connection, writer, KeyRange(), nil)
      }
      #expect(error?.kind == .interrupted && error?.message.contains("55P03") == true)
      try rival.execute("ROLLBACK")
    }
  }

  /// Where the connection is cut.
  enum Cut: CaseIterable { case beforeWriting, beforeCommit, whileReading }

  @Test(arguments: Cut.allCases, [true, false])
  func aDroppedConnectionIsMadeAgain(cut: Cut, keepsState: Bool) throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text);
        INSERT INTO \(schema).t SELECT i, 'old:' || i FROM generate_series(1, 40) i;
        """)
      let table = try chosen(connection, "\(schema).t", ["c"])
      let state = RunState(connection, schema: "\(schema)_state")
      let run = try state.begin(id: "r", pipeline: "p", parts: [], restart: false) {
        [TableShards(table: "\(schema).t", ranges: try table.cutShards(connection, count: 1))]
      }
      let shard = try #require(try state.leaseShard(run))
      let reader = try Connection(url: testDatabaseURL())
      let writer = try Connection(url: testDatabaseURL())
      let victims = try [cut == .whileReading ? reader : writer].map {
        try #require(try $0.query("SELECT pg_backend_pid()::int8").int(0, 0))
      }
      var isCut = false
      let terminate = {
        if isCut { return }
        isCut = true
        for pid in victims { try connection.execute("SELECT pg_terminate_backend(\(pid), 5000)") }
      }
      var sweep = try Sweep(table)
      sweep.rows = 10
      if cut != .beforeCommit { sweep.beforeWrite = { if $0.rows[0].number > 10 { try terminate() } } }
      if cut == .beforeCommit { sweep.settled = { if $0.rows[0].number > 10 { try terminate() } } }
      let checkpoint = keepsState ? ShardCheckpoint(state, shard) : nil
      let tally = try sweep.run(reader, writer, shard.range, checkpoint)
      #expect(isCut && tally.rows == 40 && tally.total[.rekeyed] == 40)
      #expect(try connection.query("SELECT count(*) FROM \(schema).t WHERE c LIKE 'new:%'").int(0, 0) == 40)
      if keepsState {
        #expect(try state.counts(run).map(\.tally) == [tally])
        #expect(try state.finish(run))
      }
    }
  }

  @Test func aLostLeaseStopsBeforeTheCommit() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text);
        INSERT INTO \(schema).t SELECT i, 'old:' || i FROM generate_series(1, 40) i;
        """)
      let table = try chosen(connection, "\(schema).t", ["c"])
      let state = RunState(connection, schema: "\(schema)_state", leaseSeconds: 1)
      let run = try state.begin(id: "r", pipeline: "p", parts: [], restart: false) {
        [TableShards(table: "\(schema).t", ranges: try table.cutShards(connection, count: 1))]
      }
      let shard = try #require(try state.leaseShard(run))
      var sweep = try Sweep(table)
      sweep.rows = 10
      let other = RunState(try Connection(url: testDatabaseURL()), schema: "\(schema)_state", leaseSeconds: 60)
      var taken: Shard?
      sweep.beforeWrite = { batch in
        guard batch.rows[0].number > 10 else { return }
        usleep(1_200_000)  // past the lease
        taken = try other.leaseShard(run)
      }
      let error = #expect(throws: RekeyError.self) {
        try sweep.run(
          try Connection(url: testDatabaseURL()), try Connection(url: testDatabaseURL()), shard.range,
          ShardCheckpoint(state, shard))
      }
      #expect(error?.kind == .interrupted && error?.message.contains("lease") == true)
      #expect(try connection.query("SELECT count(*) FROM \(schema).t WHERE c LIKE 'new:%'").int(0, 0) == 10)
      let rest = try #require(taken)
      #expect(rest.range.lower == [Array("10".utf8)] && rest.fence == shard.fence + 1 && rest.tally.rows == 10)
      sweep.beforeWrite = { _ in }
      let tally = try sweep.run(
        try Connection(url: testDatabaseURL()), try Connection(url: testDatabaseURL()), rest.range,
        ShardCheckpoint(other, rest))
      #expect(tally.rows == 30)
      #expect(try other.finish(run))
      #expect(try other.counts(run).first?.tally.total[.rekeyed] == 40)
    }
  }
}

/// Set once, from any thread.
final class StopSwitch: @unchecked Sendable {  // its lock guards its one field
  private let lock = NSLock()
  private var value = false

  var isSet: Bool { lock.withLock { value } }

  func set() { lock.withLock { value = true } }
}
