/// What is done with each payload of a batch; every site is classified first.
package enum Operation: Sendable {
  /// Nothing is written.
  case classify
  /// What a previous key opens is sealed by the current key.
  case rekey
  /// What is not payload-like is sealed by the current key.
  case encrypt
  /// What any key opens is written as its plaintext.
  case decrypt
}

/// What a site holds, seen by the keys of the ring.
package enum Verdict: Sendable {
  case opensWithCurrent
  case opensWithPrevious
  /// NULL or the empty string.
  case empty
  /// Nothing that Laravel could have sealed: not payload-like, and no envelope.
  case notPayload
  /// Laravel: "The payload is invalid."
  case payloadInvalid
  /// Recognised, but no cipher of ours: Rijndael-256.
  case unsupportedCipher
  /// Laravel: "Unable to use tag because the cipher algorithm does not support AEAD."
  case tagNotAllowed
  /// Laravel: "The MAC is invalid."
  case macInvalid
  /// Laravel: "Could not decrypt the data."
  case decryptFailed

  /// How far a key got that did not open the payload; where several failed, the furthest is the outcome.
  var progress: Int {
    switch self {
    case .empty, .notPayload: 0
    case .payloadInvalid: 1
    case .unsupportedCipher: 2
    case .tagNotAllowed: 3
    case .macInvalid: 4
    case .decryptFailed: 5
    case .opensWithPrevious, .opensWithCurrent: 6
    }
  }
}

/// One payload's place in a batch's input, and what `Encrypter.process` found and wrote.
package struct PayloadSite: Sendable {
  /// The payload's first byte in the input.
  package var start: Int
  /// In bytes; negative stands for NULL.
  package var length: Int

  package var verdict = Verdict.empty
  /// Which key opened it: 0 the current one, n `previous[n - 1]`, -1 none.
  package var openedBy = -1
  /// Why it did not open, in a few words; never a value.
  package var reason: StaticString?
  /// Where the new bytes begin in the output.
  package var newStart = 0
  /// In bytes; -1 where nothing was written.
  package var newLength = -1

  var bytes: Range<Int> { start..<start + max(length, 0) }

  package init(start: Int, length: Int) {
    self.start = start
    self.length = length
  }
}
