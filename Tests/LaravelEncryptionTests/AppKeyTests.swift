import Foundation
import Testing

@testable import LaravelEncryption

struct AppKeyTests {
  static let bytes32 = "MxeBLvDIOOmOMULHwMOcA+eZQFNssiT6wuqgWrM6o4E="

  @Test(arguments: [
    "base64:" + bytes32,
    "base64:" + bytes32 + "\n",
    "base64:" + bytes32 + "\r\n",
    "base64: " + bytes32 + " ",
    "base64:Mxe!BLvDIOOmOMULHwMOcA+eZQFNssiT6wuqgWrM6o4E",
  ])
  func readsBase64AsPHPDoes(text: String) throws {
    #expect(try key(text, .aes256CBC).hasSameBytes(as: key("base64:" + Self.bytes32, .aes256GCM)))
  }

  @Test func readsARawKeyAndDropsOneLineEnd() throws {
    let raw = "RYvuUlsYmOEOU5dIogr6MJGxgaXtMx7v"
    let encoded = try key("base64:" + Data(raw.utf8).base64EncodedString(), .aes256CBC)
    for text in [raw, raw + "\n", raw + "\r\n"] {
      #expect(try key(text, .aes256CBC).hasSameBytes(as: encoded))
    }
    // Thirty-two bytes of which the last is a line end are a key as they are.
    let endsInNewline = String(raw.dropLast()) + "\n"
    #expect(try !key(endsInNewline, .aes256CBC).hasSameBytes(as: encoded))
  }

  @Test(arguments: ["", "0", "\n", "0\n"])
  func refusesAnEmptyKey(text: String) {
    #expect(throws: EncryptionError.keyMissing) { try key(text, .aes256CBC) }
  }

  static let wrong: [(String, Cipher, Int, KeyMistake?)] = [
    (bytes32, .aes256CBC, 44, .prefixMissing),
    ("3nmzLvDIOOmOMULHwMOcAw==", .aes128CBC, 24, .prefixMissing),
    ("base64:" + bytes32 + ",base64:" + bytes32, .aes256CBC, 69, .joinedByComma),
    ("RYvuUlsYmOEOU5dI,RYvuUlsYmOEOU5dI", .aes128CBC, 33, .joinedByComma),
    ("\"base64:" + bytes32 + "\"", .aes256CBC, 53, .quotesKept),
    ("'base64:" + bytes32 + "'", .aes256CBC, 53, .quotesKept),
    ("[\"base64:" + bytes32 + "\"]", .aes256CBC, 55, .jsonList),
    (" base64:" + bytes32, .aes256CBC, 52, .whiteSpaceAround),
    ("RYvuUlsYmOEOU5dIogr6MJGxgaXtMx7v ", .aes256CBC, 33, .whiteSpaceAround),
    ("base64:base64:" + bytes32, .aes256CBC, 36, .prefixTwice),
    ("base64:" + bytes32 + "base64:" + bytes32, .aes256CBC, 68, .joined),
    ("BASE64:" + bytes32, .aes256CBC, 51, .prefixNotLowerCase),
    ("base64:", .aes256CBC, 0, .nothingAfterPrefix),
    ("base64:tSTDhgdAVxcFgFv0XwtF-wjM_rdPTbdtnfEtHE4C0-M=", .aes256CBC, 30, .urlSafeAlphabet),
    ("320090dc54bf14fbe18801fca23a339fa00d083e13e7e8a51d530f68884c7cdf", .aes256CBC, 64, .hexadecimal),
    ("base64:" + bytes32, .aes128GCM, 32, .fits(.aes256GCM)),
    ("RYvuUlsYmOEOU5dI", .aes256CBC, 16, .fits(.aes128CBC)),
    ("base64:UWkqGtYfVrg+oQKqfx2O89eRYvnx/58SyuTFIJc9Xg==", .aes256CBC, 31, nil),
    ("base64:" + bytes32, .aes192CBC, 32, .fits(.aes256CBC)),
  ]

  @Test(arguments: wrong)
  func saysWhatIsWrongWithALength(text: String, cipher: Cipher, found: Int, mistake: KeyMistake?) {
    #expect(throws: EncryptionError.keyLength(found: found, cipher: cipher, mistake: mistake)) {
      try key(text, cipher)
    }
  }

  @Test(arguments: wrong)
  func errorsHoldNothingOfTheKey(text: String, cipher: Cipher, found: Int, mistake: KeyMistake?) {
    let error = #expect(throws: EncryptionError.self) { try key(text, cipher) }
    var shown = ""
    if let error { dump(error, to: &shown) }
    shown += "\(String(describing: error)) \(error?.description ?? "")"
    #expect(error?.description.contains("\(found) bytes") == true)
    for length in 6...max(6, text.count) where text.count >= length {
      let part = String(text.dropFirst(text.count - length).prefix(6))
      if part != "base64", part != "ase64:" { #expect(!shown.contains(part), "\(part)") }
    }
  }

  @Test func showsTheFingerprintAlone() throws {
    let one = try key("base64:" + Self.bytes32, .aes256CBC)
    #expect(one.fingerprint.count == 12)
    #expect(one.fingerprint.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    #expect(try one.fingerprint == key("base64:" + Self.bytes32, .aes256GCM).fingerprint)
    #expect(try one.fingerprint != testKey(.aes256CBC, seed: 3).fingerprint)
    var dumped = ""
    dump(one, to: &dumped)
    for text in [one.description, one.debugDescription, "\(one)", dumped] {
      #expect(text.contains(one.fingerprint))
      #expect(!text.contains("MxeBLv") && !text.contains("3317812e") && !text.contains("SecretPage"))
    }
  }

  @Test func aRingNeedsACurrentKeyThatSeals() throws {
    for cipher in [Cipher.aes192CBC, .mcryptRijndael128, .mcryptRijndael256] {
      #expect(throws: EncryptionError.cipherCannotSeal(cipher)) { try KeyRing(current: testKey(cipher, seed: 1)) }
      _ = try KeyRing(current: testKey(.aes256CBC, seed: 1), previous: [testKey(cipher, seed: 1)])
    }
  }

  @Test(arguments: [
    ("AES-256-CBC", Cipher.aes256CBC), ("aes-256-cbc", .aes256CBC), ("aEs-128-GcM", .aes128GCM),
    ("AES-192-CBC", .aes192CBC), ("mcrypt-rijndael-128", .mcryptRijndael128),
    ("mcrypt-rijndael-256", .mcryptRijndael256), ("AES-256-CBC ", nil), ("AES256", nil), ("", nil),
    ("AES_256_CBC", nil), ("AES-256-CTR", nil),
  ])
  func namesCiphersAsLaravelDoes(name: String, cipher: Cipher?) {
    #expect(Cipher(name: name) == cipher)
  }
}
