import YAML

/// A value of the pipeline file and the place where it stands.
package struct Located<Value: Sendable>: Sendable {
  package var value: Value
  package var mark: Mark
  /// Whether part of it came from the environment: it must not be shown then.
  package var isSubstituted: Bool

  package init(_ value: Value, at mark: Mark, isSubstituted: Bool = false) {
    self.value = value
    self.mark = mark
    self.isSubstituted = isSubstituted
  }
}

extension Located: Equatable where Value: Equatable {}
