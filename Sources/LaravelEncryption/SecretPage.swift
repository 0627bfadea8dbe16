#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes in memory pages of their own: locked against swapping, kept out of core files, wiped at the end.
///
/// For keys, from where they are read to where they are used:
/// `let page = try SecretPage(capacity: size)`, then `page.fill { read(descriptor, $0.baseAddress, $0.count) }`.
package final class SecretPage: @unchecked Sendable {  // its one owner fills it, later it is only read
  private let base: UnsafeMutableRawPointer
  private let size: Int
  /// In bytes.
  package private(set) var count = 0
  /// False if the pages could not be locked (see `ulimit -l`), and may be swapped out.
  package let isLocked: Bool

  /// Room for at least `capacity` bytes. Throws `noMemoryForKey`.
  package init(capacity: Int) throws(EncryptionError) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    size = (max(capacity, 1) + page - 1) / page * page
    guard
      let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), mapped != MAP_FAILED
    else { throw .noMemoryForKey }
    base = mapped
    isLocked = mlock(mapped, size) == 0
    #if os(Linux)
      _ = madvise(mapped, size, MADV_DONTDUMP)
    #endif
  }

  deinit {
    wipe(base, size)
    munlock(base, size)
    munmap(base, size)
  }

  /// Lets `body` write into the pages and keeps as many bytes as it says it wrote; none if negative.
  package func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) {
    count = min(max(body(UnsafeMutableRawBufferPointer(start: base, count: size)), 0), size)
  }

  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }
}
