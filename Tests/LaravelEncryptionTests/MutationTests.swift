import Foundation
import Testing

@testable import LaravelEncryption

/// Damaged payloads and noise: nothing crashes, and nothing opens to other bytes than were sealed.
struct MutationTests {
  static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let byte = UInt8.random(in: .min ... .max, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0 where place < bytes.count: bytes[place] ^= 1 << (byte & 7)
      case 1 where place < bytes.count: bytes[place] = byte
      case 2 where place < bytes.count: bytes.remove(at: place)
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int(byte)))
      default: bytes.insert(byte, at: place)
      }
    }
  }

  @Test(arguments: SealingTests.ciphers, [false, true])
  func damagedPayloadsNeverOpenToOtherBytes(cipher: Cipher, insideTheJSON: Bool) throws {
    var generator = SeededGenerator(state: insideTheJSON ? 11 : 12)
    let oldKey = try testKey(cipher, seed: 3)
    let old = try Encrypter(keyRing: KeyRing(current: oldKey))
    let encrypter = try Encrypter(keyRing: KeyRing(current: testKey(.aes256CBC, seed: 4), previous: [oldKey]))
    var opened = 0
    for _ in 0..<15 {
      let plaintext = generator.bytes(Int.random(in: 0...60, using: &generator))
      let sealed = try old.encryptString(plaintext)
      var damaged: [[UInt8]] = []
      for _ in 0..<100 {
        var bytes = insideTheJSON ? Array(try json(sealed).utf8) : sealed
        Self.mutate(&bytes, &generator)
        damaged.append(insideTheJSON ? Array(Data(bytes).base64EncodedString().utf8) : bytes)
      }
      let result = try process(encrypter, .rekey, damaged)
      let plain = try process(encrypter, .decrypt, damaged)
      for index in damaged.indices where result.sites[index].openedBy >= 0 {
        opened += 1
        #expect(plain.new[index] == plaintext)
        let new = try #require(result.new[index])
        #expect(try encrypter.decryptString(new).plaintext == plaintext)
      }
      #expect(plain.sites.map(\.verdict) == result.sites.map(\.verdict))
    }
    // Some damage is none: a foreign byte in the base64, a blank in the JSON.
    #expect(opened > 0)
  }

  @Test func noiseNeverOpens() throws {
    var generator = SeededGenerator(state: 13)
    let encrypter = try Encrypter(
      keyRing: KeyRing(current: testKey(.aes256CBC, seed: 4), previous: [testKey(.aes128GCM, seed: 5)]))
    let pieces = [#"{"iv":""#, #"","value":""#, #"","mac":""#, #"","tag":""#, #""}"#, "AAAA", "=", "\\", "[", "}"]
    var noise: [[UInt8]] = []
    for length in 0..<400 {
      noise.append(generator.bytes(length))
      noise.append(Array(Data(generator.bytes(length)).base64EncodedString().utf8))
      let text = (0..<length % 17).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      noise.append(payload(text))
      noise.append(payload(#"{"iv":""# + text))
    }
    let result = try process(encrypter, .rekey, noise)
    #expect(result.sites.allSatisfy { $0.openedBy < 0 && $0.newLength == -1 })
    #expect(result.output.isEmpty)
  }
}
