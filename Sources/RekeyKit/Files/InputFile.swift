#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is read from its start to its end; `-` is standard input.
package final class InputFile: @unchecked Sendable {  // read from the source's queue alone
  package let path: String
  /// In bytes; nil where it isn't known beforehand (a pipe).
  package let size: Int?
  let status: FileStatus?
  private let descriptor: FileDescriptor
  private var bytesRead = 0

  /// Throws `RekeyError` if there is no such file, it is a folder or may not be read.
  package init(path: String) throws(RekeyError) {
    self.path = path
    descriptor =
      path == "-"
      ? FileDescriptor(STDIN_FILENO, path: "standard input")
      : try FileDescriptor(opening: path, O_RDONLY, action: "open for reading")
    status = FileStatus(of: descriptor.raw)
    if status?.isFolder == true { throw RekeyError(.usage, "\(path): this is a folder; name a file") }
    size = status.flatMap { $0.isRegularFile ? $0.size : nil }
    #if canImport(Glibc)
      posix_fadvise(descriptor.raw, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  /// Reads what is there, up to the buffer's size; 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(RekeyError) -> Int {
    let count = try descriptor.read(into: buffer)
    bytesRead += count
    if count == 0, !buffer.isEmpty, let size, bytesRead < size {
      throw RekeyError(
        .fatal,
        "\(path): the file got shorter while it was read (\(bytesRead) of \(size) bytes); run again when it rests")
    }
    return count
  }

  /// All bytes up to the end; more than `limit` of them throw `RekeyError` with `tooLarge` as its text.
  func readAll(limit: Int, tooLarge: String) throws(RekeyError) -> [UInt8] {
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try read(into: buffer)
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= limit else { throw RekeyError(.usage, "\(path): \(tooLarge)") }
    }
  }
}
