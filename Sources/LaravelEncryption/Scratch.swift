/// Working memory of one worker: grows, never shrinks, and is wiped whenever it is let go.
final class Scratch {
  private var base: UnsafeMutableRawPointer
  private(set) var capacity: Int

  init(capacity: Int = 64 << 10) {
    self.capacity = capacity
    base = .allocate(byteCount: capacity, alignment: 64)
  }

  deinit {
    wipe(base, capacity)
    base.deallocate()
  }

  /// Makes room for `count` bytes; what the memory held is lost if it has to grow.
  func reserve(_ count: Int) {
    guard count > capacity else { return }
    wipe(base, capacity)
    base.deallocate()
    capacity = count + count / 4
    base = .allocate(byteCount: capacity, alignment: 64)
  }

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeMutableRawBufferPointer(start: base, count: capacity))
  }

  /// Wipes the first `count` bytes.
  func wipeFirst(_ count: Int) {
    wipe(base, min(count, capacity))
  }
}
