import Foundation
import Testing

@testable import LaravelEncryption

struct SealingTests {
  static let ciphers: [Cipher] = [.aes128CBC, .aes256CBC, .aes128GCM, .aes256GCM]

  @Test(arguments: ciphers)
  func whatIsSealedOpens(cipher: Cipher) throws {
    var generator = SeededGenerator(state: 5)
    let encrypter = try Encrypter(keyRing: KeyRing(current: testKey(cipher, seed: 1)))
    for length in Array(0...100) + [64 << 10, 300_000] {
      let plaintext = generator.bytes(length)
      let opened = try encrypter.decryptString(encrypter.encryptString(plaintext))
      #expect(opened.plaintext == plaintext)
      #expect(opened.site.verdict == .opensWithCurrent && opened.site.openedBy == 0)
    }
  }

  @Test(arguments: [
    (Cipher.aes256CBC, #"^\{"iv":"[A-Za-z0-9+/]{22}==","value":"[A-Za-z0-9+/]{43}=","mac":"[0-9a-f]{64}","tag":""\}$"#),
    (.aes256GCM, #"^\{"iv":"[A-Za-z0-9+/]{16}","value":"[A-Za-z0-9+/]{27}=","mac":"","tag":"[A-Za-z0-9+/]{22}=="\}$"#),
  ])
  func writesTheLayoutOfLaravel13(cipher: Cipher, layout: String) throws {
    let encrypter = try Encrypter(keyRing: KeyRing(current: testKey(cipher, seed: 1)))
    for _ in 0..<50 {
      let text = try json(encrypter.encryptString([UInt8](repeating: 7, count: 20)))
      #expect(text.range(of: layout, options: .regularExpression) != nil, "\(text)")
    }
  }

  @Test func everyPayloadHasItsOwnIV() throws {
    for cipher in Self.ciphers {
      let ring = try KeyRing(current: testKey(cipher, seed: 1))
      let plaintexts = [[UInt8]](repeating: Array("same".utf8), count: 1000)
      let new = try process(Encrypter(keyRing: ring), .encrypt, plaintexts).new
      #expect(try Set(new.map { try json($0 ?? []).prefix(23) }).count == 1000)
    }
  }

  /// CBC to CBC has the member `tag` where the old payload had it, so that the new one is no longer.
  @Test(arguments: [
    (Cipher.aes256CBC, Cipher.aes256CBC, #","tag":"""#, true), (.aes256CBC, .aes256CBC, "", false),
    (.aes256CBC, .aes256CBC, #","tag":null"#, true), (.aes256CBC, .aes256CBC, #","tag":"0""#, true),
    (.aes128CBC, .aes256GCM, "", true), (.aes256CBC, .aes128GCM, #","tag":"""#, true),
  ])
  func keepsTheTagMember(old: Cipher, new: Cipher, tag: String, hasTag: Bool) throws {
    let oldKey = try testKey(old, seed: 1)
    let sealed = try Encrypter(keyRing: KeyRing(current: oldKey)).encryptString(Array("plain".utf8))
    let text = try json(sealed).replacingOccurrences(of: #","tag":"""#, with: tag)
    let encrypter = try Encrypter(keyRing: KeyRing(current: testKey(new, seed: 2), previous: [oldKey]))
    let result = try #require(process(encrypter, .rekey, [payload(text)]).new[0])
    #expect(try json(result).contains(#","tag":""#) == hasTag)
    if old == new { #expect(result.count <= payload(text).count) }
    #expect(try encrypter.decryptString(result).plaintext == Array("plain".utf8))
    #expect(try encrypter.decryptString(result).site.openedBy == 0)
  }

  @Test func fromGCMToCBCWritesAnEmptyTag() throws {
    let oldKey = try testKey(.aes128GCM, seed: 1)
    let sealed = try Encrypter(keyRing: KeyRing(current: oldKey)).encryptString(Array("plain".utf8))
    let encrypter = try Encrypter(keyRing: KeyRing(current: testKey(.aes256CBC, seed: 2), previous: [oldKey]))
    let result = try #require(process(encrypter, .rekey, [sealed]).new[0])
    #expect(try json(result).hasSuffix(#"","tag":""}"#))
  }

  /// A known answer, computed with `openssl enc` and `openssl dgst -hmac`.
  @Test func matchesAnIndependentComputation() throws {
    let knownKey = try key("base64:" + Data((0..<32).map { UInt8($0) }).base64EncodedString(), .aes256CBC)
    let text =
      #"{"iv":"AAECAwQFBgcICQoLDA0ODw==","value":"/N0qnm8Dy4mKv1c3WjTTXg+cAAUlVUJ6bqi4Ju6up6c=","mac":"15be464c4cc8d31edcb9c1ff2daaf4c36606ef594f4707dd9c00c00388ecfe94","tag":""}"#
    let opened = try Encrypter(keyRing: KeyRing(current: knownKey)).decryptString(payload(text))
    #expect(opened.plaintext == Array("rekey known answer".utf8))
  }
}
