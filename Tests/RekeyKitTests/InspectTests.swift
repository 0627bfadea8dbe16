import Foundation
import LaravelEncryption
import Testing

@testable import RekeyKit

@Suite struct InspectTests {
  private static let current = "base64:" + Data((0..<32).map { UInt8($0) }).base64EncodedString()
  private static let old = "base64:" + Data((0..<32).map { UInt8($0 + 100) }).base64EncodedString()
  private static let secret = "the plaintext that nobody may see"

  private func keys(_ current: String, _ old: String, cipher: String = "AES-256-CBC") throws -> ResolvedKeys {
    try withEnvironment(["APP_KEY": current, "OLD_KEY": old]) { environment in
      try read(csvPipeline.with("cipher: \(cipher)")).get().resolveKeys(environment).get()
    }
  }

  private func seal(_ keys: ResolvedKeys) throws -> [UInt8] {
    try Encrypter(keyRing: keys.ring).encryptString(Array(Self.secret.utf8))
  }

  private func payload(_ json: String) -> [UInt8] { Array(Data(json.utf8).base64EncodedString().utf8) }

  @Test(arguments: [
    (
      "AES-256-CBC",
      """
      family    CBC
      iv        16 bytes
      value     48 bytes of ciphertext
      mac       64 characters
      tag       empty
      """
    ),
    (
      "AES-256-GCM",
      """
      family    GCM
      iv        12 bytes
      value     33 bytes of ciphertext
      mac       none
      tag       16 bytes
      """
    ),
  ])
  func printsTheEnvelope(cipher: String, lines: String) throws {
    let payload = try seal(keys(Self.current, Self.old, cipher: cipher))
    let found = InspectCommand.envelope(of: payload)
    #expect(found.isFine)
    #expect(found.text.hasPrefix("payload   \(payload.count) bytes\nenvelope  "))
    #expect(found.text.hasSuffix(lines), "\(found.text)")
  }

  @Test func namesACipherOfOldReleasesAndAnIVThatIsNoBase64() {
    let iv = Data(count: 32).base64EncodedString()
    let rijndael = InspectCommand.envelope(of: payload(#"{"iv":"\#(iv)","value":"YQ==","mac":"ab"}"#))
    #expect(rijndael.text.contains("family    Rijndael-256\niv        32 bytes\nvalue     1 bytes"))
    #expect(rijndael.text.hasSuffix("mac       2 characters\ntag       none"), "\(rijndael.text)")
    let wrong = InspectCommand.envelope(of: payload(#"{"iv":"!","value":"YQ==","mac":"ab"}"#))
    #expect(wrong.text.contains("family    unknown\niv        not base64"), "\(wrong.text)")
  }

  @Test(arguments: [
    ("hello", "its base64 holds no valid JSON", "no"),
    ("eyJhIjoxfQ==", "iv, value or mac is missing or no string", "yes"),
  ])
  func saysWhyThereIsNoEnvelope(text: String, fault: String, isPayloadLike: String) {
    let found = InspectCommand.envelope(of: Array(text.utf8))
    #expect(!found.isFine)
    #expect(found.text.hasSuffix("fault         \(fault)\npayload-like  \(isPayloadLike)"), "\(found.text)")
  }

  @Test func namesTheKeyThatOpensIt() throws {
    let payload = try seal(keys(Self.old, Self.current))
    for (current, old, place) in [(Self.old, Self.current, "current"), (Self.current, Self.old, "previous[0]")] {
      let keys = try keys(current, old)
      let fingerprint = try #require(keys.entries.first { $0.place == place }).key.fingerprint
      let found = try InspectCommand.opening(of: payload, by: keys)
      #expect(found == ("opened by \(place), AES-256-CBC key \(fingerprint)", true))
    }
  }

  @Test func namesTheOutcomeWhereNoKeyOpensIt() throws {
    let keys = try keys(Self.current, Self.old)
    let other = "base64:" + Data(repeating: 9, count: 32).base64EncodedString()
    let ofAnother = try seal(self.keys(other, Self.old))
    let found = try InspectCommand.opening(of: ofAnother, by: keys)
    #expect(
      found == ("opened by no key (2 tried), mac_invalid: no key's MAC matches: another key, or altered", false))
    #expect(
      try InspectCommand.opening(of: Array("hello".utf8), by: keys)
        == ("opened by no key (2 tried), plaintext: not payload-like", false))
    #expect(
      try InspectCommand.opening(of: Array("eyJhIjoxfQ==".utf8), by: keys)
        == ("opened by no key (2 tried), payload_invalid: iv, value or mac is missing or no string", false))
  }

  @Test func showsNoPlaintext() throws {
    let keys = try keys(Self.current, Self.old)
    let payload = try seal(keys)
    let shown = InspectCommand.envelope(of: payload).text + (try InspectCommand.opening(of: payload, by: keys).text)
    #expect(!shown.contains(Self.secret) && !shown.contains(String(decoding: payload, as: UTF8.self)))
  }
}
