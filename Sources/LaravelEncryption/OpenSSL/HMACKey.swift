import COpenSSL

/// HMAC-SHA256 (RFC 2104) with the key's two blocks hashed once: each message starts from copies of those states.
final class HMACKey: @unchecked Sendable {  // the states are written in `init` and `deinit` only
  private var inner = SHA256_CTX()
  private var outer = SHA256_CTX()

  /// Keys of up to 64 bytes, which all of ours are.
  init(_ key: UnsafeRawBufferPointer) {
    precondition(key.count <= 64)
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { block in
      func start(_ state: inout SHA256_CTX, pad: UInt8) {
        for index in 0..<64 { block[index] = pad ^ (index < key.count ? key[index] : 0) }
        SHA256_Init(&state)
        SHA256_Update(&state, block.baseAddress, 64)
      }
      start(&inner, pad: 0x36)
      start(&outer, pad: 0x5C)
      if let base = block.baseAddress { wipe(base, 64) }
    }
  }

  deinit {
    withUnsafeMutableBytes(of: &inner) { if let base = $0.baseAddress { wipe(base, $0.count) } }
    withUnsafeMutableBytes(of: &outer) { if let base = $0.baseAddress { wipe(base, $0.count) } }
  }

  static let hexLength = 64

  /// Writes the MAC of one part after the other as 64 lower-case hexadecimal digits.
  func authenticate(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, hex: UnsafeMutableRawBufferPointer
  ) {
    var state = inner
    SHA256_Update(&state, first.baseAddress, first.count)
    SHA256_Update(&state, second.baseAddress, second.count)
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
      guard let bytes = digest.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      SHA256_Final(bytes, &state)
      state = outer
      SHA256_Update(&state, bytes, 32)
      SHA256_Final(bytes, &state)
      writeHex(UnsafeRawBufferPointer(digest), into: hex)
    }
  }

  func authenticate(_ text: StaticString) -> [UInt8] {
    var hex = [UInt8](repeating: 0, count: Self.hexLength)
    text.withUTF8Buffer { bytes in
      hex.withUnsafeMutableBytes {
        authenticate(UnsafeRawBufferPointer(bytes), UnsafeRawBufferPointer(start: nil, count: 0), hex: $0)
      }
    }
    return hex
  }
}

/// Lower-case hexadecimal, as PHP writes it.
private func writeHex(_ bytes: UnsafeRawBufferPointer, into hex: UnsafeMutableRawBufferPointer) {
  for index in bytes.indices {
    hex[2 * index] = digit(bytes[index] >> 4)
    hex[2 * index + 1] = digit(bytes[index] & 0x0F)
  }
}

@inline(__always)
private func digit(_ value: UInt8) -> UInt8 {
  // 48 is "0"; above nine 39 more leads to "a". Without a branch, so that it takes the same time for every value.
  value &+ 48 &+ (((9 &- value) >> 7) & 1) &* 39
}
