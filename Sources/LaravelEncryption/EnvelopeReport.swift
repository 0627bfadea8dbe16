/// What can be said of a payload without a key: its members' sizes, never what they hold.
///
/// Example: `EnvelopeReport(payload).family` is `.gcm` where the IV has 12 bytes.
package struct EnvelopeReport: Equatable, Sendable {
  /// Which ciphers the IV's length fits.
  package enum Family: String, Sendable {
    case cbc = "CBC"
    case gcm = "GCM"
    case rijndael256 = "Rijndael-256"
    case unknown
  }

  /// Why there is no envelope, or nil; the sizes below are then 0 or nil.
  package var fault: String?
  package var isPayloadLike: Bool
  /// All lengths are in bytes, of what the base64 decodes to; the MAC's in characters.
  package var jsonLength = 0
  /// Nil where the base64 of the IV is wrong.
  package var ivLength: Int?
  package var ciphertextLength = 0
  package var macLength = 0
  /// Nil without a member `tag`; 0 where it is empty or null.
  package var tagLength: Int?

  package var family: Family {
    switch ivLength {
    case 12: .gcm
    case 16: .cbc
    case 32: .rijndael256
    default: .unknown
    }
  }

  package init(_ payload: UnsafeRawBufferPointer) {
    isPayloadLike = LaravelEncryption.isPayloadLike(payload)
    let base64 = Base64()
    let json = Scratch(capacity: Base64.decodedCapacity(payload.count))
    let decoded = Scratch(capacity: Base64.decodedCapacity(json.capacity))
    json.withBytes { json in
      decoded.withBytes { decoded in
        let text = UnsafeMutableRawBufferPointer(rebasing: json[..<base64.decodeLeniently(payload, into: json)])
        jsonLength = text.count
        var reader = EnvelopeReader(text)
        do throws(EnvelopeFault) {
          let envelope = try reader.read()
          let bytes = UnsafeRawBufferPointer(text)
          ivLength = base64.decodeStrictly(slice(bytes, envelope.iv), into: decoded)
          ciphertextLength = base64.decodeLeniently(slice(bytes, envelope.value), into: decoded)
          macLength = envelope.mac.count
          if envelope.hasTag { tagLength = base64.decodeLeniently(slice(bytes, envelope.tag), into: decoded) }
        } catch {
          fault = error.reason.description
        }
      }
    }
  }
}
