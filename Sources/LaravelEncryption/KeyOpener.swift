/// One key of the ring, ready to open: its cipher's context and its MAC states, made once.
final class KeyOpener {
  private let cipher: Cipher
  private let index: Int
  /// Nil for a cipher that is not ours.
  private let context: CipherContext?
  private let mac: HMACKey
  /// The openings that passed the MAC, by index.
  private var candidates: [Int] = []

  /// `index` is the key's place in the ring, 0 for the current one.
  init(_ key: AppKey, index: Int) throws(EncryptionError) {
    cipher = key.cipher
    self.index = index
    context = key.cipher.canOpen ? try CipherContext(key, .decrypt) : nil
    mac = key.withBytes { HMACKey($0) }
  }

  /// Tries the key on every opening that is pending.
  func open(_ openings: inout [Opening], _ buffers: OpeningBuffers) throws(EncryptionError) {
    guard let context else { return recognise(&openings) }
    if cipher.isGCM {
      for position in openings.indices where openings[position].isPending {
        try openGCM(&openings[position], context, buffers)
      }
    } else {
      findCandidates(&openings, buffers)
      try decryptCandidates(openings, context, buffers)
      for position in candidates { checkPadding(&openings[position], buffers) }
    }
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

  /// What Laravel checks before it decrypts in CBC mode, in its order: IV, tag, MAC.
  private func findCandidates(_ openings: inout [Opening], _ buffers: OpeningBuffers) {
    candidates.removeAll(keepingCapacity: true)
    let json = UnsafeRawBufferPointer(buffers.json)
    withUnsafeTemporaryAllocation(byteCount: HMACKey.hexLength, alignment: 8) { expected in
      for position in openings.indices {
        guard openings[position].openedBy < 0, let envelope = openings[position].envelope else { continue }
        guard openings[position].ivLength == cipher.ivLength else {
          openings[position].fail(.payloadInvalid, "the iv has the wrong length for the cipher")
          continue
        }
        guard envelope.hasNoTag(in: json) else {
          openings[position].fail(.tagNotAllowed, "a tag, but the cipher is not GCM")
          continue
        }
        mac.authenticate(slice(json, envelope.iv), slice(json, envelope.value), hex: expected)
        guard isEqual(UnsafeRawBufferPointer(expected), slice(json, envelope.mac)) else {
          openings[position].fail(.macInvalid, "no key's MAC matches: another key, or altered")
          continue
        }
        let length = openings[position].ciphertextLength
        guard length > 0, length % CipherContext.blockLength == 0 else {
          openings[position].fail(.decryptFailed, "the MAC matches, but the ciphertext has no whole blocks")
          continue
        }
        candidates.append(position)
      }
    }
  }

  /// Decrypts neighbours in one call: in `IV, ciphertext, IV, ciphertext…` each first block is freed from its IV by
  /// the chaining itself, and what an IV decrypts to is not looked at.
  private func decryptCandidates(
    _ openings: [Opening], _ context: CipherContext, _ buffers: OpeningBuffers
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

  /// PKCS #7: one to sixteen bytes, each of them their number.
  private func checkPadding(_ opening: inout Opening, _ buffers: OpeningBuffers) {
    let end = opening.ciphertextEnd
    let padding = Int(buffers.plaintexts[end - 1])
    guard (1...CipherContext.blockLength).contains(padding),
      buffers.plaintexts[end - padding..<end].allSatisfy({ $0 == UInt8(padding) })
    else {
      opening.fail(.decryptFailed, "the MAC matches, but the padding is wrong")
      return
    }
    opening.succeed(key: index, plaintext: opening.ciphertextStart..<end - padding)
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
