#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What `stat` says of a file, as far as it is of use here.
struct FileStatus {
  private let raw: stat

  /// nil where there is no such file, or it can't be looked at (`errno` says why).
  init?(following path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    raw = status
  }

  init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    raw = status
  }

  var isRegularFile: Bool { raw.st_mode & S_IFMT == S_IFREG }
  var isFolder: Bool { raw.st_mode & S_IFMT == S_IFDIR }
  var size: Int { Int(raw.st_size) }
  var permissions: mode_t { raw.st_mode & 0o777 }
  var owner: uid_t { raw.st_uid }
  var group: gid_t { raw.st_gid }

  /// Whether both are one regular file, by whatever names and links.
  func isSameFile(as other: FileStatus) -> Bool {
    isRegularFile && raw.st_dev == other.raw.st_dev && raw.st_ino == other.raw.st_ino
  }
}
