/// RFC 4648 base64, by vectors where the processor has them and by lookup tables, and the two readings of PHP's
/// `base64_decode`.
///
/// Outputs need `Base64.slack` bytes of room behind their last byte, since words are stored whole.
final class Base64: @unchecked Sendable {  // the tables are written in `init` only
  static let slack = 8

  /// For each of four letters its bits, where they belong in three bytes of a little-endian word; bit 31 marks bytes
  /// outside the alphabet.
  private let decoding: UnsafeMutablePointer<UInt32>
  /// For twelve bits the two letters, in memory order.
  private let encoding: UnsafeMutablePointer<UInt16>
  /// Six bits, or `skipped`, or `whiteSpace`.
  private let values: UnsafeMutablePointer<Int8>

  private static let skipped: Int8 = -2
  private static let whiteSpace: Int8 = -1
  private static let invalid: UInt32 = 0x8000_0000
  private static let pad = UInt8(ascii: "=")

  private let kernel: VectorKernel

  /// The kernel must be available.
  init(kernel: VectorKernel = .best) {
    self.kernel = kernel
    decoding = .allocate(capacity: 4 * 256)
    decoding.initialize(repeating: Self.invalid, count: 4 * 256)
    encoding = .allocate(capacity: 4096)
    encoding.initialize(repeating: 0, count: 4096)
    values = .allocate(capacity: 256)
    values.initialize(repeating: Self.skipped, count: 256)
    // PHP's table: of all white space only these four.
    for byte in [0x09, 0x0A, 0x0D, 0x20] { values[byte] = Self.whiteSpace }
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for (value, letter) in alphabet.enumerated() {
      let bits = UInt32(value)
      values[Int(letter)] = Int8(value)
      decoding[Int(letter)] = bits << 2
      decoding[256 + Int(letter)] = bits >> 4 | (bits & 0x0F) << 12
      decoding[512 + Int(letter)] = (bits >> 2) << 8 | (bits & 0x03) << 22
      decoding[768 + Int(letter)] = bits << 16
    }
    for value in 0..<4096 {
      let pair = UInt16(alphabet[value >> 6]) | UInt16(alphabet[value & 63]) << 8
      encoding[value] = pair.littleEndian
    }
  }

  deinit {
    decoding.deallocate()
    encoding.deallocate()
    values.deallocate()
  }

  static func encodedLength(_ count: Int) -> Int { (count + 2) / 3 * 4 }

  /// An upper bound for every reading.
  static func decodedCapacity(_ count: Int) -> Int { count / 4 * 3 + 3 + slack }

  /// Writes `encodedLength` bytes and returns their number.
  @discardableResult
  func encode(_ input: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) -> Int {
    guard let source = input.baseAddress, !input.isEmpty else { return 0 }
    let count = input.count
    var read = kernel.encode(source, count, into: target)
    var written = read / 3 * 4
    while count - read >= 8 {
      let bits = UInt64(bigEndian: source.loadUnaligned(fromByteOffset: read, as: UInt64.self)) >> 16
      let word =
        UInt64(encoding[Int(bits >> 36) & 0xFFF]) | UInt64(encoding[Int(bits >> 24) & 0xFFF]) << 16
        | UInt64(encoding[Int(bits >> 12) & 0xFFF]) << 32 | UInt64(encoding[Int(bits) & 0xFFF]) << 48
      target.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
      read += 6
      written += 8
    }
    while count - read >= 3 {
      let bits = Int(input[read]) << 16 | Int(input[read + 1]) << 8 | Int(input[read + 2])
      target.storeBytes(of: encoding[bits >> 12], toByteOffset: written, as: UInt16.self)
      target.storeBytes(of: encoding[bits & 0xFFF], toByteOffset: written + 2, as: UInt16.self)
      read += 3
      written += 4
    }
    if read < count {
      let second = read + 1 < count ? Int(input[read + 1]) : 0
      let bits = Int(input[read]) << 16 | second << 8
      target.storeBytes(of: encoding[bits >> 12], toByteOffset: written, as: UInt16.self)
      target.storeBytes(of: encoding[bits & 0xFFF], toByteOffset: written + 2, as: UInt16.self)
      target.storeBytes(of: Self.pad, toByteOffset: written + 3, as: UInt8.self)
      if read + 1 == count { target.storeBytes(of: Self.pad, toByteOffset: written + 2, as: UInt8.self) }
      written += 4
    }
    return written
  }

