import Testing

@testable import LaravelEncryption

/// Which key is tried first is a matter of speed: what a payload means doesn't depend on its neighbours.
struct KeyOrderTests {
  @Test func aBatchOfManyKeysGivesWhatEachPayloadGivesAlone() throws {
    var generator = SeededGenerator(state: 2026)
    let keys = try [
      testKey(.aes256CBC, seed: 1), testKey(.aes256GCM, seed: 2), testKey(.aes128CBC, seed: 3),
      testKey(.aes256CBC, seed: 4), testKey(.aes128GCM, seed: 5),
    ]
    let stranger = try testKey(.aes256CBC, seed: 6)
    let sealers = try (keys + [stranger]).map { try Encrypter(keyRing: KeyRing(current: $0)) }
    let ring = try KeyRing(current: keys[0], previous: Array(keys.dropFirst()))
    let encrypter = try Encrypter(keyRing: ring)
    for round in 0..<30 {
      // Mostly one key's, so that it becomes the likely one, and then another's.
      let usual = round / 3 % sealers.count
      let payloads = try (0..<Int.random(in: 1...700, using: &generator)).map { _ -> [UInt8] in
        let sealer = Int.random(in: 0..<10, using: &generator) < 8 ? usual : Int.random(in: 0..<6, using: &generator)
        var payload = try sealers[sealer].encryptString(generator.bytes(Int.random(in: 0...60, using: &generator)))
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: payload[Int.random(in: 0..<payload.count, using: &generator)] ^= 1
        case 1: payload = generator.bytes(20)
        default: break
        }
        return payload
      }
      let together = try process(encrypter, .classify, payloads).sites
      let alone = try Encrypter(keyRing: ring)
      for (payload, site) in zip(payloads, together) {
        let expected = try process(alone, .classify, [payload]).sites[0]
        let fresh = try round == 0 ? process(Encrypter(keyRing: ring), .classify, [payload]).sites[0] : expected
        for other in [expected, fresh] {
          #expect(site.verdict == other.verdict)
          #expect(site.openedBy == other.openedBy)
          #expect(site.reason?.description == other.reason?.description)
        }
      }
    }
  }

  /// HMAC fills a key up with zeros, so that a MAC can't tell these two; their ciphers' plaintexts differ.
  @Test func keysThatShareTheirMACAreTriedInTheirOrder() throws {
    let short = try key("base64:AAECAwQFBgcICQoLDA0ODw==", .aes128CBC)
    let long = try key("base64:AAECAwQFBgcICQoLDA0ODwAAAAAAAAAAAAAAAAAAAAA=", .aes256CBC)
    #expect(short.hasSameMAC(as: long))
    #expect(try !short.hasSameMAC(as: testKey(.aes128CBC, seed: 9)))
    let opener = try KeyOpener(short, index: 0, in: [short, long], .best)
    #expect(!opener.isToldByMAC)
    #expect(try KeyOpener(short, index: 0, in: [short], .best).isToldByMAC)
    #expect(
      try !KeyOpener(testKey(.aes256GCM, seed: 1), index: 0, in: [testKey(.aes256GCM, seed: 1)], .best).isToldByMAC)

    let payloads = try [short, long].flatMap { sealing in
      let sealer = try Encrypter(keyRing: KeyRing(current: sealing))
      return try (0..<40).map { try sealer.encryptString([UInt8](repeating: 7, count: $0)) }
    }
    for ring in try [KeyRing(current: short, previous: [long]), KeyRing(current: long, previous: [short])] {
      let encrypter = try Encrypter(keyRing: ring)
      let first = try payloads.map { try process(Encrypter(keyRing: ring), .classify, [$0]).sites[0].openedBy }
      for _ in 0..<3 {
        #expect(try process(encrypter, .classify, payloads).sites.map(\.openedBy) == first)
      }
    }
  }
}
