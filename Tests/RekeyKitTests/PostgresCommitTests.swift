import Foundation
import Pipeline
import Postgres
import Testing

@testable import RekeyKit

@Suite struct PostgresCommitTests {
  /// The writer's COMMITs are: each batch's, and the one that ends the shard.
  @Test(arguments: 0...4)
  func aCommitWhoseAnswerNeverCameIsNotDoneTwice(commitsToPass: Int) throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text, writes int DEFAULT 0);
        INSERT INTO \(schema).t SELECT i, 'old:' || i FROM generate_series(1, 40) i;
        CREATE FUNCTION \(schema).count() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN NEW.writes := OLD.writes + 1; RETURN NEW; END $$;
        CREATE TRIGGER count BEFORE UPDATE ON \(schema).t FOR EACH ROW EXECUTE FUNCTION \(schema).count();
        """)
      let url = try testDatabaseURL()
      let port = try #require(UInt16(try connection.list("SELECT current_setting('port')")[0]))
      let proxy = try CommitProxy(to: port, commitsToPass: commitsToPass)
      let writer = try Connection(url: url.replacing(":\(port)/", with: ":\(proxy.port)/"))
      let table = try chosen(connection, "\(schema).t", ["c"])
      let state = RunState(connection, schema: "\(schema)_state")
      let run = try state.begin(id: "r", pipeline: "p", parts: [], restart: false) {
        [TableShards(table: "\(schema).t", ranges: try table.cutShards(connection, count: 1))]
      }
      let shard = try #require(try state.leaseShard(run, table: "\(schema).t"))
      var sweep = try Sweep(table)
      sweep.rows = 10
      let tally = try sweep.run(
        try Connection(url: url), writer, shard.range, ShardCheckpoint(state, shard))
      #expect(proxy.didCut)
      // 40 rekeyed, none counted as current by being read again.
      #expect(tally.rows == 40 && tally.total[.rekeyed] == 40)
      #expect(try state.counts(run).map(\.tally) == [tally])
      #expect(try state.finish(run))
      #expect(
        try connection.query("SELECT count(*) FROM \(schema).t WHERE c LIKE 'new:%' AND writes = 1").int(0, 0) == 40)
    }
  }
}
