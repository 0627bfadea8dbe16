/// Writes an envelope as Laravel 13's `json_encode` does: iv, value, mac, tag, and no slash escaped.
struct EnvelopeWriter {
  private let base64: Base64
  private let buffer: UnsafeMutableRawPointer
  private let message: UnsafeMutableRawPointer
  private(set) var count = 0

  /// The bytes of the envelope's fixed parts and a MAC or a tag are fewer than this.
  static let overhead = 192

  /// `buffer` has room for the envelope, `message` for the texts of iv and value with a MAC's padding.
  init(base64: Base64, buffer: UnsafeMutableRawPointer, message: UnsafeMutableRawPointer) {
    self.base64 = base64
    self.buffer = buffer
    self.message = message
  }

  /// The MAC is that of the two base64 texts.
  mutating func writeCBC(iv: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, mac: HMACKey, hasTag: Bool) {
    let (ivCount, messageCount) = writeMessage(iv: iv, value: value)
    writeBoth(ivCount: ivCount, messageCount: messageCount)
    mac.authenticate(message, messageCount, hex: buffer + count)
    count += HMACKey.hexLength
    append(hasTag ? #"","tag":""}"# : #""}"#)
  }

  /// The MAC is empty: the tag authenticates.
  mutating func writeGCM(iv: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer) {
    let (ivCount, messageCount) = writeMessage(iv: iv, value: value)
    writeBoth(ivCount: ivCount, messageCount: messageCount)
    append(#"","tag":""#)
    count += base64.encode(tag, into: buffer + count)
    append(#""}"#)
  }

  /// The texts of both one behind the other; returns the length of the first and of both.
  private func writeMessage(iv: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> (iv: Int, both: Int) {
    let ivCount = base64.encode(iv, into: message)
    return (ivCount, ivCount + base64.encode(value, into: message + ivCount))
  }

  private mutating func writeBoth(ivCount: Int, messageCount: Int) {
    append(#"{"iv":""#)
    append(message, ivCount)
    append(#"","value":""#)
    append(message + ivCount, messageCount - ivCount)
    append(#"","mac":""#)
  }

  @inline(__always)
  private mutating func append(_ text: StaticString) {
    append(text.utf8Start, text.utf8CodeUnitCount)
  }

  @inline(__always)
  private mutating func append(_ bytes: UnsafeRawPointer, _ byteCount: Int) {
    (buffer + count).copyMemory(from: bytes, byteCount: byteCount)
    count += byteCount
  }
}
