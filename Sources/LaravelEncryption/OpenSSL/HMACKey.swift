import COpenSSL

/// HMAC-SHA256 (RFC 2104) with the key's two blocks hashed once: each message starts from copies of those states.
///
/// A message lies in memory with `roomForPadding` bytes behind it, so that it can be padded in place and hashed as
/// whole blocks without a copy.
final class HMACKey: @unchecked Sendable {  // the states are written in `init` and `deinit` only
  static let hexLength = 64
  static let roomForPadding = blockLength + lengthBytes
  /// SHA-256's block and the message's length in bits at the end of the last one (FIPS 180-4, sections 1 and 5.1.1).
  private static let blockLength = 64
  private static let lengthBytes = 8
  private static let digestLength = 32

  /// Behind the key's inner block, then behind its outer block.
  private let states: UnsafeMutablePointer<SHA256_CTX>

  private let kernel: VectorKernel

  /// Keys of up to 64 bytes, which all of ours are; the kernel must be available.
  init(_ key: UnsafeRawBufferPointer, kernel: VectorKernel = .best) {
    self.kernel = kernel
    precondition(key.count <= Self.blockLength)
    let states = UnsafeMutablePointer<SHA256_CTX>.allocate(capacity: 2)
    states.initialize(repeating: SHA256_CTX(), count: 2)
    withUnsafeTemporaryAllocation(byteCount: Self.blockLength, alignment: 8) { block in
      for (state, pad) in [0x36, 0x5C].enumerated() {
        for index in block.indices { block[index] = UInt8(pad) ^ (index < key.count ? key[index] : 0) }
        SHA256_Init(states + state)
        SHA256_Update(states + state, block.baseAddress, Self.blockLength)
      }
      if let base = block.baseAddress { wipe(base, Self.blockLength) }
    }
    self.states = states
  }

  deinit {
    wipe(states, 2 * MemoryLayout<SHA256_CTX>.size)
    states.deallocate()
  }

  /// Writes the MAC of the first `count` bytes as 64 lower-case hexadecimal digits, and padding behind the message.
  @inline(__always)
  func authenticate(_ message: UnsafeMutableRawPointer, _ count: Int, hex: UnsafeMutableRawPointer) {
    withUnsafeTemporaryAllocation(byteCount: Self.blockLength, alignment: 16) { block in
      guard let digest = block.baseAddress else { return }
      write(digest: digest, of: message, count)
      kernel.writeHex(digest, into: hex)
    }
  }

  /// Whether 64 bytes are the MAC of the first `count` bytes, in a time that depends on `count` alone.
  @inline(__always)
  func isAuthentic(_ message: UnsafeMutableRawPointer, _ count: Int, hex: UnsafeRawPointer) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.hexLength, alignment: 16) { expected in
      guard let digits = expected.baseAddress else { return false }
      authenticate(message, count, hex: digits)
      return haveSameBytes(
        UnsafeRawBufferPointer(expected), UnsafeRawBufferPointer(start: hex, count: Self.hexLength))
    }
  }

  func authenticate(_ text: StaticString) -> [UInt8] {
    let count = text.utf8CodeUnitCount
    var hex = [UInt8](repeating: 0, count: Self.hexLength)
    withUnsafeTemporaryAllocation(byteCount: count + Self.roomForPadding, alignment: 8) { message in
      hex.withUnsafeMutableBytes { hex in
        guard let base = message.baseAddress, let digits = hex.baseAddress else { return }
        base.copyMemory(from: text.utf8Start, byteCount: count)
        authenticate(base, count, hex: digits)
      }
    }
    return hex
  }

  /// Writes 32 bytes; `digest` has room for a block.
  @inline(__always)
  private func write(digest: UnsafeMutableRawPointer, of message: UnsafeMutableRawPointer, _ count: Int) {
    var state = states[0]
    SHA256_Update(&state, message, Self.pad(message, count))
    state.write(digest)
    state = states[1]
    SHA256_Update(&state, digest, Self.pad(digest, Self.digestLength))
    state.write(digest)
  }

  /// Appends the bit that ends a message, zeros and its length, which counts the key's block too; returns the whole
  /// length, a multiple of a block's.
  @inline(__always)
  private static func pad(_ message: UnsafeMutableRawPointer, _ count: Int) -> Int {
    let end = (count + lengthBytes) / blockLength * blockLength + blockLength
    (message + count).initializeMemory(as: UInt8.self, repeating: 0, count: end - count)
    message.storeBytes(of: 0x80, toByteOffset: count, as: UInt8.self)
    let bits = UInt64(count + blockLength) * 8
    message.storeBytes(of: bits.bigEndian, toByteOffset: end - lengthBytes, as: UInt64.self)
    return end
  }
}

extension SHA256_CTX {
  /// Writes the state, which after the last block is the digest.
  @inline(__always)
  fileprivate func write(_ digest: UnsafeMutableRawPointer) {
    let words = SIMD8(h.0, h.1, h.2, h.3, h.4, h.5, h.6, h.7)
    for index in 0..<8 {
      digest.storeBytes(of: words[index].bigEndian, toByteOffset: 4 * index, as: UInt32.self)
    }
  }
}
