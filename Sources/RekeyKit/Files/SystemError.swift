#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension RekeyError {
  /// A system call's failure on a file: `out/users.csv: cannot write: No space left on device`.
  ///
  /// A closed pipe (EPIPE) is no failure of ours: the command ends quietly.
  static func system(_ code: Int32, path: String, _ action: String) -> RekeyError {
    RekeyError(code == EPIPE ? .closedPipe : .fatal, "\(path): cannot \(action): \(String(cString: strerror(code)))")
  }
}
