/// One payload while it is being opened: where its parts lie in the opener's buffers, and how far it got.
struct Opening {
  /// The members, in the opener's JSON; nil where there is no envelope.
  var envelope: Envelope?
  /// The decoded IV's length, -1 where its base64 is wrong.
  var ivLength = -1
  /// Where the IV lies in the ciphertext buffer; sixteen bytes further the ciphertext begins.
  var ivStart = 0
  var ciphertextLength = 0
  /// In the plaintext buffer, once it is open.
  var plaintext = 0..<0
  /// 0 the current key, n `previous[n - 1]`, -1 none.
  var openedBy = -1
  var verdict = Verdict.notPayload
  var reason: StaticString?

  var ciphertextStart: Int { ivStart + CipherContext.blockLength }
  var ciphertextEnd: Int { ciphertextStart + ciphertextLength }

  /// Whether a further key may be tried.
  var isPending: Bool { openedBy < 0 && envelope != nil }

  /// Keeps the outcome of the key that got furthest.
  mutating func fail(_ verdict: Verdict, _ reason: StaticString) {
    guard verdict.progress > self.verdict.progress else { return }
    self.verdict = verdict
    self.reason = reason
  }

  mutating func succeed(key: Int, plaintext: Range<Int>) {
    self.plaintext = plaintext
    openedBy = key
    verdict = key == 0 ? .opensWithCurrent : .opensWithPrevious
    reason = nil
  }
}
