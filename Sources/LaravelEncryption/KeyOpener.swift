/// One key of the ring, ready to open: its cipher's context and its MAC states, made once.
final class KeyOpener {
  private let cipher: Cipher
  private let index: Int
  /// Whether a MAC alone tells that the key, and none of the ring's others, sealed a payload.
  let isToldByMAC: Bool
  /// Nil for a cipher that is not ours.
  private let context: CipherContext?
  private let mac: HMACKey
  /// The openings that passed the MAC, by index.
  private var candidates: [Int] = []

  /// `index` is the key's place in the ring, 0 for the current one.
  init(_ key: AppKey, index: Int, in ring: [AppKey], _ kernel: VectorKernel) throws(EncryptionError) {
    cipher = key.cipher
    self.index = index
    isToldByMAC =
      cipher.canOpen && !cipher.isGCM && ring.count { $0.hasSameMAC(as: key) } == 1
    context = key.cipher.canOpen ? try CipherContext(key, .decrypt) : nil
    mac = key.withBytes { HMACKey($0, kernel: kernel) }
  }

  /// Tries the key on every opening that is pending, and returns how many it opened.
  func open(_ openings: inout [Opening], _ buffers: OpeningBuffers) throws(EncryptionError) -> Int {
    guard let context else {
      recognise(&openings)
      return 0
    }
    guard cipher.isGCM else { return try openCBC(&openings, context, buffers) { $0.fail($1.verdict, $1.reason) } }
    var opened = 0
    for position in openings.indices where openings[position].isPending {
      try openGCM(&openings[position], context, buffers)
      if openings[position].openedBy == index { opened += 1 }
    }
    return opened
  }

  /// The same, but what the key does not open stays as if it had not been tried; only for a key that `isToldByMAC`.
  func guess(_ openings: inout [Opening], _ buffers: OpeningBuffers) throws(EncryptionError) -> Int {
    guard let context else { return 0 }
    return try openCBC(&openings, context, buffers) { _, _ in }
  }

  private func recognise(_ openings: inout [Opening]) {
    for position in openings.indices where openings[position].isPending {
      if openings[position].ivLength == cipher.ivLength {
        openings[position].fail(.unsupportedCipher, "an iv of 32 bytes: Rijndael-256")
      } else {
        openings[position].fail(.payloadInvalid, "the iv has the wrong length for the cipher")
      }
    }
  }

  private struct Failure {
    let verdict: Verdict
    let reason: StaticString
  }

  @inline(__always)
  private func openCBC(
    _ openings: inout [Opening], _ context: CipherContext, _ buffers: OpeningBuffers,
    failed: (inout Opening, Failure) -> Void
  ) throws(EncryptionError) -> Int {
    var candidates: [Int] = []
    swap(&candidates, &self.candidates)
    defer { swap(&candidates, &self.candidates) }
    candidates.removeAll(keepingCapacity: true)
    for position in openings.indices where openings[position].isPending {
      if let failure = failureBeforeDecrypting(openings[position], buffers) {
        failed(&openings[position], failure)
      } else {
        candidates.append(position)
      }
    }
    try decrypt(candidates, of: openings, context, buffers)
    var opened = 0
    for position in candidates {
      if let plaintext = plaintext(openings[position], buffers) {
        openings[position].succeed(key: index, plaintext: plaintext)
        opened += 1
      } else {
        failed(
          &openings[position],
          Failure(verdict: .decryptFailed, reason: "the MAC matches, but the padding is wrong"))
      }
    }
    return opened
  }

  /// What Laravel checks before it decrypts in CBC mode, in its order: IV, tag, MAC. Nil if all is well.
  @inline(__always)
  private func failureBeforeDecrypting(_ opening: Opening, _ buffers: OpeningBuffers) -> Failure? {
    guard let envelope = opening.envelope, opening.ivLength == cipher.ivLength else {
      return Failure(verdict: .payloadInvalid, reason: "the iv has the wrong length for the cipher")
    }
    let json = UnsafeRawBufferPointer(buffers.json)
    guard envelope.hasNoTag(in: json) else {
      return Failure(verdict: .tagNotAllowed, reason: "a tag, but the cipher is not GCM")
    }
    guard hasAuthenticMAC(envelope, json, buffers.message) else {
      return Failure(verdict: .macInvalid, reason: "no key's MAC matches: another key, or altered")
    }
    guard opening.ciphertextLength > 0, opening.ciphertextLength % CipherContext.blockLength == 0 else {
      return Failure(
        verdict: .decryptFailed, reason: "the MAC matches, but the ciphertext has no whole blocks")
    }
    return nil
  }

