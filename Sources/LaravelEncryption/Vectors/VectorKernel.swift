#if arch(x86_64)
  import CVectors
#endif

/// The vector instructions by which base64 and hexadecimal digits are done; what a kernel leaves is done without.
enum VectorKernel: CaseIterable {
  /// None: what every processor can do.
  case portable
  case avx2
  case avx512VBMI

  /// The fastest that this processor has.
  static var best: VectorKernel { allCases.last { $0.isAvailable } ?? .portable }

  var isAvailable: Bool {
    #if arch(x86_64)
      switch self {
      case .portable: true
      case .avx2: rekey_has_avx2() != 0
      case .avx512VBMI: rekey_has_vbmi() != 0
      }
    #else
      self == .portable
    #endif
  }

  /// Decodes letters up to the first vector that holds anything else, and returns how many: a multiple of four.
  ///
  /// Writes three bytes for each four letters, and up to `Base64.slack` bytes behind them.
  @inline(__always)
  func decode(_ letters: UnsafeRawPointer, _ count: Int, into bytes: UnsafeMutableRawPointer) -> Int {
    #if arch(x86_64)
      let source = letters.assumingMemoryBound(to: UInt8.self)
      let target = bytes.assumingMemoryBound(to: UInt8.self)
      switch self {
      case .portable: return 0
      case .avx2: return rekey_base64_decode_avx2(source, count, target)
      case .avx512VBMI: return rekey_base64_decode_vbmi(source, count, target)
      }
    #else
      return 0
    #endif
  }

  /// Encodes as many bytes as its vectors hold, and returns how many: a multiple of three.
  @inline(__always)
  func encode(_ bytes: UnsafeRawPointer, _ count: Int, into letters: UnsafeMutableRawPointer) -> Int {
    #if arch(x86_64)
      let source = bytes.assumingMemoryBound(to: UInt8.self)
      let target = letters.assumingMemoryBound(to: UInt8.self)
      switch self {
      case .portable: return 0
      case .avx2: return rekey_base64_encode_avx2(source, count, target)
      case .avx512VBMI: return rekey_base64_encode_vbmi(source, count, target)
      }
    #else
      return 0
    #endif
  }

  /// Writes the 64 lower-case hexadecimal digits of 32 bytes, the higher half of each first.
  @inline(__always)
  func writeHex(_ bytes: UnsafeRawPointer, into digits: UnsafeMutableRawPointer) {
    #if arch(x86_64)
      if self != .portable {
        return rekey_hex_avx2(bytes.assumingMemoryBound(to: UInt8.self), digits.assumingMemoryBound(to: UInt8.self))
      }
    #endif
    for index in 0..<8 {
      let word = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
      digits.storeBytes(of: hexDigits(word).bigEndian, toByteOffset: 8 * index, as: UInt64.self)
    }
  }
}

/// The eight lower-case hexadecimal digits of a word, the highest first; without a branch, so that it takes the same
/// time for every value.
@inline(__always)
private func hexDigits(_ word: UInt32) -> UInt64 {
  var digits = UInt64(word)
  digits = (digits << 16 | digits) & 0x0000_FFFF_0000_FFFF
  digits = (digits << 8 | digits) & 0x00FF_00FF_00FF_00FF
  digits = (digits << 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F
  // Above nine, six more carry into the upper half of a byte; 39 more lead from behind "9" to "a".
  let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
  return digits + 0x3030_3030_3030_3030 + letters * 39
}
