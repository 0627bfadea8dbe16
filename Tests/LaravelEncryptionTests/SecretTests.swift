import Testing

@testable import LaravelEncryption

/// Verification, wiping, and what errors may say.
struct SecretTests {
  @Test(arguments: SealingTests.ciphers)
  func aPayloadThatDoesNotOpenAgainIsNotHandedOut(cipher: Cipher) throws {
    let old = try testKey(.aes256CBC, seed: 1)
    let current = try testKey(cipher, seed: 2)
    // A verifier with another key sees what a damaged payload would show.
    let encrypter = Encrypter(
      opener: try Opener([current, old]), sealer: try Sealer(current),
      verifier: try Opener([testKey(cipher, seed: 3)]))
    let sealed = try Encrypter(keyRing: KeyRing(current: old)).encryptString(Array("plain".utf8))
    var output: [UInt8] = []
    var sites = [PayloadSite(start: 0, length: sealed.count)]
    #expect(throws: EncryptionError.verificationFailed) {
      try sealed.withUnsafeBytes { input in
        try sites.withUnsafeMutableBufferPointer {
          try encrypter.process(.rekey, input: input, sites: $0, output: &output)
        }
      }
    }
    #expect(output.isEmpty)
    #expect(throws: EncryptionError.verificationFailed) { try encrypter.encryptString(Array("plain".utf8)) }
  }

  @Test(arguments: [Cipher.aes256CBC, .aes256GCM])
  func plaintextsAreWiped(cipher: Cipher) throws {
    let key = try testKey(cipher, seed: 1)
    let encrypter = try Encrypter(keyRing: KeyRing(current: key))
    let payloads = try (0..<20).map { try encrypter.encryptString([UInt8](repeating: 0xA5, count: 10 * $0)) }
    let input = payloads.flatMap { $0 }
    var start = 0
    let sites = payloads.map { payload in
      start += payload.count
      return PayloadSite(start: start - payload.count, length: payload.count)
    }
    let opener = try Opener([key])
    // Eight in a row: behind what was used lies whatever the memory held before.
    let plaintext = [UInt8](repeating: 0xA5, count: 8)
    func count() -> Int {
      opener.withPlaintexts { bytes in
        (0...bytes.count - 8).count { bytes[$0..<$0 + 8].elementsEqual(plaintext) }
      }
    }
    try input.withUnsafeBytes { input in try sites.withUnsafeBufferPointer { try opener.open(input, $0) } }
    #expect(count() >= 19 * 3)
    opener.wipePlaintexts()
    #expect(count() == 0)
  }

  @Test func wipesAnArray() {
    var secret = Array("secret".utf8)
    wipe(&secret)
    #expect(secret.isEmpty)
  }

  @Test func aPageKeepsWhatIsWritten() throws {
    let page = try SecretPage(capacity: 10_000)
    page.fill { room in
      room.copyBytes(from: [1, 2, 3])
      return 3
    }
    #expect(page.withBytes { Array($0) } == [1, 2, 3])
    page.fill { _ in -1 }
    #expect(page.count == 0)
  }

  @Test func everyErrorSaysWhatToDo() {
    let errors: [EncryptionError] = [
      .keyMissing, .keyLength(found: 3, cipher: .aes256CBC, mistake: nil), .cipherCannotSeal(.aes192CBC),
      .verificationFailed, .openSSL("RAND_bytes"), .noMemoryForKey,
    ]
    for error in errors { #expect(error.description.contains { $0 == ":" || $0 == ";" || $0 == "." }) }
    #expect(
      errors[1].description == "the key has 3 bytes, but AES-256-CBC needs 32: check that the whole key was copied")
  }
}
