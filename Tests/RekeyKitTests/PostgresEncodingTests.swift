import Pipeline
import Postgres
import Testing

@testable import RekeyKit

/// Databases that aren't UTF-8: values and keys go through as bytes, names as what they mean.
@Suite struct PostgresEncodingTests {
  @Test(arguments: ["LATIN1", "SQL_ASCII"])
  func sweepsADatabaseOfAnotherEncoding(encoding: String) throws {
    let server = try Connection(url: testDatabaseURL())
    let database = "encoding_\(encoding.lowercased())_\(UInt32.random(in: 0...UInt32.max))"
    try server.execute("CREATE DATABASE \(database) TEMPLATE template0 ENCODING '\(encoding)' LOCALE 'C'")
    defer { try? server.execute("DROP DATABASE \(database) WITH (FORCE)") }
    var url = try testDatabaseURL()
    url.removeSubrange(url.lastIndex(of: "/")!...)
    url += "/\(database)"
    let connection = try Connection(url: url)
    // In LATIN1 é is one byte; in SQL_ASCII any bytes go, here one that is no UTF-8.
    let name = encoding == "LATIN1" ? "schlüssel" : "plain"
    try connection.execute(
      """
      SET client_encoding = '\(encoding == "LATIN1" ? "UTF8" : encoding)';
      CREATE TABLE \(quoteIdentifier(name)) (id text PRIMARY KEY, c text);
      INSERT INTO \(quoteIdentifier(name)) SELECT convert_from('\\xe9', getdatabaseencoding()) || i,
        'old:' || convert_from('\\xe9ff', getdatabaseencoding()) || i FROM generate_series(1, 9) i;
      RESET client_encoding
      """)
    var sweep = try Sweep(try chosen(connection, "public.\(name)", ["c"]))
    sweep.url = url
    var keys: Set<KeyText> = []
    sweep.beforeWrite = { batch in for row in batch.rows.indices { keys.insert(batch.key(of: row)) } }
    let tally = try sweep.run(connection, try Connection(url: url), KeyRange(), nil)
    #expect(tally.total[.rekeyed] == 9)
    #expect(keys.count == 9 && keys.allSatisfy { $0[0].first == 0xe9 })
    let written = try connection.query(
      """
      SELECT count(*) FROM \(quoteIdentifier(name)) WHERE convert_to(c, getdatabaseencoding())
        = 'new:'::bytea || '\\xe9ff'::bytea || substr(convert_to(id, getdatabaseencoding()), 2)
      """)
    #expect(written.int(0, 0) == 9)
  }
}
