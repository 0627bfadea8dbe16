/// What became of one site; every site ends in exactly one of these.
///
/// The raw value is the word in the audit log and the summary.
package enum Outcome: String, CaseIterable, Sendable {
  /// A previous key opened it; it is sealed by the current key now.
  case rekeyed
  /// A previous key opens it (dry run and audit).
  case previous
  /// The current key opens it already.
  case current
  /// A plaintext was sealed by the current key.
  case encrypted
  /// A payload was opened for good.
  case decrypted
  /// NULL or the empty string.
  case empty
  /// Not payload-like.
  case plaintext
  /// Payload-like, but Laravel: "The payload is invalid."
  case payloadInvalid = "payload_invalid"
  /// No supplied key's MAC matches.
  case macInvalid = "mac_invalid"
  /// Laravel: "Could not decrypt the data."
  case decryptFailed = "decrypt_failed"
  /// A non-empty tag on a CBC payload.
  case tagNotAllowed = "tag_not_allowed"
  /// Recognised, but no cipher of ours.
  case unsupportedCipher = "unsupported_cipher"
  /// The JSON path matched nothing.
  case missingPath = "missing_path"
  /// The document is not JSON.
  case malformedJSON = "malformed_json"
  /// The new payload does not fit the column.
  case tooLong = "too_long"
  /// Still contested after three tries.
  case conflict
  /// Deleted, or its key changed, since it was read.
  case gone
  /// A constraint or a trigger refused the write.
  case writeRefused = "write_refused"

  /// The position in `allCases`, for tables of counts.
  package var index: Int {
    switch self {
    case .rekeyed: 0
    case .previous: 1
    case .current: 2
    case .encrypted: 3
    case .decrypted: 4
    case .empty: 5
    case .plaintext: 6
    case .payloadInvalid: 7
    case .macInvalid: 8
    case .decryptFailed: 9
    case .tagNotAllowed: 10
    case .unsupportedCipher: 11
    case .missingPath: 12
    case .malformedJSON: 13
    case .tooLong: 14
    case .conflict: 15
    case .gone: 16
    case .writeRefused: 17
    }
  }

  /// Whether the value was meant to be written and could not be: these count against
  /// `limits.failures_allowed`. `plaintext` is a failure only where the column says so.
  package var isFailure: Bool {
    switch self {
    case .payloadInvalid, .macInvalid, .decryptFailed, .tagNotAllowed, .unsupportedCipher, .malformedJSON, .tooLong,
      .conflict, .writeRefused:
      true
    case .rekeyed, .previous, .current, .encrypted, .decrypted, .empty, .plaintext, .missingPath, .gone: false
    }
  }
}
