import Pipeline
import Postgres
import Testing

@testable import RekeyKit

@Suite struct PostgresStateTests {
  private let parts = [DigestPart(name: "key current", value: "ab12"), DigestPart(name: "where of t", value: "")]
  private let shards = [
    TableShards(
      table: "public.t",
      ranges: [KeyRange(upper: [Array("5".utf8), Array("ü'\\".utf8)]), KeyRange(lower: [Array("5".utf8), []])]),
    TableShards(table: "public.u", ranges: [KeyRange()]), TableShards(table: "public.empty", ranges: []),
  ]

  private func begin(_ state: RunState, id: String = "r1", parts: [DigestPart]? = nil, restart: Bool = false) throws
    -> Run
  {
    try state.begin(id: id, pipeline: "p", parts: parts ?? self.parts, restart: restart) { shards }
  }

  @Test func aRunGoesFromBeginToFinish() throws {
    try withSchema { connection, schema in
      let state = RunState(connection, schema: "\(schema)_state")
      #expect(try state.isUsable())
      let run = try begin(state)
      #expect(run == Run(id: "r1", isResumed: false))
      #expect(try state.isUsable())
      let leased = try (0..<3).map { _ in try #require(try state.leaseShard(run)) }
      #expect(try state.leaseShard(run) == nil)
      #expect(leased.map(\.table) == ["public.t", "public.t", "public.u"] && leased.map(\.number) == [0, 1, 0])
      #expect(leased.map(\.range) == shards.flatMap(\.ranges))
      #expect(leased.allSatisfy { $0.fence == 1 && $0.commits == 0 && $0.tally == Tally() })
      #expect(try !state.finish(run))
      for shard in leased {
        var checkpoint = ShardCheckpoint(state, shard)
        try checkpoint.finish(connection)
      }
      #expect(try state.finish(run))
      // A finished run is closed: the next is another.
      #expect(try begin(state, id: "r2") == Run(id: "r2", isResumed: false))
    }
  }

  @Test func aCheckpointKeepsCursorAndCounts() throws {
    try withSchema { connection, schema in
      let state = RunState(connection, schema: "\(schema)_state")
      let run = try begin(state)
      let shard = try #require(try state.leaseShard(run))
      var checkpoint = ShardCheckpoint(state, shard)
      var tally = Tally()
      tally.rows = 7
      tally.columns = [Tally.Column(), Tally.Column()]
      tally.columns[1][.macInvalid] = 3
      tally.columns[1].addOpened(by: 2, 4)
      tally.columns[1].latePrevious = 1
      let cursor = [Array("é".utf8), Array("x\\\"{},".utf8)]
      for _ in 0..<2 {
        #expect(try !checkpoint.isCommitted(connection))
        try connection.transaction(.update) { try checkpoint.write(connection, cursor: cursor, adding: tally) }
        #expect(try checkpoint.isCommitted(connection))
        checkpoint.committed(adding: tally)
      }
      try checkpoint.release(connection)
      let again = try #require(try state.leaseShard(run))
      var twice = tally
      twice.add(tally)
      #expect(again.range == KeyRange(lower: cursor, upper: shard.range.upper))
      #expect(again.commits == 2 && again.fence == 2)
      #expect(again.tally.rows == 14 && again.tally.columns[1] == twice.columns[1])
      #expect(throws: RekeyError.self) { try checkpoint.finish(connection) }
      #expect(throws: RekeyError.self) { try checkpoint.isCommitted(connection) }
      #expect(throws: RekeyError.self) {
        try connection.transaction(.update) { try checkpoint.write(connection, cursor: cursor, adding: tally) }
      }
      #expect(try state.counts(run).first?.tally.rows == 14)
    }
  }

  @Test func aLiveLeaseRefusesASecondRun() throws {
    try withSchema { connection, schema in
      let here = LeaseOwner.current()
      let state = RunState(connection, schema: "\(schema)_state")
      let run = try begin(state)
      let second = RunState(
        try Connection(url: testDatabaseURL()), schema: "\(schema)_state", owner: LeaseOwner(text: "elsewhere 1"))
      let error = #expect(throws: RekeyError.self) { try begin(second) }
      #expect(error?.kind == .busy)
      #expect(throws: RekeyError.self) { try begin(second, restart: true) }
      #expect(throws: RekeyError.self) { try second.clean(pipeline: "p") }
      try state.release(run)
      let shard = try #require(try state.leaseShard(run))
      #expect(throws: RekeyError.self) { try begin(second) }
      var checkpoint = ShardCheckpoint(state, shard)
      try checkpoint.release(connection)
      try state.release(run)
      #expect(try begin(second) == Run(id: "r1", isResumed: true))
      #expect(here.isDead == false)
    }
  }

