#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension OutputFile {
  /// Removes what killed runs have left beside an output: temporary files of its name that no process holds a lock on.
  ///
  /// A run that is still under way keeps its lock (flock(2)), which ends with the process.
  static func removeStale(in folder: String, prefix: String) {
    for name in names(in: folder) where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 6 {
      let path = "\(folder)/\(name)"
      let file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
      guard file >= 0 else { continue }
      if FileStatus(of: file)?.isRegularFile == true, flock(file, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
      close(file)
    }
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }
}
