/// What the stage has to know of a chosen column.
struct ColumnRule: Equatable, Sendable {
  /// As messages and the audit log name it.
  var name: String
  var plaintext: Config.PlaintextRule
  /// The most characters that a value may have; nil without a limit.
  var characterLimit: Int?
}