  /// The MAC is that of the iv's and the value's texts, one behind the other.
  private func hasAuthenticMAC(
    _ envelope: Envelope, _ json: UnsafeRawBufferPointer, _ message: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let (iv, value) = (envelope.iv, envelope.value)
    guard envelope.mac.count == HMACKey.hexLength, let json = json.baseAddress, let message = message.baseAddress
    else { return false }
    message.copyMemory(from: json + iv.lowerBound, byteCount: iv.count)
    (message + iv.count).copyMemory(from: json + value.lowerBound, byteCount: value.count)
    return mac.isAuthentic(message, iv.count + value.count, hex: json + envelope.mac.lowerBound)
  }

  /// Decrypts neighbours in one call: in `IV, ciphertext, IV, ciphertext…` each first block is freed from its IV by
  /// the chaining itself, and what an IV decrypts to is not looked at.
  private func decrypt(
    _ candidates: [Int], of openings: [Opening], _ context: CipherContext, _ buffers: OpeningBuffers
  ) throws(EncryptionError) {
    guard let source = buffers.ciphertexts.baseAddress, let target = buffers.plaintexts.baseAddress else { return }
    var first = 0
    while first < candidates.count {
      let start = openings[candidates[first]].ivStart
      var end = openings[candidates[first]].ciphertextEnd
      first += 1
      while first < candidates.count, openings[candidates[first]].ivStart == end {
        end = openings[candidates[first]].ciphertextEnd
        first += 1
      }
      try context.update(source + start, count: end - start, into: target + start)
    }
  }

  /// What stands before the padding; nil where that isn't PKCS #7: one to sixteen bytes, each of them their number.
  @inline(__always)
  private func plaintext(_ opening: Opening, _ buffers: OpeningBuffers) -> Range<Int>? {
    let end = opening.ciphertextEnd
    guard let last = buffers.plaintexts.baseAddress.map({ UnsafeRawPointer($0) + end - CipherContext.blockLength })
    else { return nil }
    // Little-endian, so that a word's last byte is its highest.
    let low = UInt64(littleEndian: last.loadUnaligned(as: UInt64.self))
    let high = UInt64(littleEndian: last.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let padding = high >> 56
    guard padding > 0, padding <= CipherContext.blockLength else { return nil }
    let expected = padding * 0x0101_0101_0101_0101
    // Shifting by 64 leaves nothing.
    let inHigh = UInt64.max << (64 - 8 * min(padding, 8))
    let inLow = UInt64.max << (64 - 8 * (padding - min(padding, 8)))
    guard (high ^ expected) & inHigh | (low ^ expected) & inLow == 0 else { return nil }
    return opening.ciphertextStart..<end - Int(padding)
  }

  private func openGCM(
    _ opening: inout Opening, _ context: CipherContext, _ buffers: OpeningBuffers
  ) throws(EncryptionError) {
    guard let envelope = opening.envelope, opening.ivLength == cipher.ivLength else {
      opening.fail(.payloadInvalid, "the iv has the wrong length for the cipher")
      return
    }
    guard let source = buffers.ciphertexts.baseAddress, let target = buffers.plaintexts.baseAddress else { return }
    let start = opening.ciphertextStart
    let length = opening.ciphertextLength
    let tagText = slice(UnsafeRawBufferPointer(buffers.json), envelope.tag)
    // Not in the JSON's own memory: a key that comes later needs the tag's text once more.
    let capacity = Base64.decodedCapacity(tagText.count)
    let result = try withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) {
      (tag: UnsafeMutableRawBufferPointer) throws(EncryptionError) -> Bool? in
      guard !envelope.hasNoTag(in: UnsafeRawBufferPointer(buffers.json)),
        buffers.base64.decodeLeniently(tagText, into: tag) == CipherContext.tagLength, let tag = tag.baseAddress
      else { return nil }
      try context.start(iv: source + opening.ivStart)
      try context.update(source + start, count: length, into: target + start)
      return try context.finish(expecting: tag)
    }
    switch result {
    case true: opening.succeed(key: index, plaintext: start..<start + length)
    case false: opening.fail(.decryptFailed, "no key's tag matches: another key, or altered")
    case nil: opening.fail(.decryptFailed, "the tag is missing or has not 16 bytes")
    }
  }
}
