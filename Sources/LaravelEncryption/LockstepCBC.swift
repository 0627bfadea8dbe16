/// Encrypts many messages in CBC mode at once: the first block of all, then the second of all, and so on.
///
/// In CBC mode a block needs the one before it, so that the processor's AES unit idles between two blocks of the same
/// message. Blocks of different messages don't wait for each other. The exclusive-or of the chaining is done here and
/// each round is one ECB call; what comes out is ordinary CBC, each message under its own IV.
final class LockstepCBC {
  private let ecb: CipherContext
  /// For what is left when too few messages go on.
  private let cbc: CipherContext
  private var order: [Int] = []
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
    sortLongestFirst(messages)
    let order = order
    round.reserve(2 * block * messages.count)
    let (ecb, cbc) = (ecb, cbc)
    try round.withBytes { (round: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
      guard let chain = round.baseAddress else { return }
      let input = chain + block * messages.count
      for (row, message) in order.enumerated() {
        (chain + block * row).copyMemory(from: ivs + block * message, byteCount: block)
      }
      var active = order.count
      var offset = 0
      while true {
        while active > 0, messages[order[active - 1]].count <= offset { active -= 1 }
        guard active >= Self.fewest else { break }
        for row in 0..<active {
          let place = source + messages[order[row]].lowerBound + offset
          chainBlock(chain + block * row, place, into: input + block * row)
        }
        try ecb.update(input, count: block * active, into: chain)
        for row in 0..<active {
          let place = target + messages[order[row]].lowerBound + offset
          place.copyMemory(from: chain + block * row, byteCount: block)
        }
        offset += block
      }
      for row in 0..<active {
        let message = messages[order[row]]
        let start = message.lowerBound + offset
        try cbc.start(iv: chain + block * row)
        try cbc.update(source + start, count: message.upperBound - start, into: target + start)
      }
    }
  }

  /// Wipes what is left of the last round's plaintexts.
  func wipePlaintexts() {
    round.wipeFirst(round.capacity)
  }

  private func sortLongestFirst(_ messages: [Range<Int>]) {
    order.removeAll(keepingCapacity: true)
    order.append(contentsOf: messages.indices)
    let isSorted = zip(messages, messages.dropFirst()).allSatisfy { $0.count >= $1.count }
    if !isSorted { order.sort { messages[$0].count > messages[$1].count } }
  }
}

@inline(__always)
private func chainBlock(_ previous: UnsafeRawPointer, _ block: UnsafeRawPointer, into target: UnsafeMutableRawPointer) {
  let mixed =
    previous.loadUnaligned(as: SIMD2<UInt64>.self) ^ block.loadUnaligned(as: SIMD2<UInt64>.self)
  target.storeBytes(of: mixed, as: SIMD2<UInt64>.self)
}
