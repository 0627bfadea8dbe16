import LaravelEncryption

/// A pipeline file that has been read and is right in itself: every reference, path and name in it is still unopened.
///
/// `docs/pipeline-file.md` lists every key with its type, default and meaning.
package struct Config: Sendable {
  /// The file's text, to report what later checks find in the form `file:line:column: error: …`.
  package var file: PipelineFile
  package var name: String
  package var keys: Keys
  package var operation: Operation
  /// Whether each new payload is opened again and compared before it may leave.
  package var verify: Bool
  package var input: Input
  package var output: Output
  package var audit: Located<String>?
  package var state: State
  package var limits: Limits

  package struct Keys: Sendable {
    package var current: Key
    package var previous: [Key]
    /// A payload that the application sealed, which the current key must open.
    package var proof: Located<String>?
  }

  package struct Key: Sendable {
    package var reference: Located<KeyReference>
    package var cipher: Cipher
  }

  package enum Operation: String, CaseIterable, Sendable {
    case rekey
    case encrypt
    case decrypt
  }

  package enum Input: Sendable {
    case csv(CSVInput)
    case postgres(PostgresInput)
  }

  package struct CSVInput: Sendable {
    /// `-` is standard input.
    package var path: Located<String>
    package var delimiter: UInt8
    package var quote: UInt8
    package var hasHeader: Bool
    package var ragged: Ragged
    package var columns: [Column]
  }

  /// What to do with a CSV record that has more or fewer fields than the first.
  package enum Ragged: String, CaseIterable, Sendable {
    case error
    case pass
  }

  package struct PostgresInput: Sendable {
    package var url: Located<String>
    /// At least one.
    package var tables: [Table]
  }

  package struct Table: Sendable {
    package var name: Located<TableName>
    /// At least one; each by name.
    package var columns: [Column]
    package var filter: Located<String>?
  }

  package struct Column: Sendable {
    package var reference: Located<ColumnReference>
    package var plaintext: PlaintextRule
  }

  /// What is done to a value that is not payload-like.
  package enum PlaintextRule: String, CaseIterable, Sendable {
    case leave
    case encrypt
    case fail
  }

  package enum Output: Sendable {
    case inPlace
    /// `-` is standard output.
    case csv(path: Located<String>)
    case postgres(PostgresOutput)
  }

  /// A table that is updated from a CSV file.
  package struct PostgresOutput: Sendable {
    package var url: Located<String>
    package var table: Located<TableName>
    /// The columns that find the row, under their names in the CSV header and in the table; at least one.
    package var key: [Located<String>]
    /// Whether a row that the table lacks is inserted.
    package var insertsMissing: Bool
  }

  /// Where checkpoints are kept.
  package enum State: Sendable {
    case disabled
    case schema(Located<String>)
  }

  package struct Limits: Equatable, Sendable {
    package var batchRows = 1000
    /// In bytes.
    package var batchBytes = 4 << 20
    /// Nil is as many as the machine has cores.
    package var workers: Int?
    package var lanes = 2
    package var failuresAllowed = 0
    /// Nil is never.
    package var stopAfterFailures: Int?

    package init() {}
  }
}
