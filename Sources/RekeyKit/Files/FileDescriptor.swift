#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open descriptor, closed with its owner; standard input and output stay open.
///
/// Its owner keeps it to one queue at a time.
package final class FileDescriptor {
  package let raw: Int32
  /// As messages name it.
  let path: String

  /// A file that `flags` make is of mode 0600.
  package init(opening path: String, _ flags: Int32, action: String) throws(RekeyError) {
    var descriptor = open(path, flags | O_CLOEXEC, 0o600)
    while descriptor < 0, errno == EINTR { descriptor = open(path, flags | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else { throw .system(errno, path: path, action) }
    raw = descriptor
    self.path = path
  }

  /// Takes over a descriptor that is open already.
  package init(_ raw: Int32, path: String) {
    self.raw = raw
    self.path = path
  }

  deinit {
    if raw > STDERR_FILENO { close(raw) }
  }

  /// Reads what is there, up to the buffer's size; 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(RekeyError) -> Int {
    while true {
      #if canImport(Glibc)
        let count = Glibc.read(raw, buffer.baseAddress, buffer.count)
      #else
        let count = Darwin.read(raw, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 { return count }
      try retry(errno, waitingFor: Int16(POLLIN), action: "read")
    }
  }

  /// Writes everything, continuing after short writes.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(RekeyError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      #if canImport(Glibc)
        let count = Glibc.write(raw, part.baseAddress, part.count)
      #else
        let count = Darwin.write(raw, part.baseAddress, part.count)
      #endif
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else {
        try retry(errno, waitingFor: Int16(POLLOUT), action: "write")
      }
    }
  }

  /// Returns to have the call repeated, throws otherwise.
  ///
  /// A pipe that another process has set to non-blocking is waited for.
  private func retry(_ code: Int32, waitingFor events: Int16, action: String) throws(RekeyError) {
    switch code {
    case EINTR: return
    case EAGAIN:
      var descriptor = pollfd(fd: raw, events: events, revents: 0)
      _ = poll(&descriptor, 1, -1)
    default: throw .system(code, path: path, action)
    }
  }
}
