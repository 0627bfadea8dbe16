#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Fetches what a reference refers to: a key, or a list of keys, as it is written there.
struct KeyFetcher {
  /// Why there is none; never text of what was read.
  struct Failure: Error {
    var reason: String
  }

  /// In bytes; a `.env` file is far smaller.
  private static let maxSize = 1 << 20

  let environment: ProcessEnvironment

  func fetch(_ reference: KeyReference) throws(Failure) -> SecretBuffer {
    let text: SecretBuffer
    switch reference {
    case .environment(let name):
      guard let value = environment.key(name) else {
        throw Failure(reason: "environment variable '\(name)' is not set")
      }
      text = Self.withoutQuotes(value)
    case .dotenv(let path, let name): text = try readDotenv(path, name)
    case .file(let path): text = try Self.readFile(path)
    case .descriptor(let number): text = try Self.readDescriptor(number, name: "file descriptor \(number)")
    case .credential(let name):
      guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else {
        throw Failure(
          reason: "CREDENTIALS_DIRECTORY is not set; run as a systemd unit with LoadCredential=\(name):PATH")
      }
      text = try Self.readFile("\(folder)/\(name)")
    }
    if text.isEmpty { throw Failure(reason: "\(reference) is empty") }
    return text
  }

  private func readDotenv(_ path: String, _ name: String) throws(Failure) -> SecretBuffer {
    let file = try Self.readFile(path)
    let dotenv: Dotenv
    do throws(Dotenv.Failure) {
      dotenv = try Dotenv(file, environment: environment)
    } catch {
      throw Failure(reason: "\(path):\(error.line): \(error.reason) (Laravel can't read this file either)")
    }
    if let value = dotenv.variables[name] { return Self.withoutQuotes(value) }
    var reason = "\(path) has no '\(name)'"
    if let line = dotenv.unclosedLine {
      reason += "; the double quote that opens on line \(line) is not closed, so Laravel drops what follows"
    } else if let hint = suggestion(for: name, among: dotenv.variables.keys.sorted()) {
      reason += "; \(hint)"
    }
    throw Failure(reason: reason)
  }

  /// What Laravel's `env()` makes of a value: one pair of quotes around it goes, `null` and `empty` are nothing.
  private static func withoutQuotes(_ value: SecretBuffer) -> SecretBuffer {
    value.withBytes { bytes in
      if ["null", "(null)", "empty", "(empty)"].contains(where: { equalsIgnoringCase(bytes, $0) }) {
        return SecretBuffer()
      }
      guard bytes.count >= 2, let quote = bytes.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        bytes.last == quote, !bytes.contains(UInt8(ascii: "\n"))
      else { return value }
      return SecretBuffer(UnsafeRawBufferPointer(rebasing: bytes[1..<(bytes.count - 1)]))
    }
  }

  private static func equalsIgnoringCase(_ bytes: UnsafeRawBufferPointer, _ word: String) -> Bool {
    bytes.count == word.utf8.count && zip(bytes, word.utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
  }

  private static func readFile(_ path: String) throws(Failure) -> SecretBuffer {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(reason: "can't open '\(path)': \(errorText(errno))") }
    defer { close(descriptor) }
    return try readDescriptor(descriptor, name: "'\(path)'")
  }

  private static func readDescriptor(_ descriptor: Int32, name: String) throws(Failure) -> SecretBuffer {
    let text = SecretBuffer(capacity: 4096)
    while true {
      let count = text.append(room: 4096) { read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { return text }
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure(reason: "can't read \(name): \(errorText(errno))")
      }
      if text.count > maxSize { throw Failure(reason: "\(name) is larger than 1 MiB; is it the right file?") }
    }
  }

  private static func errorText(_ code: Int32) -> String {
    String(cString: strerror(code)).lowercased()
  }
}
