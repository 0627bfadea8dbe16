import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output for machines, standard error for people.
///
/// What can't be written on standard output is kept as `failure`, for the command's end.
final class Console: @unchecked Sendable {  // `lock` keeps lines whole and guards `outputFailure`
  let isErrTerminal: Bool
  /// Whether text on standard error may have colors (https://no-color.org).
  let usesColor: Bool
  /// The terminal's columns; 80 where there is none.
  let width: Int
  private let lock = NSLock()
  private var outputFailure: RekeyError?

  init(_ environment: ProcessEnvironment) {
    isErrTerminal = isatty(STDERR_FILENO) == 1
    usesColor = isErrTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    width = isKnown ? Int(size.ws_col) : 80
  }

  /// Why standard output is incomplete; nil if it isn't.
  var failure: RekeyError? { lock.withLock { outputFailure } }

  /// Prints a line on standard output.
  func out(_ text: String) { outBytes(Array("\(text)\n".utf8)) }

  func outBytes(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO, path: "standard output") }

  func err(_ text: String, lineEnd: Bool = true) {
    write(Array((lineEnd ? "\(text)\n" : text).utf8), to: STDERR_FILENO, path: "standard error")
  }

  /// Says what ended a command; the exit code that it means.
  func report(_ error: any Error) -> Int32 {
    let error = error as? RekeyError ?? RekeyError(.fatal, "\(error)")
    err("rekey: error: \(error.message)")
    return error.kind.exitCode
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32, path: String) {
    lock.lock()
    defer { lock.unlock() }
    bytes.withUnsafeBytes { bytes in
      do throws(RekeyError) {
        try FileDescriptor(descriptor, path: path).write(bytes)
      } catch {
        if descriptor == STDOUT_FILENO { outputFailure = outputFailure ?? error }
      }
    }
  }
}
