/// Finds bytes eight at a time.
///
/// Of the words `x ^ pattern`, a byte that is zero is a hit. `(x - 0x01…) & ~x & 0x80…` marks the zero bytes of x; a
/// borrow can mark wrongly only above a true hit, and the lowest mark alone is used.
struct ByteScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  private let delimiter: UInt64
  private let lineFeed = Self.ones &* UInt64(CSVFormat.lineFeed)
  private let carriageReturn = Self.ones &* UInt64(CSVFormat.carriageReturn)
  private let quote: UInt64

  init(_ format: CSVFormat) {
    delimiter = Self.ones &* UInt64(format.delimiter)
    quote = Self.ones &* UInt64(format.quote)
  }

  /// The offset of the next delimiter, CR or LF at or after `start`; `count` where there is none.
  @inline(__always)
  func fieldEnd(from start: Int, in base: UnsafeRawPointer, count: Int) -> Int {
    var at = start
    while at &+ 8 <= count {
      let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let hits = Self.zeros(word ^ delimiter) | Self.zeros(word ^ lineFeed) | Self.zeros(word ^ carriageReturn)
      if hits != 0 { return at &+ hits.trailingZeroBitCount >> 3 }
      at &+= 8
    }
    while at < count {
      let byte = base.load(fromByteOffset: at, as: UInt8.self)
      if byte == UInt8(truncatingIfNeeded: delimiter) || byte == CSVFormat.lineFeed || byte == CSVFormat.carriageReturn
      {
        return at
      }
      at &+= 1
    }
    return at
  }

  /// The offset of the next quote at or after `start`; `count` where there is none.
  @inline(__always)
  func quote(from start: Int, in base: UnsafeRawPointer, count: Int) -> Int {
    var at = start
    while at &+ 8 <= count {
      let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let hits = Self.zeros(word ^ quote)
      if hits != 0 { return at &+ hits.trailingZeroBitCount >> 3 }
      at &+= 8
    }
    while at < count, base.load(fromByteOffset: at, as: UInt8.self) != UInt8(truncatingIfNeeded: quote) { at &+= 1 }
    return at
  }

  /// The offset of the next byte that makes an unquoted field want quotes; `count` where there is none.
  func special(from start: Int, in base: UnsafeRawPointer, count: Int) -> Int {
    var at = start
    while at &+ 8 <= count {
      let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let hits =
        Self.zeros(word ^ delimiter) | Self.zeros(word ^ lineFeed) | Self.zeros(word ^ carriageReturn)
        | Self.zeros(word ^ quote)
      if hits != 0 { return at &+ hits.trailingZeroBitCount >> 3 }
      at &+= 8
    }
    return min(fieldEnd(from: at, in: base, count: count), self.quote(from: at, in: base, count: count))
  }

  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 {
    (word &- ones) & ~word & highs
  }
}
