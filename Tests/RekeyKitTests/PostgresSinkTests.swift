import Pipeline
import Postgres
import Testing

@testable import RekeyKit

/// What happens to rows between reading and writing, and what the database refuses.
@Suite struct PostgresSinkTests {
  /// A table with ten rows, swept in one batch; `meanwhile` runs on another connection before the write.
  private func sweep(
    _ schema: String, _ connection: Connection, definition: String = "id int PRIMARY KEY, c text, d text",
    setup: String = "", meanwhile: String = "SELECT 1"
  ) throws -> (tally: Tally, batches: [(outcome: Outcome, note: String?)]) {
    try connection.execute(
      """
      CREATE TABLE \(schema).t (\(definition));
      INSERT INTO \(schema).t SELECT i, 'old:' || i, 'new:' || i FROM generate_series(1, 10) i;
      \(setup.replacing("$t", with: "\(schema).t").replacing("$s", with: schema))
      """)
    var sweep = try Sweep(try chosen(connection, "\(schema).t", ["c", "d"]))
    sweep.rows = 100
    sweep.beforeWrite = { _ in try connection.execute(meanwhile.replacing("$t", with: "\(schema).t")) }
    var outcomes: [(outcome: Outcome, note: String?)] = []
    sweep.settled = { batch in
      outcomes = batch.rows.indices.map { row in
        let cell = batch.cells[2 * row]
        return (batch.sites[cell.firstSite].outcome, batch.notes[cell.firstSite])
      }
      #expect(batch.sites.count == 20 && batch.cells.allSatisfy { batch.sites[$0.firstSite].cell < 20 })
    }
    return (try sweep.run(connection, try Connection(url: testDatabaseURL()), KeyRange(), nil), outcomes)
  }

