/// Encrypts many messages in CBC mode at once: the first block of all, then the second of all, and so on.
///
/// In CBC mode a block needs the one before it, so that the processor's AES unit idles between two blocks of the same
/// message. Blocks of different messages don't wait for each other. The exclusive-or of the chaining is done here and
/// each round is one ECB call; what comes out is ordinary CBC, each message under its own IV.
final class LockstepCBC {
  private let ecb: CipherContext
  /// For what is left when too few messages go on.
  private let cbc: CipherContext
  /// The messages that go on, in their order.
  private var active: [Int] = []
  /// Each message's last ciphertext block, then the round's input.
  private let round = Scratch(capacity: 16 << 10)

  /// With fewer messages, one after the other is faster.
  private static let fewest = 4

  init(_ key: AppKey) throws(EncryptionError) {
    ecb = try CipherContext(key, .encrypt, mode: .ecb)
    cbc = try CipherContext(key, .encrypt)
  }

  /// Encrypts the given ranges of `source`, whole blocks each, into the same ranges of `target`.
  ///
  /// The IVs lie one behind the other, in the order of the messages.
  func encrypt(
    _ messages: [Range<Int>], ivs: UnsafeRawPointer, from source: UnsafeRawPointer,
    into target: UnsafeMutableRawPointer
  ) throws(EncryptionError) {
    let block = CipherContext.blockLength
    var active: [Int] = []
    swap(&active, &self.active)
    defer { swap(&active, &self.active) }
    active.removeAll(keepingCapacity: true)
    active.append(contentsOf: messages.indices)
    round.reserve(2 * block * messages.count)
    let (ecb, cbc) = (ecb, cbc)
    try round.withBytes { (round: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
      guard let chain = round.baseAddress else { return }
      let input = chain + block * messages.count
      chain.copyMemory(from: ivs, byteCount: block * messages.count)
      var offset = 0
      while true {
        dropEnded(&active, messages, offset, chain)
        guard active.count >= Self.fewest else { break }
        for (row, message) in active.enumerated() {
          chainBlock(chain + block * row, source + messages[message].lowerBound + offset, into: input + block * row)
        }
        try ecb.update(input, count: block * active.count, into: chain)
        for (row, message) in active.enumerated() {
          let place = target + messages[message].lowerBound + offset
          place.copyMemory(from: chain + block * row, byteCount: block)
        }
        offset += block
      }
      for (row, message) in active.enumerated() {
        let start = messages[message].lowerBound + offset
        try cbc.start(iv: chain + block * row)
        try cbc.update(source + start, count: messages[message].upperBound - start, into: target + start)
      }
    }
  }

  /// Wipes what is left of the last round's plaintexts.
  func wipePlaintexts() {
    round.wipeFirst(round.capacity)
  }

  /// Drops the messages that end at `offset`, and closes up the rows of the others.
  private func dropEnded(
    _ active: inout [Int], _ messages: [Range<Int>], _ offset: Int, _ chain: UnsafeMutableRawPointer
  ) {
    let block = CipherContext.blockLength
    var rows = 0
    for row in active.indices where messages[active[row]].count > offset {
      if rows < row {
        active[rows] = active[row]
        (chain + block * rows).copyMemory(from: chain + block * row, byteCount: block)
      }
      rows += 1
    }
    active.removeSubrange(rows...)
  }
}

@inline(__always)
private func chainBlock(_ previous: UnsafeRawPointer, _ block: UnsafeRawPointer, into target: UnsafeMutableRawPointer) {
  let mixed =
    previous.loadUnaligned(as: SIMD2<UInt64>.self) ^ block.loadUnaligned(as: SIMD2<UInt64>.self)
  target.storeBytes(of: mixed, as: SIMD2<UInt64>.self)
}
