import Foundation
import Testing

@testable import LaravelEncryption

struct BatchTests {
  static func sealed(_ text: String, _ cipher: Cipher, seed: UInt8) throws -> [UInt8] {
    try Encrypter(keyRing: KeyRing(current: testKey(cipher, seed: seed))).encryptString(Array(text.utf8))
  }

  /// More sites than one part holds, of every kind, with bytes between them that would change each if they leaked in.
  @Test(arguments: [true, false], ["", "=", "A", "\"", "{}"])
  func sitesDoNotLeakIntoEachOther(verify: Bool, gap: String) throws {
    let ring = try KeyRing(
      current: testKey(.aes256CBC, seed: 1),
      previous: [testKey(.aes256GCM, seed: 2), testKey(.aes128CBC, seed: 3)])
    var payloads: [[UInt8]] = []
    var expected: [(Verdict, Int, String?)] = []
    for round in 0..<90 {
      let text = String(repeating: "x", count: round) + "\(round)"
      payloads += [
        try Self.sealed(text, .aes256CBC, seed: 1), try Self.sealed(text, .aes256GCM, seed: 2), [],
        try Self.sealed(text, .aes128CBC, seed: 3), Array("plain \(round)".utf8),
        try Self.sealed(text, .aes256CBC, seed: 4), try Self.sealed(text, .aes128GCM, seed: 5), payload("{}"),
      ]
      expected += [
        (.opensWithCurrent, 0, text), (.opensWithPrevious, 1, text), (.empty, -1, nil), (.opensWithPrevious, 2, text),
        (.notPayload, -1, nil), (.macInvalid, -1, nil), (.decryptFailed, -1, nil), (.payloadInvalid, -1, nil),
      ]
    }
    let encrypter = try Encrypter(keyRing: ring, verify: verify)
    let classified = try process(encrypter, .classify, payloads, gap: Array(gap.utf8))
    let rekeyed = try process(encrypter, .rekey, payloads, gap: Array(gap.utf8))
    let decrypted = try process(encrypter, .decrypt, payloads, gap: Array(gap.utf8))
    let encrypted = try process(encrypter, .encrypt, payloads, gap: Array(gap.utf8))
    #expect(classified.output.isEmpty)
    let current = try Encrypter(keyRing: KeyRing(current: ring.current))
    for (index, (verdict, openedBy, text)) in expected.enumerated() {
      for result in [classified, rekeyed, decrypted, encrypted] {
        #expect(result.sites[index].verdict == verdict)
        #expect(result.sites[index].openedBy == openedBy)
        #expect((result.sites[index].reason != nil) == (openedBy < 0 && verdict != .empty && verdict != .notPayload))
      }
      #expect(classified.new[index] == nil)
      #expect(decrypted.new[index] == text.map { Array($0.utf8) })
      if let new = rekeyed.new[index] {
        #expect(verdict == .opensWithPrevious)
        #expect(try current.decryptString(new).plaintext == text.map { Array($0.utf8) })
      } else {
        #expect(verdict != .opensWithPrevious)
      }
      if let new = encrypted.new[index] {
        #expect(verdict == .notPayload)
        #expect(try current.decryptString(new).plaintext == payloads[index])
      } else {
        #expect(verdict != .notPayload)
      }
    }
  }

  @Test func theSecondRunChangesNothing() throws {
    let encrypter = try Encrypter(
      keyRing: KeyRing(current: testKey(.aes256GCM, seed: 1), previous: [testKey(.aes256CBC, seed: 2)]))
    let payloads = try (0..<20).map { try Self.sealed("\($0)", .aes256CBC, seed: 2) }
    let first = try process(encrypter, .rekey, payloads).new.map { $0 ?? [] }
    let second = try process(encrypter, .rekey, first)
    #expect(second.new.allSatisfy { $0 == nil } && second.output.isEmpty)
    #expect(second.sites.allSatisfy { $0.verdict == .opensWithCurrent })
  }

  @Test func appendsBehindWhatTheOutputHolds() throws {
    let encrypter = try Encrypter(
      keyRing: KeyRing(current: testKey(.aes256CBC, seed: 1), previous: [testKey(.aes256CBC, seed: 2)]))
    let old = try Self.sealed("text", .aes256CBC, seed: 2)
    var output = Array("before".utf8)
    var sites = [PayloadSite(start: 0, length: old.count), PayloadSite(start: 0, length: -1)]
    try old.withUnsafeBytes { input in
      try sites.withUnsafeMutableBufferPointer {
        try encrypter.process(.rekey, input: input, sites: $0, output: &output)
      }
    }
    #expect(output.starts(with: Array("before".utf8)))
    #expect(sites[0].newStart == 6 && sites[0].newLength == output.count - 6)
    #expect(sites[1].verdict == .empty && sites[1].newLength == -1)
  }

  @Test func anEmptyBatchIsFine() throws {
    let encrypter = try Encrypter(keyRing: KeyRing(current: testKey(.aes256CBC, seed: 1)))
    #expect(try process(encrypter, .rekey, []).output.isEmpty)
  }

  /// The same key bytes under another cipher are another key: each is tried under its own.
  @Test func eachKeyIsTriedUnderItsOwnCipher() throws {
    let encrypter = try Encrypter(
      keyRing: KeyRing(
        current: testKey(.aes256CBC, seed: 1),
        previous: [testKey(.aes256GCM, seed: 1), testKey(.mcryptRijndael128, seed: 7)]))
    let payloads = try [
      Self.sealed("a", .aes256CBC, seed: 1), Self.sealed("b", .aes256GCM, seed: 1),
      Self.sealed("c", .aes256CBC, seed: 7),
    ]
    #expect(try process(encrypter, .classify, payloads).sites.map(\.openedBy) == [0, 1, 2])
  }

  /// The outcome is that of the key that got furthest, whatever the order.
  @Test func theFurthestKeyGivesTheVerdict() throws {
    let cbc = try testKey(.aes256CBC, seed: 1)
    let gcm = try testKey(.aes256GCM, seed: 2)
    let payloads = try [
      Self.sealed("a", .aes256CBC, seed: 8), Self.sealed("b", .aes256GCM, seed: 8),
      payload(#"{"iv":"AAAA","value":"AAAA","mac":"m"}"#),
      payload(#"{"iv":"AAECAwQFBgcICQoLDA0ODw==","value":"AAAA","mac":"m","tag":"x"}"#),
    ]
    for ring in [try KeyRing(current: cbc, previous: [gcm]), try KeyRing(current: gcm, previous: [cbc])] {
      let verdicts = try process(Encrypter(keyRing: ring), .classify, payloads).sites.map(\.verdict)
      #expect(verdicts == [.macInvalid, .decryptFailed, .payloadInvalid, .tagNotAllowed])
    }
  }

  /// A payload that only PHP's lenient readings open is no plaintext, so it is never sealed a second time.
  @Test func anOddlyWrittenPayloadIsNotTakenForPlaintext() throws {
    let encrypter = try Encrypter(keyRing: KeyRing(current: testKey(.aes256CBC, seed: 1)))
    let text = try json(Self.sealed("text", .aes256CBC, seed: 1))
    let odd = [payload(" " + text), Array("!".utf8) + payload(text), Array("\u{FEFF}".utf8) + payload(text)]
    for payload in odd { #expect(!payload.withUnsafeBytes(isPayloadLike)) }
    let result = try process(encrypter, .encrypt, odd)
    #expect(result.sites.allSatisfy { $0.verdict == .opensWithCurrent } && result.output.isEmpty)
  }
}
