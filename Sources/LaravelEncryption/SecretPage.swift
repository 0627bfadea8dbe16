#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes in memory pages of their own: locked against swapping, kept out of core files, wiped at the end.
final class SecretPage: @unchecked Sendable {  // written only while its one owner fills it, only read after that
  private let base: UnsafeMutableRawPointer
  private let size: Int
  private(set) var count = 0
  /// False if the pages could not be locked (see `ulimit -l`), and may be swapped out.
  let isLocked: Bool

  /// Throws `noMemoryForKey`.
  init(capacity: Int) throws(EncryptionError) {
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

  /// Lets `body` write up to `capacity` bytes and keeps as many as it returns.
  func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) {
    count = body(UnsafeMutableRawBufferPointer(start: base, count: size))
  }

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }
}
