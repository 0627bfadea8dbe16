import Postgres
import YAML

/// Finds a pipeline's table in the catalog and says all that is wrong with using it.
struct TableCheck {
  let catalog: Catalog
  private(set) var problems: [Problem] = []

  init(_ connection: Connection) { catalog = Catalog(connection) }

  /// The table and its chosen columns; nil with a problem where it can't be used.
  ///
  /// - Parameter writes: whether values will be written back.
  mutating func find(
    _ name: Located<TableName>, columns wanted: [Config.Column], filter: String?, writes: Bool
  ) throws -> PostgresTable? {
    guard let table = try find(name) else { return nil }
    let before = problems.count
    var columns: [Table.Column] = []
    for column in wanted {
      guard let found = find(column, in: table) else { continue }
      check(found, of: table, at: column.reference.mark, writes: writes)
      columns.append(found)
    }
    guard problems.count == before else { return nil }
    try checkAccess(table, columns, at: name.mark, writes: writes)
    guard problems.count == before else { return nil }
    return PostgresTable(table: table, columns: columns, predicate: filter)
  }

  private mutating func find(_ name: Located<TableName>) throws -> Table? {
    let wanted = (name.value.schema.map { $0 + "." } ?? "") + name.value.table
    do {
      return try catalog.table(named: wanted)
    } catch let error as PostgresError where error.kind == .unusable {
      let names = try catalog.tableNames()
      let isThere = names.contains { $0 == wanted || $0.hasSuffix(".\(wanted)") }
      let near =
        isThere
        ? nil
        : nearestName(
          to: wanted,
          among: names + (name.value.schema == nil ? names.map { String($0.drop { $0 != "." }.dropFirst()) } : []))
      problems.append(Problem(error.description, at: name.mark, hint: near.map { "did you mean '\($0)'?" }))
      return nil
    }
  }

  private mutating func find(_ column: Config.Column, in table: Table) -> Table.Column? {
    let name = column.reference.value.description
    if let found = table.column(named: name) { return found }
    guard !column.reference.isSubstituted else {
      problems.append(
        Problem(
          "\(table.description) has no such column; its name comes from the environment, and isn't shown",
          at: column.reference.mark))
      return nil
    }
    let near = nearestName(to: name, among: table.columns.map(\.name))
    problems.append(
      Problem(
        "\(table.description) has no column '\(name)'", at: column.reference.mark,
        hint: near.map { "did you mean '\($0)'?" }))
    return nil
  }

  private mutating func check(_ column: Table.Column, of table: Table, at mark: Mark, writes: Bool) {
    let place = "\(table.description).\(column.name)"
    if ["json", "jsonb"].contains(column.baseType) {
      problems.append(
        Problem("\(place) is of type \(column.type): payloads in json and jsonb are not supported yet", at: mark))
    } else if !column.holdsText {
      problems.append(
        Problem(
          "\(place) is of type \(column.type), which can't hold a payload", at: mark,
          hint: "text, varchar, char, citext and bytea can"))
    }
    guard writes else { return }
    if column.isGenerated {
      problems.append(
        Problem("\(place) is a generated column", at: mark, hint: "name the column that it is generated from"))
    }
    if table.key.contains(column) {
      problems.append(
        Problem(
          "\(place) is part of the table's key", at: mark, hint: "a key must not change while rows are found by it"))
    }
  }

  private mutating func checkAccess(
    _ table: Table, _ columns: [Table.Column], at mark: Mark, writes: Bool
  ) throws {
    let missing = try catalog.missingPrivileges(on: table, columns: columns, update: writes)
    if !missing.isEmpty {
      problems.append(
        Problem(
          "the role may not \(writes ? "read and update" : "read") \(table.description)", at: mark,
          hint: "let its owner run: \(missing.joined(separator: "; "))"))
    }
    if try catalog.hidesRows(table) {
      problems.append(
        Problem(
          "row-level security on \(table.description) would hide rows from this role", at: mark,
          hint: "use the table's owner, or a role with BYPASSRLS"))
    }
  }
}
