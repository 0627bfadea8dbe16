#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is wrong with a file: which one, what, and what to do next. It holds no byte of the file's content.
package struct FileError: Error, Equatable, CustomStringConvertible {
  package enum Kind: Equatable, Sendable {
    /// The reader of the output has gone (EPIPE): the command ends quietly.
    case closedPipe
    /// The content isn't what it has to be: broken CSV, no such column.
    case content
    /// The file may not be used like this: the output exists, or is the input.
    case refused
    /// A system call failed with this `errno`.
    case system(Int32)
  }

  package var kind: Kind
  /// As the pipeline file has it.
  package var path: String
  package var problem: String

  package init(_ kind: Kind, path: String, _ problem: String) {
    self.kind = kind
    self.path = path
    self.problem = problem
  }

  package var description: String { "\(path): \(problem)" }

  /// A system call's failure: `cannot write: No space left on device`.
  static func system(_ code: Int32, path: String, _ action: String) -> FileError {
    if code == EPIPE { return FileError(.closedPipe, path: path, "the reader has closed the pipe") }
    return FileError(.system(code), path: path, "cannot \(action): \(String(cString: strerror(code)))")
  }
}