  /// Decodes what an encoder writes: a multiple of four letters, `=` at the end only. Nil for anything else.
  ///
  /// What it decodes, both readings of PHP decode to the same bytes.
  func decodeExactly(_ input: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) -> Int? {
    guard input.count & 3 == 0 else { return nil }
    guard let source = input.baseAddress, !input.isEmpty else { return 0 }
    var whole = input.count
    if input[whole - 1] == Self.pad { whole -= 4 }
    var read = kernel.decode(source, whole, into: target)
    var written = read / 4 * 3
    var seen: UInt32 = 0
    while whole - read >= 8 {
      let letters = source.loadUnaligned(fromByteOffset: read, as: UInt64.self).littleEndian
      let low = group(UInt32(truncatingIfNeeded: letters))
      let high = group(UInt32(truncatingIfNeeded: letters >> 32))
      seen |= low | high
      let word = UInt64(low) | UInt64(high) << 24
      target.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
      read += 8
      written += 6
    }
    if whole - read == 4 {
      let low = group(source.loadUnaligned(fromByteOffset: read, as: UInt32.self).littleEndian)
      seen |= low
      target.storeBytes(of: low.littleEndian, toByteOffset: written, as: UInt32.self)
      read += 4
      written += 3
    }
    if whole < input.count {
      let first = decoding[Int(input[read])] | decoding[256 + Int(input[read + 1])]
      seen |= first
      target.storeBytes(of: UInt8(truncatingIfNeeded: first), toByteOffset: written, as: UInt8.self)
      written += 1
      if input[read + 2] != Self.pad {
        let second = first | decoding[512 + Int(input[read + 2])]
        seen |= second
        target.storeBytes(of: UInt8(truncatingIfNeeded: second >> 8), toByteOffset: written, as: UInt8.self)
        written += 1
      }
    }
    return seen & Self.invalid == 0 ? written : nil
  }

  @inline(__always)
  private func group(_ letters: UInt32) -> UInt32 {
    decoding[Int(letters & 0xFF)] | decoding[256 + Int(letters >> 8 & 0xFF)]
      | decoding[512 + Int(letters >> 16 & 0xFF)] | decoding[768 + Int(letters >> 24)]
  }

  /// PHP's `base64_decode($text)`: every byte outside the alphabet is skipped, `=` too, wherever it stands.
  ///
  /// `output` may be the input's own memory.
  func decodeLeniently(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
    var letters = LetterWriter(output: output)
    for byte in input {
      let value = values[Int(byte)]
      if value >= 0 { letters.append(UInt8(value)) }
    }
    return letters.written
  }

  /// PHP's `base64_decode($text, true)`: white space is skipped, padding may be left out but not be wrong.
  ///
  /// Nil where PHP returns false. `output` may be the input's own memory.
  func decodeStrictly(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
    var letters = LetterWriter(output: output)
    var padding = 0
    for byte in input {
      if byte == Self.pad {
        padding += 1
        continue
      }
      let value = values[Int(byte)]
      if value == Self.whiteSpace { continue }
      guard value >= 0, padding == 0 else { return nil }
      letters.append(UInt8(value))
    }
    if letters.count & 3 == 1 { return nil }
    if padding > 0, padding > 2 || (letters.count + padding) & 3 != 0 { return nil }
    return letters.written
  }
}

/// Puts six bits behind six bits; bits that don't fill a byte are dropped.
private struct LetterWriter {
  let output: UnsafeMutableRawBufferPointer
  var bits: UInt32 = 0
  var count = 0
  var written = 0

  init(output: UnsafeMutableRawBufferPointer) {
    self.output = output
  }

  @inline(__always)
  mutating func append(_ value: UInt8) {
    bits = bits << 6 | UInt32(value)
    count += 1
    let phase = count & 3
    if phase == 1 { return }
    // After two letters twelve bits are there, after three ten, after four eight of them not yet written.
    let shift = phase == 2 ? 4 : phase == 3 ? 2 : 0
    output[written] = UInt8(truncatingIfNeeded: bits >> UInt32(shift))
    written += 1
  }
}
