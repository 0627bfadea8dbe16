#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes that may hold a key on their way to an `AppKey`; cleared before their memory is given back.
///
/// A buffer lives for a moment only, so its memory isn't locked: the little that a process may lock is for the keys.
final class SecretBuffer {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 512) {
    self.capacity = max(capacity, 16)
    base = .allocate(byteCount: self.capacity, alignment: 1)
  }

  convenience init(_ bytes: UnsafeRawBufferPointer) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  deinit {
    clear(base, capacity)
    base.deallocate()
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
    let newCapacity = max(2 * capacity, count + room)
    let new = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 1)
    new.copyMemory(from: base, byteCount: count)
    clear(base, capacity)
    base.deallocate()
    base = new
    capacity = newCapacity
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
