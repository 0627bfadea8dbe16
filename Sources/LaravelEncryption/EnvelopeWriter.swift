/// Writes an envelope as Laravel 13's `json_encode` does: iv, value, mac, tag, and no slash escaped.
struct EnvelopeWriter {
  private let base64: Base64
  private let buffer: UnsafeMutableRawBufferPointer
  private var count = 0

  init(base64: Base64, buffer: UnsafeMutableRawBufferPointer) {
    self.base64 = base64
    self.buffer = buffer
  }

  var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

  /// The MAC is that of the two base64 texts.
  mutating func writeCBC(iv: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, mac: HMACKey, hasTag: Bool) {
    let (ivText, valueText) = writeBoth(iv: iv, value: value)
    mac.authenticate(
      slice(written, ivText), slice(written, valueText),
      hex: UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + HMACKey.hexLength]))
    count += HMACKey.hexLength
    append(hasTag ? #"","tag":""}"# : #""}"#)
  }

  /// The MAC is empty: the tag authenticates.
  mutating func writeGCM(iv: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer) {
    _ = writeBoth(iv: iv, value: value)
    append(#"","tag":""#)
    _ = appendBase64(tag)
    append(#""}"#)
  }

  private mutating func writeBoth(
    iv: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  ) -> (iv: Range<Int>, value: Range<Int>) {
    append(#"{"iv":""#)
    let ivText = appendBase64(iv)
    append(#"","value":""#)
    let valueText = appendBase64(value)
    append(#"","mac":""#)
    return (ivText, valueText)
  }

  private mutating func append(_ text: StaticString) {
    let bytes = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  private mutating func appendBase64(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
    let start = count
    count += base64.encode(bytes, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
    return start..<count
  }
}
