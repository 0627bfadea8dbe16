extension AppKey {
  /// Reads a key as Laravel does: what follows `base64:` by PHP's lenient `base64_decode`, anything else raw.
  ///
  /// Of a raw key from a file one line end is dropped, if the key has its length only without it. Throws
  /// `keyMissing` or `keyLength`. (Laravel 13: `EncryptionServiceProvider::parseKey`, `Encrypter::supported`.)
  package static func parse(_ bytes: UnsafeRawBufferPointer, cipher: Cipher) throws(EncryptionError) -> AppKey {
    let text = UnsafeRawBufferPointer(rebasing: bytes[..<endWithoutNewline(bytes)])
    // PHP's empty() is true of "0" as well.
    guard !text.isEmpty, !(text.count == 1 && text[0] == UInt8(ascii: "0")) else { throw .keyMissing }
    let page = try SecretPage(capacity: bytes.count + Base64.slack)
    if let encoded = text.dropping(prefix: "base64:") {
      page.fill { Base64().decodeLeniently(encoded, into: $0) }
    } else {
      let raw = cipher.keyLengths.contains(bytes.count) ? bytes : text
      page.fill {
        $0.copyMemory(from: raw)
        return raw.count
      }
    }
    guard cipher.keyLengths.contains(page.count) else {
      throw .keyLength(
        found: page.count, cipher: cipher, mistake: likelyMistake(in: text, length: page.count, cipher: cipher))
    }
    return AppKey(page: page, cipher: cipher)
  }

  private static func endWithoutNewline(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.last == UInt8(ascii: "\n") else { return bytes.count }
    let end = bytes.count - 1
    return end > 0 && bytes[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
  }

  private static func likelyMistake(
    in text: UnsafeRawBufferPointer, length: Int, cipher: Cipher
  ) -> KeyMistake? {
    guard let first = text.first, let last = text.last else { return nil }
    let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
    if first == UInt8(ascii: "[") { return .jsonList }
    if text.contains(UInt8(ascii: ",")) { return .joinedByComma }
    if quotes.contains(first) || quotes.contains(last) { return .quotesKept }
    if isWhiteSpace(first) || isWhiteSpace(last) { return .whiteSpaceAround }
    if let encoded = text.dropping(prefix: "base64:") {
      if encoded.isEmpty { return .nothingAfterPrefix }
      if encoded.dropping(prefix: "base64:") != nil { return .prefixTwice }
      if encoded.contains(UInt8(ascii: ":")) { return .joined }
      if encoded.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) { return .urlSafeAlphabet }
    } else {
      if text.count > 7, text[6] == UInt8(ascii: ":"), text.hasCaselessPrefix("base64") { return .prefixNotLowerCase }
      if text.count == 2 * (cipher.keyLengths.last ?? 0), text.allSatisfy(isHexDigit) { return .hexadecimal }
      if text.count > 20,
        cipher.keyLengths.contains(text.count * 3 / 4 - text.suffix(2).count { $0 == UInt8(ascii: "=") })
      {
        return .prefixMissing
      }
    }
    let fitting = Cipher.allCases.first { $0.canSeal && $0.isGCM == cipher.isGCM && $0.keyLengths.contains(length) }
    return fitting.map(KeyMistake.fits)
  }
}

private func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

private func isHexDigit(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
}

extension UnsafeRawBufferPointer {
  fileprivate func dropping(prefix: StaticString) -> UnsafeRawBufferPointer? {
    let count = prefix.utf8CodeUnitCount
    guard self.count >= count, prefix.withUTF8Buffer({ $0.elementsEqual(self[..<count]) }) else { return nil }
    return UnsafeRawBufferPointer(rebasing: self[count...])
  }

  fileprivate func hasCaselessPrefix(_ prefix: StaticString) -> Bool {
    prefix.withUTF8Buffer { letters in
      count >= letters.count && zip(self, letters).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
    }
  }
}
