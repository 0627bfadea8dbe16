/// A table as the catalog describes it.
package struct Table: Equatable, Sendable {
  package struct Column: Equatable, Sendable {
    package var name: String
    /// `attnum`.
    package var number: Int
    /// As declared: `character varying(255)`.
    package var type: String
    /// Without the length: what a text parameter is cast to, `format_type(atttypid, -1)`.
    package var castType: String
    /// The type under all domains, by its name in `pg_type`: `varchar`, `bytea`, `citext`…
    package var baseType: String
    /// The length in characters of a `varchar(n)` or `char(n)`, also through a domain.
    package var characterLimit: Int?
    package var isNotNull: Bool
    /// `GENERATED ALWAYS AS (…) STORED`: it can't be written.
    package var isGenerated: Bool
    /// `GENERATED ALWAYS AS IDENTITY`: an UPDATE can't set it either.
    package var isIdentityAlways: Bool
    /// The collation's name; nil for types without one.
    package var collation: String?

    /// Whether values are bytes rather than text.
    package var isBytes: Bool { baseType == "bytea" }

    /// Whether a payload can be kept in it and written back.
    package var holdsText: Bool {
      ["text", "varchar", "bpchar", "citext", "bytea", "json", "jsonb"].contains(baseType)
    }
  }

  /// What identifies rows.
  package enum KeyOrigin: Equatable, Sendable {
    case primaryKey
    /// A unique index on not-null columns, by name.
    case uniqueIndex(String)
  }

  package var oid: Int
  package var schema: String
  package var name: String
  package var isPartitioned: Bool
  /// Tables that inherit from it (not partitions); its key doesn't cover their rows, so they aren't read with it.
  package var children: [String]
  package var columns: [Column]
  /// The columns of the key, in its index's order.
  package var key: [Column]
  package var keyOrigin: KeyOrigin
  /// The planner's estimate of its rows; nil where the role may not read it.
  package var estimatedRows: Int?
  /// The size on disk with TOAST and indexes, in bytes.
  package var size: Int

  /// `schema.name`, for messages.
  package var description: String { "\(schema).\(name)" }

  /// The name as SQL.
  package var sql: String { "\(quoteIdentifier(schema)).\(quoteIdentifier(name))" }

  /// The name as SQL in FROM and UPDATE: without the tables that inherit from it.
  package var onlySQL: String { children.isEmpty ? sql : "ONLY \(sql)" }

  package func column(named name: String) -> Column? { columns.first { $0.name == name } }
}
