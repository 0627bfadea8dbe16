/// What keeps a file from being read as YAML, and where.
///
/// The message never repeats text of the file: it may hold what should not be shown.
package struct YAMLError: Error, Equatable, Sendable {
  package var mark: Mark
  package var message: String

  init(_ message: String, at mark: Mark) {
    self.mark = mark
    self.message = message
  }
}
