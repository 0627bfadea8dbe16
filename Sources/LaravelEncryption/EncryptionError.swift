/// What ends a run before or while payloads are processed; a payload that does not open is a `Verdict` instead.
///
/// No case carries a byte of a key, a plaintext or a payload.
package enum EncryptionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Laravel: "No application encryption key has been specified."
  case keyMissing
  /// The key has another length than its cipher needs.
  case keyLength(found: Int, cipher: Cipher, mistake: KeyMistake?)
  /// The current key's cipher is one that only opens what older releases sealed.
  case cipherCannotSeal(Cipher)
  /// A new payload did not open to the plaintext it was sealed from.
  case verificationFailed
  /// OpenSSL refused a call that cannot fail on good input.
  case openSSL(String)
  /// The operating system gave no memory page for a key.
  case noMemoryForKey

  package var description: String {
    switch self {
    case .keyMissing:
      return "the key is empty: set APP_KEY, or make one with `php artisan key:generate`"
    case .keyLength(let found, let cipher, let mistake):
      let needed = cipher.keyLengths.map(String.init).joined(separator: ", ")
      let hint = mistake.map { ": \($0.description)" } ?? ": check that the whole key was copied"
      return "the key has \(found) bytes, but \(cipher.rawValue) needs \(needed)\(hint)"
    case .cipherCannotSeal(let cipher):
      return "\(cipher.rawValue) can only be the cipher of a previous key:"
        + " give the current key one of AES-256-CBC, AES-128-CBC, AES-256-GCM, AES-128-GCM"
    case .verificationFailed:
      return "a new payload did not open to the plaintext it was sealed from; nothing of its batch was written."
        + " Check this machine's memory, and please report it"
    case .openSSL(let call):
      return "OpenSSL failed in \(call); check its version and configuration (openssl version -a)"
    case .noMemoryForKey:
      return "no memory page for a key; raise the memory limit of this process"
    }
  }
}

/// What is likely wrong with a key of a wrong length, seen from its text.
package enum KeyMistake: Equatable, Sendable {
  case joinedByComma
  case joined
  case jsonList
  case quotesKept
  case whiteSpaceAround
  case prefixTwice
  case prefixNotLowerCase
  case prefixMissing
  case hexadecimal
  case urlSafeAlphabet
  case nothingAfterPrefix
  case fits(Cipher)

  var description: String {
    switch self {
    case .joinedByComma: "two keys joined by a comma? list each key by itself"
    case .joined: "two keys joined? list each key by itself"
    case .jsonList: "a JSON list? give the key alone"
    case .quotesKept: "the quotes around it were kept; remove them"
    case .whiteSpaceAround: "there is white space around it; remove it"
    case .prefixTwice: "base64: is written twice"
    case .prefixNotLowerCase: "the prefix must be written in lower case, base64:"
    case .prefixMissing: "the base64: prefix is missing"
    case .hexadecimal: "hexadecimal? Laravel takes base64: and the base64 of the bytes"
    case .urlSafeAlphabet: "its base64 has - or _ (the URL-safe alphabet), which Laravel skips; write + and /"
    case .nothingAfterPrefix: "nothing follows base64:"
    case .fits(let cipher): "it fits \(cipher.rawValue); is the cipher right?"
    }
  }
}
