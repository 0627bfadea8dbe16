#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that appears whole or not at all; `-` is standard output.
///
/// The bytes go to a temporary file beside the target, `.NAME.rekey-XXXXXX`, which `finish` syncs and renames over the
/// target and `cancel` removes. A killed process leaves it behind, for the next run to remove. A new file has mode 0600, since the rows beside the
/// payloads are seldom public; one that is replaced (`force`) keeps its mode and, where the user may set them, its
/// owner and group. A target that is no regular file (a pipe, `/dev/null`) is written to as it stands.
///
/// A closed pipe throws `RekeyError` with `kind == .closedPipe`, if the process ignores SIGPIPE.
package final class OutputFile: @unchecked Sendable {  // written from the sink's queue alone
  package let path: String
  private let force: Bool
  private let descriptor: FileDescriptor
  private var replacement: Replacement?
  private var written = 0

  /// The file that is to stand at `target` in the end.
  private struct Replacement {
    var temporary: String
    var target: String
    var replaced: FileStatus?
  }

  /// Refuses what `check` refuses, and makes the temporary file: an unwritable folder shows here.
  package init(path: String, input: InputFile?, force: Bool) throws(RekeyError) {
    try Self.check(path: path, input: input, force: force)
    self.path = path
    self.force = force
    if path == "-" {
      descriptor = FileDescriptor(STDOUT_FILENO, path: "standard output")
      return
    }
    let existing = FileStatus(following: path)
    if let existing, !existing.isRegularFile {
      descriptor = try FileDescriptor(opening: path, O_WRONLY, action: "open for writing")
      return
    }
    // A link stays a link: the file that it names is replaced.
    let target = existing == nil ? path : Self.resolved(path)
    let (folder, name) = Self.split(target)
    let prefix = ".\(Self.shortened(name)).rekey-"
    Self.removeStale(in: folder, prefix: prefix)
    let template = "\(folder)/\(prefix)XXXXXX"
    var temporary = Array(template.utf8CString)
    let raw = mkstemp(&temporary)
    guard raw >= 0 else { throw .system(errno, path: path, "create a file in the folder \(folder)") }
    _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
    _ = flock(raw, LOCK_EX | LOCK_NB)  // until the process ends: tells the file from one that a killed run has left
    descriptor = FileDescriptor(raw, path: path)
    replacement = Replacement(
      temporary: String(decoding: temporary.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self), target: target,
      replaced: existing)
  }

  deinit {
    cancel()
  }

  /// Throws `RekeyError` where the output exists (unless `force`), is the input, or its folder can't be written to.
  ///
  /// It changes nothing; `rekey check` calls it alone.
  package static func check(path: String, input: InputFile?, force: Bool) throws(RekeyError) {
    let existing = path == "-" ? FileStatus(of: STDOUT_FILENO) : FileStatus(following: path)
    if let existing, let input = input?.status, existing.isSameFile(as: input) {
      throw RekeyError(.usage, "\(path): the output is the input; write to another file")
    }
    if path == "-" { return }
    if let existing, existing.isFolder {
      throw RekeyError(.usage, "\(path): this is a folder; name a file in it")
    }
    if let existing, !existing.isRegularFile {
      guard access(path, W_OK) == 0 else { throw .system(errno, path: path, "open for writing") }
      return
    }
    if !force, existing != nil || isLink(path) {
      throw RekeyError(.usage, "\(path): the output exists already; remove it, or replace it with --force")
    }
    let (folder, name) = split(existing == nil ? path : resolved(path))
    guard !name.isEmpty else { throw RekeyError(.usage, "\(path): this is a folder; name a file in it") }
    guard access(folder, W_OK | X_OK) == 0 else {
      throw .system(errno, path: path, "create a file in the folder \(folder)")
    }
  }

  /// Writes all bytes; a full disk or a closed pipe throws `RekeyError`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(RekeyError) {
    try descriptor.write(bytes)
    written += bytes.count
  }

  /// Brings the file to the disk and then to its name; nothing is written afterwards.
  package func finish() throws(RekeyError) {
    guard let replacement else { return }
    let raw = descriptor.raw
    guard fsync(raw) == 0 else { throw .system(errno, path: path, "write") }
    let size = FileStatus(of: raw)?.size
    guard size == written else {
      throw RekeyError(.fatal, "\(path): \(written) bytes were written, but the file has \(size ?? 0); run again")
    }
    if let replaced = replacement.replaced {
      // Whom the file can't be given to may not read it by the group's or others' bits either.
      let isKept = fchown(raw, replaced.owner, replaced.group) == 0
      guard fchmod(raw, isKept ? replaced.permissions : replaced.permissions & 0o700) == 0 else {
        throw .system(errno, path: path, "set the mode")
      }
    }
    try move(replacement)
    self.replacement = nil
    try Self.syncFolder(of: replacement.target, path: path)
  }

  /// Gives the file its name; what has come to stand there since the start is only replaced with `force`.
  private func move(_ replacement: Replacement) throws(RekeyError) {
    if replacement.replaced == nil, !force {
      if link(replacement.temporary, replacement.target) == 0 {
        unlink(replacement.temporary)
        return
      }
      if errno == EEXIST {
        throw RekeyError(
          .fatal, "\(path): a file came to stand there while this ran; move it away and run again, or use --force")
      }
      // Some file systems have no hard links.
    }
    guard rename(replacement.temporary, replacement.target) == 0 else { throw .system(errno, path: path, "rename to") }
  }

  /// Removes the temporary file; after `finish`, and for standard output, it does nothing.
  package func cancel() {
    guard let replacement else { return }
    unlink(replacement.temporary)
    self.replacement = nil
  }

  /// The rename itself has to be on the disk; some file systems can't sync a folder (EINVAL).
  private static func syncFolder(of target: String, path: String) throws(RekeyError) {
    let folder = try FileDescriptor(opening: split(target).folder, O_RDONLY | O_DIRECTORY, action: "sync the folder")
    guard fsync(folder.raw) == 0 || errno == EINVAL else { throw .system(errno, path: path, "sync the folder") }
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.utf8.index(after: slash)...]))
  }

  /// The temporary file's name is 14 bytes longer, of at most 255.
  private static func shortened(_ name: String) -> String {
    var name = name
    while name.utf8.count > 241 { name.removeLast() }
    return name
  }

  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}
