import Pipeline
import Postgres

/// How rows of a CSV become new rows of a table.
package struct PostgresInsert {
  /// The table's columns that the CSV has, in the order of `fields`.
  package let columns: [Table.Column]
  /// A row's values with the new payloads in their places; nil for NULL.
  package let fields: (Batch, _ row: Int) throws -> [[UInt8]?]

  package init(columns: [Table.Column], fields: @escaping (Batch, _ row: Int) throws -> [[UInt8]?]) {
    self.columns = columns
    self.fields = fields
  }

  /// Adds an array for each column.
  func add(_ rows: [Int], of batch: Batch, to parameters: inout Parameters) throws {
    let values = try rows.map { try fields(batch, $0) }
    for column in columns.indices {
      parameters.beginArray(of: .text)
      for row in values {
        if let value = row[column] {
          value.withUnsafeBytes { parameters.appendElement($0) }
        } else {
          parameters.appendNullElement()
        }
      }
      parameters.endArray()
    }
  }

  /// Inserts what `add` added, save rows whose key appeared meanwhile.
  func statement(_ table: PostgresTable) -> String {
    let names = columns.map { quoteIdentifier($0.name) }.joined(separator: ", ")
    let values = columns.enumerated().map { "v\($0)::\($1.castType)" }.joined(separator: ", ")
    let arrays = columns.indices.map { "$\($0 + 1)::text[]" }.joined(separator: ", ")
    let aliases = columns.indices.map { "v\($0)" }.joined(separator: ", ")
    let key = table.table.key.map { quoteIdentifier($0.name) }.joined(separator: ", ")
    return """
      INSERT INTO \(table.table.sql) (\(names)) SELECT \(values) FROM unnest(\(arrays)) AS rows(\(aliases))
      ON CONFLICT (\(key)) DO NOTHING
      """
  }
}
