/// An `APP_KEY` with its cipher; its bytes stay in a locked page and are never shown.
package final class AppKey: Sendable {
  package let cipher: Cipher
  /// Twelve hexadecimal digits that tell keys apart and are safe to print: the start of an HMAC-SHA256 of a fixed
  /// text under the key. Nothing else uses that HMAC.
  package let fingerprint: String
  /// Whether the key's page could be locked in memory; if not, it may be swapped out.
  package var isLocked: Bool { page.isLocked }

  private let page: SecretPage

  init(page: SecretPage, cipher: Cipher) {
    self.page = page
    self.cipher = cipher
    let digest = page.withBytes { HMACKey($0).authenticate("rekey fingerprint") }
    fingerprint = String(decoding: digest.prefix(12), as: UTF8.self)
  }

  /// Compares in constant time; the ciphers do not count.
  package func hasSameBytes(as other: AppKey) -> Bool {
    withBytes { mine in other.withBytes { theirs in isEqual(mine, theirs) } }
  }

  /// Whether both keys give every message the same MAC: HMAC fills keys up with zeros. In constant time.
  func hasSameMAC(as other: AppKey) -> Bool {
    withBytes { mine in
      other.withBytes { theirs in
        var difference: UInt8 = 0
        for index in 0..<max(mine.count, theirs.count) {
          difference |= (index < mine.count ? mine[index] : 0) ^ (index < theirs.count ? theirs[index] : 0)
        }
        return difference == 0
      }
    }
  }

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try page.withBytes(body)
  }
}

extension AppKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "\(cipher.rawValue) key \(fingerprint)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }
}
