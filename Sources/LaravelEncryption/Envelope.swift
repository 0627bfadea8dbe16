/// Where the members of an envelope lie in the JSON that holds them: the bytes of the strings, unescaped.
struct Envelope {
  var iv: Range<Int>
  var value: Range<Int>
  var mac: Range<Int>
  /// Empty where the member is missing, null or "".
  var tag: Range<Int>
  /// Whether the envelope has a member `tag`, whatever it holds.
  var hasTag: Bool

  /// The same members in JSON that begins `offset` bytes further.
  func moved(by offset: Int) -> Envelope {
    Envelope(
      iv: iv.lowerBound + offset..<iv.upperBound + offset, value: value.lowerBound + offset..<value.upperBound + offset,
      mac: mac.lowerBound + offset..<mac.upperBound + offset, tag: tag.lowerBound + offset..<tag.upperBound + offset,
      hasTag: hasTag)
  }

  /// Whether Laravel takes the tag for none: PHP's `empty()` is true of "0" as well.
  func hasNoTag(in json: UnsafeRawBufferPointer) -> Bool {
    tag.isEmpty || (tag.count == 1 && json[tag.lowerBound] == UInt8(ascii: "0"))
  }
}

/// Reads exactly the layout that Laravel writes without escapes: iv, value, mac and perhaps tag, nothing between.
///
/// It looks at the fixed parts and at the MAC's digits. Where in addition the base64 of iv, value and tag is exact,
/// no member holds anything that JSON would read differently.
func envelopeAsWritten(_ json: UnsafeRawBufferPointer) -> Envelope? {
  let count = json.count
  guard count >= 60, matches(json, 0, #"{"iv":""#) else { return nil }
  let ivStart = 7
  let ivEnd: Int
  if matches(json, ivStart + 24, #"","value":""#) {
    ivEnd = ivStart + 24
  } else if matches(json, ivStart + 16, #"","value":""#) {
    ivEnd = ivStart + 16
  } else {
    return nil
  }
  let valueStart = ivEnd + 11

  // CBC ends in a MAC of 64 digits, and since Laravel 8.54 an empty tag; GCM in an empty MAC and a tag of 24 letters.
  var macEnd = count - 2
  var tag = 0..<0
  var hasTag = false
  if matches(json, count - 11, #"","tag":""}"#) {
    macEnd = count - 11
    hasTag = true
  } else if count >= 35, matches(json, count - 35, #"","tag":""#), matches(json, count - 2, #""}"#) {
    macEnd = count - 35
    tag = count - 26..<count - 2
    hasTag = true
  } else if !matches(json, count - 2, #""}"#) {
    return nil
  }
  let macLength = tag.isEmpty ? HMACKey.hexLength : 0
  let valueEnd = macEnd - macLength - 9
  guard valueEnd >= valueStart, matches(json, valueEnd, #"","mac":""#) else { return nil }
  if macLength > 0, !areHexDigits(json, macEnd - macLength) { return nil }
  return Envelope(
    iv: ivStart..<ivEnd, value: valueStart..<valueEnd, mac: macEnd - macLength..<macEnd, tag: tag, hasTag: hasTag)
}

@inline(__always)
private func matches(_ json: UnsafeRawBufferPointer, _ offset: Int, _ text: StaticString) -> Bool {
  let count = text.utf8CodeUnitCount
  guard offset >= 0, offset + count <= json.count else { return false }
  let letters = UnsafeRawPointer(text.utf8Start)
  for index in 0..<count where json[offset + index] != letters.load(fromByteOffset: index, as: UInt8.self) {
    return false
  }
  return true
}

/// Whether 64 lower-case hexadecimal digits begin there.
@inline(__always)
private func areHexDigits(_ json: UnsafeRawBufferPointer, _ offset: Int) -> Bool {
  // Without a branch, so that the compiler makes a few vector steps of it.
  var others: UInt8 = 0
  for index in offset..<offset + HMACKey.hexLength {
    let isDigit: UInt8 = json[index] &- 0x30 < 10 ? 1 : 0
    let isLetter: UInt8 = json[index] &- 0x61 < 6 ? 1 : 0
    others |= 1 &- (isDigit | isLetter)
  }
  return others == 0
}
