import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The audit log: JSON Lines that are only ever appended, in a file of mode 0600.
final class AuditLog: @unchecked Sendable {  // `lock` keeps lines whole; the file is nobody else's
  let path: String
  private let file: FileDescriptor
  private let lock = NSLock()
  private var isSynced = true

  /// Opens or makes the file; a line that a crash cut off is ended first.
  init(path: String) throws(RekeyError) {
    self.path = path
    let file = try FileDescriptor(
      opening: path, O_RDWR | O_APPEND | O_CREAT, action: "open the audit log")
    self.file = file
    let end = lseek(file.raw, 0, SEEK_END)
    if end > 0 {
      var last: UInt8 = 0
      if pread(file.raw, &last, 1, end - 1) == 1, last != UInt8(ascii: "\n") { try append([UInt8(ascii: "\n")]) }
    }
  }

  /// Throws where the file can't be appended to or made; it changes nothing.
  static func check(_ path: String) throws(RekeyError) {
    if FileStatus(following: path) != nil {
      guard access(path, W_OK) == 0 else { throw .system(errno, path: path, "append to the audit log") }
      return
    }
    let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
    guard access(folder.isEmpty ? "/" : folder, W_OK | X_OK) == 0 else {
      throw .system(errno, path: path, "make the audit log in its folder")
    }
  }

  func append(_ lines: [UInt8]) throws(RekeyError) {
    guard !lines.isEmpty else { return }
    lock.lock()
    defer { lock.unlock() }
    var failure: RekeyError?
    lines.withUnsafeBytes { bytes in
      do throws(RekeyError) { try file.write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    isSynced = false
  }

  /// Brings to disk what was appended: before a COMMIT, and at the end.
  func sync() throws(RekeyError) {
    lock.lock()
    defer { lock.unlock() }
    guard !isSynced else { return }
    // A pipe or a device has nothing to sync.
    guard fdatasync(file.raw) == 0 || errno == EINVAL else { throw .system(errno, path: path, "sync") }
    isSynced = true
  }
}
