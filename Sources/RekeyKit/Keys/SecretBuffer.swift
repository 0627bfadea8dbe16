#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes that may hold a key on their way to an `AppKey`: in pages of their own, locked where the system allows it,
/// and cleared before they are given back.
final class SecretBuffer {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 512) {
    (base, self.capacity) = Self.allocate(capacity)
  }

  convenience init(_ bytes: UnsafeRawBufferPointer) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  deinit {
    Self.release(base, capacity)
  }

  var isEmpty: Bool { count == 0 }

  func append(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    base.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Lets `body` write up to `room` bytes behind the others and keeps as many as it returns; none if it returns -1.
  func append(room: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    reserve(room)
    let written = body(UnsafeMutableRawBufferPointer(start: base.advanced(by: count), count: room))
    count += max(written, 0)
    return written
  }

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  private func reserve(_ room: Int) {
    guard count + room > capacity else { return }
    let (new, newCapacity) = Self.allocate(max(2 * capacity, count + room))
    new.copyMemory(from: base, byteCount: count)
    Self.release(base, capacity)
    (base, capacity) = (new, newCapacity)
  }

  /// Whole pages, so that unlocking them unlocks nobody else's.
  private static func allocate(_ capacity: Int) -> (UnsafeMutableRawPointer, Int) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let size = (max(capacity, 1) + page - 1) / page * page
    let base = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: page)
    mlock(base, size)  // a key that stays is in a page of its own, which says whether it is locked
    return (base, size)
  }

  private static func release(_ base: UnsafeMutableRawPointer, _ size: Int) {
    clear(base, size)
    munlock(base, size)
    base.deallocate()
  }
}

/// Overwrites memory with zeros; the compiler may not leave it out.
func clear(_ start: UnsafeMutableRawPointer, _ count: Int) {
  #if canImport(Glibc)
    explicit_bzero(start, count)
  #else
    memset_s(start, count, 0, count)
  #endif
}