  @Test func aDeadProcessOfThisMachineHoldsNothing() throws {
    try withSchema { connection, schema in
      let here = LeaseOwner.current().text.split(separator: " ")
      try #require(here.count == 5)
      // The same process number with another start, and a number that no process has.
      for dead in ["\(here[0]) \(here[1]) \(here[2]) \(here[3]) 1", "x 4194305 \(here[2]) \(here[3]) \(here[4])"] {
        let owner = LeaseOwner(text: dead)
        #expect(owner.isDead)
        let state = RunState(connection, schema: "\(schema)_state", owner: owner, leaseSeconds: 3600)
        let run = try begin(state, restart: true)
        _ = try #require(try state.leaseShard(run))
        let next = RunState(connection, schema: "\(schema)_state", leaseSeconds: 0)
        #expect(try begin(next).isResumed)
        #expect(try next.leaseShard(run) != nil)
      }
      for other in ["x 1 boot \(here[3]) 1", "x 1 \(here[2]) pid:[1] 1", "x 1"] {
        #expect(!LeaseOwner(text: other).isDead)
      }
    }
  }

  @Test func anotherMeaningIsRefusedAndTold() throws {
    try withSchema { connection, schema in
      let state = RunState(connection, schema: "\(schema)_state", leaseSeconds: 0)
      _ = try begin(state)
      let changed = [DigestPart(name: "key current", value: "cd34"), DigestPart(name: "columns", value: "a")]
      let error = #expect(throws: RekeyError.self) { try begin(state, parts: changed) }
      let text = error?.message ?? ""
      #expect(text.contains("key current was ab12, now cd34") && text.contains("columns is new: a"))
      #expect(text.contains("where of t is gone") && text.contains("--restart"))
      #expect(try begin(state, id: "r9", parts: changed, restart: true) == Run(id: "r9", isResumed: false))
      #expect(try connection.query("SELECT count(*) FROM \(schema)_state.run").int(0, 0) == 1)
    }
  }

  @Test func cleanDropsWhatWasMade() throws {
    try withSchema { connection, schema in
      let state = RunState(connection, schema: "\(schema)_state", leaseSeconds: 0)
      #expect(try state.clean(pipeline: "p").hasPrefix("nothing"))
      _ = try begin(state)
      _ = try state.begin(id: "q1", pipeline: "q", parts: [], restart: false) { [] }
      #expect(try state.clean(pipeline: "p").contains("other pipelines"))
      #expect(try state.clean(pipeline: "q").contains("the schema"))
      #expect(try connection.query("SELECT to_regnamespace('\(schema)_state') IS NULL").bool(0, 0))
      try connection.execute("CREATE SCHEMA \(schema)_state; CREATE TABLE \(schema)_state.theirs ()")
      _ = try begin(state)
      #expect(try state.clean(pipeline: "p").contains("dropped 1 run"))
      #expect(try connection.query("SELECT to_regclass('\(schema)_state.theirs') IS NOT NULL").bool(0, 0))
    }
  }

  @Test func aRoleThatMayNotCreateGetsTheSQL() throws {
    try withSchema { connection, schema in
      try connection.execute("CREATE ROLE r_\(schema); SET ROLE r_\(schema)")
      defer { try? connection.execute("RESET ROLE; DROP OWNED BY r_\(schema); DROP ROLE r_\(schema)") }
      let state = RunState(connection, schema: "\(schema)_state")
      #expect(try !state.isUsable())
      let error = #expect(throws: RekeyError.self) { try begin(state) }
      let text = try #require(error?.message)
      let sql = try #require(text.firstRange(of: "CREATE SCHEMA"))
      try connection.execute("RESET ROLE; \(text[sql.lowerBound...])")
      try connection.execute("SET ROLE r_\(schema)")
      #expect(try state.isUsable())
      let run = try begin(state)
      #expect(try state.leaseShard(run) != nil)
    }
  }
}
