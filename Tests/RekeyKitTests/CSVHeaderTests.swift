import CSV
import RekeyKit
import Testing

struct CSVHeaderTests {
  private func header(_ text: String, hasHeader: Bool = true) throws -> CSVHeader {
    try CSVSource(
      path: "users.csv", read: csvFeed(Array(text.utf8), chunk: 64), format: CSVFormat(), hasHeader: hasHeader
    ).header
  }

  @Test(arguments: [("id", 0), ("api_token", 1), ("#1", 0), ("#3", 2), ("#9", 3)])
  func found(_ pair: (String, Int)) throws {
    // A column may be named like a number.
    #expect(try header("id,api_token,name,#9\n").index(of: pair.0) == pair.1)
  }

  @Test(arguments: [
    ("api_tokn", "users.csv: there is no column 'api_tokn'; did you mean 'api_token'?"),
    ("API_TOKEN", "users.csv: there is no column 'API_TOKEN'; did you mean 'api_token'?"),
    ("password", "users.csv: there is no column 'password'; the header has id, api_token, name, name"),
    ("name", "users.csv: 2 columns are named 'name'; say which by its number: '#3' or '#4'"),
    ("#5", "users.csv: there is no column #5: the first record has 4"),
    ("#0", "users.csv: there is no column #0: the first record has 4"),
  ])
  func notFound(_ pair: (String, String)) throws {
    let header = try header("id,api_token,name,name\n")
    let error = #expect(throws: RekeyError.self) { try header.index(of: pair.0) }
    #expect(error?.description == pair.1)
    #expect(error?.kind == .usage)
  }

  @Test func namesNeedAHeader() throws {
    let header = try header("1,2\n", hasHeader: false)
    let error = #expect(throws: RekeyError.self) { try header.index(of: "id") }
    #expect(
      error?.description
        == "users.csv: there is no header to look 'id' up in; name the column by its number ('#1' is the first)")
  }
}
