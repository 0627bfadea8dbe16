/// What ends a run, a dry run, an audit or a check: one clear message and the exit code it means.
///
/// The text is lower case and says what, where and what to do next. It never holds a key, a payload or a plaintext.
package struct RekeyError: Error, Equatable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// Something failed that no outcome covers: exit 1.
    case fatal
    /// The command line or a pipeline file is wrong: exit 2.
    case usage
    /// Another run of this pipeline is under way: exit 5.
    case busy
    /// The keys don't fit the data, or the data isn't what the pipeline says; nothing was written: exit 6.
    case keysDontFit
    /// Stopped before the end; run again to go on: exit 75.
    case interrupted
    /// The reader of standard output went away: ends quietly.
    case closedPipe
  }

  package var kind: Kind
  package var message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  package var description: String { message }
}
