import CSV
import RekeyKit
import Testing

struct CSVHeaderTests {
  private func header(_ text: String, hasHeader: Bool = true) throws -> CSVHeader {
    try CSVSource(
      path: "users.csv", read: csvFeed(Array(text.utf8), chunk: 64), format: CSVFormat(), hasHeader: hasHeader
    ).header
  }

  @Test(arguments: [
    (ColumnReference.name("id"), 0), (.name("api_token"), 1), (.number(1), 0), (.number(3), 2), (.name("#9"), 3),
  ])
  func found(_ pair: (ColumnReference, Int)) throws {
    #expect(try header("id,api_token,name,#9\n").index(of: pair.0) == pair.1)
  }

  @Test(arguments: [
    (ColumnReference.name("api_tokn"), "users.csv: there is no column 'api_tokn'; did you mean 'api_token'?"),
    (.name("API_TOKEN"), "users.csv: there is no column 'API_TOKEN'; did you mean 'api_token'?"),
    (.name("password"), "users.csv: there is no column 'password'; the header has 4 other columns"),
    (.name("name"), "users.csv: 2 columns are named 'name'; say which by its number: '#3' or '#4'"),
    (.number(5), "users.csv: there is no column #5: the first record has 4"),
    (.number(0), "users.csv: there is no column #0: the first record has 4"),
  ])
  func notFound(_ pair: (ColumnReference, String)) throws {
    let header = try header("id,api_token,name,name\n")
    let error = #expect(throws: RekeyError.self) { try header.index(of: pair.0) }
    #expect(error?.description == pair.1)
    #expect(error?.kind == .usage)
  }

  @Test func namesNeedAHeader() throws {
    let header = try header("1,2\n", hasHeader: false)
    let error = #expect(throws: RekeyError.self) { try header.index(of: .name("id")) }
    #expect(
      error?.description
        == "users.csv: there is no header to look 'id' up in; name the column by its number ('#1' is the first)")
  }
}
