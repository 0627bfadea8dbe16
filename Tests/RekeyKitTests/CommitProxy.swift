import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A TCP relay to the test server that can swallow the answer to a COMMIT: it hands the COMMIT on, and then cuts the
/// client off.
final class CommitProxy: @unchecked Sendable {  // `lock` guards what both sides change
  let port: UInt16
  private let listener: Int32
  private let target: UInt16
  private let lock = NSLock()
  private var commitsToPass: Int
  private var cut = false

  /// - Parameter commitsToPass: how many COMMITs are answered before one is not; negative never cuts.
  init(to target: UInt16, commitsToPass: Int) throws {
    self.target = target
    self.commitsToPass = commitsToPass
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = localAddress(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, address, &length) == 0
      }
    }
    guard bound else { throw CocoaError(.fileNoSuchFile) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    Thread { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self else { return }
        Thread { self.relay(client) }.start()
      }
    }.start()
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Whether an answer was swallowed.
  var didCut: Bool { lock.withLock { cut } }

  private func relay(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = localAddress(port: target)
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    defer {
      close(client)
      close(server)
    }
    guard connected == 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var ends = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ends, 2, -1) > 0 else { return }
      for (end, other) in [(0, server), (1, client)] where ends[end].revents != 0 {
        let count = read(ends[end].fd, &buffer, buffer.count)
        guard count > 0, write(other, buffer, count) == count else { return }
        if end == 0 && swallows(buffer[..<count]) {
          usleep(200_000)  // the server commits meanwhile
          return
        }
      }
    }
  }

  /// Whether these bytes are a COMMIT whose answer shall not come.
  private func swallows(_ message: ArraySlice<UInt8>) -> Bool {
    guard message.first == UInt8(ascii: "Q"), message.dropFirst(5).elementsEqual(Array("COMMIT\0".utf8)) else {
      return false
    }
    return lock.withLock {
      commitsToPass -= 1
      if commitsToPass == -1 { cut = true }
      return commitsToPass == -1
    }
  }
}

private func localAddress(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  return address
}
