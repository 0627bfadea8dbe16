/// The current key, which opens and seals, and the previous keys, which only open, in the order they are tried.
package struct KeyRing: Sendable {
  package let current: AppKey
  package let previous: [AppKey]

  /// Throws `cipherCannotSeal` if the current key's cipher is one that Laravel no longer opens.
  package init(current: AppKey, previous: [AppKey] = []) throws(EncryptionError) {
    guard current.cipher.canSeal else { throw .cipherCannotSeal(current.cipher) }
    self.current = current
    self.previous = previous
  }

  /// The current key first.
  package var all: [AppKey] { [current] + previous }
}