  @Test func aRowChangedMeanwhileIsSettledByWhatItHoldsNow() throws {
    try withSchema { connection, schema in
      let (tally, _) = try sweep(
        schema, connection,
        meanwhile: """
          UPDATE $t SET c = 'old:theirs' WHERE id = 1; UPDATE $t SET c = 'new:theirs' WHERE id = 2;
          UPDATE $t SET c = 'plain' WHERE id = 3; UPDATE $t SET c = NULL WHERE id = 4; DELETE FROM $t WHERE id = 5;
          UPDATE $t SET id = 60 WHERE id = 6; UPDATE $t SET d = 'old:theirs' WHERE id = 7;
          """)
      #expect(tally.columns[0][.rekeyed] == 5 && tally.columns[0][.current] == 1 && tally.columns[0][.plaintext] == 1)
      #expect(tally.columns[0][.empty] == 1 && tally.columns[0][.gone] == 2)
      #expect(tally.columns[0].latePrevious == 1 && tally.columns[1].latePrevious == 0)
      #expect(tally.columns[1].sites == 10 && tally.columns[0].sites == 10 && tally.columns[1][.current] == 10)
      #expect(
        try connection.list("SELECT c || ' ' || d FROM \(schema).t ORDER BY id") == [
          "new:theirs new:1", "new:theirs new:2", "plain new:3", "NULL", "new:7 old:theirs", "new:8 new:8",
          "new:9 new:9", "new:10 new:10", "old:6 new:6",
        ])
    }
  }

  @Test(arguments: ["", "DEFERRABLE INITIALLY DEFERRED"])
  func aRefusedRowIsFoundAndTheOthersAreWritten(deferred: String) throws {
    try withSchema { connection, schema in
      // A foreign key can wait for COMMIT, a check can't: the parent's values are all there but two.
      let (tally, outcomes) = try sweep(
        schema, connection,
        setup: """
          CREATE TABLE $s.parent (c text PRIMARY KEY);
          INSERT INTO $s.parent SELECT 'old:' || i FROM generate_series(1, 10) i;
          INSERT INTO $s.parent SELECT 'new:' || i FROM generate_series(1, 10) i WHERE i NOT IN (3, 9);
          ALTER TABLE $t ADD CONSTRAINT known FOREIGN KEY (c) REFERENCES $s.parent \(deferred);
          """)
      #expect(tally.columns[0][.rekeyed] == 8 && tally.columns[0][.writeRefused] == 2)
      #expect(outcomes.indices.filter { outcomes[$0].outcome == .writeRefused } == [2, 8])
      #expect(outcomes[2].note?.hasPrefix("23503 (foreign_key_violation) constraint \"known\"") == true)
      #expect(try connection.list("SELECT c FROM \(schema).t WHERE c LIKE 'old:%' ORDER BY id") == ["old:3", "old:9"])
    }
  }

  @Test func aTriggerMayRefuseOrSkipARow() throws {
    try withSchema { connection, schema in
      let (tally, outcomes) = try sweep(
        schema, connection,
        setup: """
          CREATE FUNCTION $s.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.id = 4 THEN RAISE EXCEPTION 'secret %', NEW.c; END IF;
            IF NEW.id = 8 THEN RETURN NULL; END IF;
            RETURN NEW; END $$;
          CREATE TRIGGER refuse BEFORE UPDATE ON $t FOR EACH ROW EXECUTE FUNCTION $s.refuse();
          """)
      #expect(tally.columns[0][.rekeyed] == 8)
      #expect(outcomes[3].outcome == .writeRefused && outcomes[3].note == "P0001 (raise_exception)")
      #expect(outcomes[7].outcome == .conflict)
    }
  }

  @Test func aPrivilegeTakenAwayEndsTheRun() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text); INSERT INTO \(schema).t VALUES (1, 'old:1'), (2, 'old:2');
        CREATE ROLE r_\(schema); GRANT USAGE ON SCHEMA \(schema) TO r_\(schema);
        GRANT SELECT ON \(schema).t TO r_\(schema);
        """)
      defer { try? connection.execute("RESET ROLE; DROP OWNED BY r_\(schema); DROP ROLE r_\(schema)") }
      let writer = try Connection(url: testDatabaseURL())
      try writer.execute("SET ROLE r_\(schema)")
      let error = #expect(throws: RekeyError.self) {
        try Sweep(try chosen(connection, "\(schema).t", ["c"])).run(connection, writer, KeyRange(), nil)
      }
      #expect(error?.kind == .fatal && error?.message.contains("GRANT UPDATE (\"c\")") == true)
      try writer.execute("RESET ROLE")
    }
  }

  @Test func aValueTooLongForItsColumnIsRefused() throws {
    try withSchema { connection, schema in
      let (tally, outcomes) = try sweep(
        schema, connection,
        setup: """
          ALTER TABLE $t ADD CHECK (c <> 'new:5'), ALTER c TYPE varchar(6);
          """)
      #expect(tally.columns[0][.rekeyed] == 9 && outcomes[4].note?.hasPrefix("23514") == true)
    }
  }

  @Test func severalColumnsOfARowAreWrittenInOneUpdate() throws {
    try withSchema { connection, schema in
      let (tally, _) = try sweep(
        schema, connection,
        setup: """
          UPDATE $t SET d = 'old:' || id WHERE id % 2 = 0; ALTER TABLE $t ADD n int DEFAULT 0;
          CREATE FUNCTION $s.n() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n := OLD.n + 1; RETURN NEW; END $$;
          CREATE TRIGGER n BEFORE UPDATE ON $t FOR EACH ROW EXECUTE FUNCTION $s.n();
          """)
      #expect(tally.total[.rekeyed] == 15)
      #expect(
        try connection.query("SELECT count(*) FROM \(schema).t WHERE n = 1 AND c || d LIKE 'new:%new:%'").int(0, 0)
          == 10)
    }
  }

  @Test func theUpdateGoesByThePrimaryKey() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id bigint PRIMARY KEY, c text);
        INSERT INTO \(schema).t SELECT i, 'old:' || i FROM generate_series(1, 20000) i;
        """)
      let table = try chosen(connection, "\(schema).t", ["c"])
      var sql = PostgresUpdateSQL()
      let update = sql.update(table, [0])
      let plan = try connection.transaction(.update) {
        try connection.list(
          "EXPLAIN "
            + update.replacing("$1::text[]", with: "ARRAY(SELECT i::text FROM generate_series(1, 1000) i)")
            .replacing("$2::text[]", with: "ARRAY(SELECT '' FROM generate_series(1, 1000) i)")
            .replacing("$3::text[]", with: "ARRAY(SELECT '' FROM generate_series(1, 1000) i)"))
      }.joined(separator: "\n")
      #expect(plan.contains("Nested Loop") && plan.contains("t_pkey") && !plan.contains("Seq Scan on t"), "\(plan)")
    }
  }
}
