import YAML

/// Something in a pipeline file that must be put right, or that should be known.
package struct Problem: Error, Equatable {
  package enum Severity: String, Sendable {
    case error
    case warning
  }

  package var mark: Mark
  package var severity: Severity
  /// Lower case, without a full stop; never a substituted value, nor what may be a key.
  package var message: String

  /// - Parameter hint: what to do about it; joined to the message with a semicolon.
  package init(_ message: String, at mark: Mark, hint: String? = nil, severity: Severity = .error) {
    self.mark = mark
    self.severity = severity
    self.message = hint.map { "\(message); \($0)" } ?? message
  }
}
