import Testing

@testable import Postgres

@Suite struct CatalogTests {
  @Test func describesColumnsAndTheirTypes() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE DOMAIN \(schema).secret AS varchar(300);
        CREATE TABLE \(schema).t (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a text NOT NULL, b varchar(255), c bytea, d citext,
          e \(schema).secret, f text GENERATED ALWAYS AS (a || 'x') STORED, g char(5), h jsonb,
          "Ünï ""q"" x" text COLLATE "de-x-icu", gone int);
        ALTER TABLE \(schema).t DROP COLUMN gone;
        """)
      let table = try Catalog(connection).table(named: "\(schema).t")
      #expect(table.columns.map(\.name) == ["id", "a", "b", "c", "d", "e", "f", "g", "h", "Ünï \"q\" x"])
      #expect(table.key.map(\.name) == ["id"])
      #expect(table.keyOrigin == .primaryKey)
      #expect(table.columns.map(\.characterLimit) == [nil, nil, 255, nil, nil, 300, nil, 5, nil, nil])
      #expect(
        table.columns.map(\.baseType)
          == ["int8", "text", "varchar", "bytea", "citext", "varchar", "text", "bpchar", "jsonb", "text"])
      #expect(table.columns.map(\.isGenerated).firstIndex(of: true) == 6)
      #expect(table.columns[0].isIdentityAlways && !table.columns[0].holdsText)
      #expect(table.columns[1].isNotNull && !table.columns[2].isNotNull)
      #expect(table.columns[2].type == "character varying(255)" && table.columns[2].castType == "character varying")
      #expect(table.columns[9].collation == "de-x-icu")
      #expect(table.estimatedRows == 0)
      try connection.execute("INSERT INTO \(schema).t (a) SELECT 'x' FROM generate_series(1, 500); ANALYZE \(schema).t")
      #expect(try Catalog(connection).table(named: "\(schema).t").estimatedRows == 500)
    }
  }

  @Test func findsTheKey() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).composite (a int, b text, c text, PRIMARY KEY (b, a));
        CREATE TABLE \(schema).indexed (a int NOT NULL, b int NOT NULL, c int);
        CREATE UNIQUE INDEX partial ON \(schema).indexed (a) WHERE c > 0;
        CREATE UNIQUE INDEX nullable ON \(schema).indexed (c);
        CREATE UNIQUE INDEX expression ON \(schema).indexed (abs(a));
        CREATE UNIQUE INDEX downwards ON \(schema).indexed (b DESC);
        CREATE UNIQUE INDEX good ON \(schema).indexed (b, a) INCLUDE (c);
        CREATE TABLE \(schema).bare (a int NOT NULL, b int UNIQUE);
        CREATE TABLE \(schema).parts (a int, b text, PRIMARY KEY (a)) PARTITION BY RANGE (a);
        CREATE TABLE \(schema).parts_1 PARTITION OF \(schema).parts FOR VALUES FROM (0) TO (10);
        CREATE TABLE \(schema).child () INHERITS (\(schema).composite);
        """)
      let catalog = Catalog(connection)
      #expect(try catalog.table(named: "\(schema).composite").key.map(\.name) == ["b", "a"])
      #expect(try catalog.table(named: "\(schema).composite").children == ["\(schema).child"])
      let indexed = try catalog.table(named: "\(schema).indexed")
      #expect(indexed.key.map(\.name) == ["b", "a"] && indexed.keyOrigin == .uniqueIndex("good"))
      let parts = try catalog.table(named: "\(schema).parts")
      #expect(parts.isPartitioned && parts.children.isEmpty)
      let error = #expect(throws: PostgresError.self) { try catalog.table(named: "\(schema).bare") }
      #expect(error?.description.contains("no primary key") == true)
    }
  }

  @Test func refusesWhatHoldsNoRows() throws {
    try withSchema { connection, schema in
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text);
        CREATE VIEW \(schema).v AS SELECT * FROM \(schema).t;
        CREATE MATERIALIZED VIEW \(schema).m AS SELECT * FROM \(schema).t;
        CREATE SERVER IF NOT EXISTS other FOREIGN DATA WRAPPER postgres_fdw;
        CREATE FOREIGN TABLE \(schema).f (id int, c text) SERVER other;
        """)
      for (name, word) in [("v", "a view"), ("m", "a materialized view"), ("f", "a foreign table"), ("x", "no table")] {
        let error = #expect(throws: PostgresError.self) { try Catalog(connection).table(named: "\(schema).\(name)") }
        #expect(error?.description.contains(word) == true, "\(name): \(String(describing: error))")
      }
    }
  }

  @Test func resolvesQuotedAndUnqualifiedNames() throws {
    try withSchema { connection, schema in
      let name = "Ta.ble \"ü\""
      try connection.execute("CREATE TABLE \(schema).\(quoteIdentifier(name)) (\"Id x\" int PRIMARY KEY)")
      #expect(try Catalog(connection).table(named: "\(schema).\(name)").key[0].name == "Id x")
      #expect(throws: PostgresError.self) { try Catalog(connection).table(named: name) }
      try connection.execute("SET search_path = \(schema)")
      #expect(try Catalog(connection).table(named: name).schema == schema)
    }
  }

  @Test func listsMissingPrivileges() throws {
    try withSchema { connection, schema in
      let role = "r_\(schema)"
      try connection.execute(
        """
        CREATE TABLE \(schema).t (id int PRIMARY KEY, c text, d text);
        CREATE ROLE \(role); GRANT USAGE ON SCHEMA \(schema) TO \(role); GRANT SELECT ON \(schema).t TO \(role);
        GRANT UPDATE (c) ON \(schema).t TO \(role);
        """)
      defer { try? connection.execute("RESET ROLE; DROP OWNED BY \(role); DROP ROLE \(role)") }
      let catalog = Catalog(connection)
      let table = try catalog.table(named: "\(schema).t")
      let c = try #require(table.column(named: "c"))
      let d = try #require(table.column(named: "d"))
      try connection.execute("SET ROLE \(role)")
      #expect(try catalog.missingPrivileges(on: table, columns: [c], update: true) == [])
      #expect(try catalog.missingPrivileges(on: table, columns: [d], update: false) == [])
      #expect(
        try catalog.missingPrivileges(on: table, columns: [c, d], update: true)
          == ["GRANT UPDATE (\"d\") ON \"\(schema)\".\"t\" TO \"\(role)\""])
      #expect(try catalog.hidesRows(table) == false)
      try connection.execute("RESET ROLE; ALTER TABLE \(schema).t ENABLE ROW LEVEL SECURITY; SET ROLE \(role)")
      #expect(try catalog.hidesRows(table))
    }
  }
}
