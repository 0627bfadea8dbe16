/// Takes payloads apart, one behind the other: base64, JSON, and the base64 of IV and value.
///
/// What Laravel writes without escapes is read by its fixed layout; anything else as PHP reads it. Both give the
/// same result where the first applies.
struct PayloadReading {
  private let base64: Base64
  private let json: UnsafeMutableRawBufferPointer
  private let ciphertexts: UnsafeMutableRawBufferPointer
  private var jsonEnd = 0
  /// Behind the last ciphertext.
  private(set) var ciphertextEnd = 0

  init(base64: Base64, json: UnsafeMutableRawBufferPointer, ciphertexts: UnsafeMutableRawBufferPointer) {
    self.base64 = base64
    self.json = json
    self.ciphertexts = ciphertexts
  }

  /// `opening` is a new one.
  mutating func read(_ payload: UnsafeRawBufferPointer, into opening: inout Opening) {
    opening.ivStart = ciphertextEnd
    guard !payload.isEmpty else {
      opening.verdict = .empty
      return
    }
    if !readAsWritten(payload, &opening) {
      do throws(EnvelopeFault) {
        try readAsPHP(payload, &opening)
      } catch {
        if isPayloadLike(payload) { opening.fail(.payloadInvalid, error.reason) }
        return
      }
    }
    if opening.ivLength < 0 {
      opening.fail(.payloadInvalid, "the base64 of the iv is wrong")
    }
    ciphertextEnd = opening.ciphertextEnd
  }

  /// False if the payload has another layout; nothing is decided then.
  private mutating func readAsWritten(_ payload: UnsafeRawBufferPointer, _ opening: inout Opening) -> Bool {
    guard let room = json.baseAddress.map({ $0 + jsonEnd }), let target = ciphertexts.baseAddress,
      let count = base64.decodeExactly(payload, into: room)
    else { return false }
    let text = UnsafeRawBufferPointer(start: room, count: count)
    guard let envelope = envelopeAsWritten(text),
      let ivLength = base64.decodeExactly(slice(text, envelope.iv), into: target + opening.ivStart),
      let length = base64.decodeExactly(slice(text, envelope.value), into: target + opening.ciphertextStart),
      envelope.tag.isEmpty || isExact(slice(text, envelope.tag))
    else { return false }
    opening.envelope = envelope.moved(by: jsonEnd)
    opening.ivLength = ivLength
    opening.ciphertextLength = length
    jsonEnd += count
    return true
  }

  private mutating func readAsPHP(
    _ payload: UnsafeRawBufferPointer, _ opening: inout Opening
  ) throws(EnvelopeFault) {
    let room = UnsafeMutableRawBufferPointer(rebasing: json[jsonEnd...])
    let text = UnsafeMutableRawBufferPointer(rebasing: room[..<base64.decodeLeniently(payload, into: room)])
    var reader = EnvelopeReader(text)
    let envelope = try reader.read()
    opening.envelope = envelope.moved(by: jsonEnd)
    let bytes = UnsafeRawBufferPointer(text)
    opening.ivLength = base64.decodeStrictly(slice(bytes, envelope.iv), into: target(opening.ivStart)) ?? -1
    // An IV that fits no cipher may have run over its place; the value behind it is never looked at.
    opening.ciphertextLength = base64.decodeLeniently(
      slice(bytes, envelope.value), into: target(opening.ciphertextStart))
    jsonEnd += text.count
  }

  private func isExact(_ tag: UnsafeRawBufferPointer) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Base64.decodedCapacity(tag.count), alignment: 8) {
      $0.baseAddress.map { base64.decodeExactly(tag, into: $0) != nil } ?? false
    }
  }

  private func target(_ start: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: ciphertexts[start...])
  }
}

@inline(__always)
func slice(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(rebasing: bytes[range])
}
