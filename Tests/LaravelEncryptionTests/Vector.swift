import Foundation
import Testing

@testable import LaravelEncryption

/// One line of `Vectors/payloads.jsonl`: a payload, and what real Laravel does with it.
struct Vector: Decodable, CustomTestStringConvertible {
  struct Exception: Decodable {
    let message: String
  }

  struct Releases: Decodable {
    let from: String
    let to: String
    let outcome: String
  }

  let id: String
  let category: String
  let cipher: String
  let key: String
  let previousKeys: [String]?
  let payload: String?
  let payloadB64: String?
  let expect: String
  let expectBasis: String
  let plaintextB64: String?
  let plaintextSha256: String?
  let laravelException: Exception?
  let perVersion: [Releases]

  var testDescription: String { id }

  enum CodingKeys: String, CodingKey {
    case id, category, cipher, key, payload, expect
    case previousKeys = "previous_keys"
    case payloadB64 = "payload_b64"
    case expectBasis = "expect_basis"
    case plaintextB64 = "plaintext_b64"
    case plaintextSha256 = "plaintext_sha256"
    case laravelException = "laravel_exception"
    case perVersion = "per_version"
  }

  /// Nil stands for PHP's null.
  var payloadBytes: [UInt8]? {
    if let payload { return Array(payload.utf8) }
    return payloadB64.flatMap { Data(base64Encoded: $0) }.map(Array.init)
  }

  var plaintext: [UInt8]? { plaintextB64.flatMap { Data(base64Encoded: $0) }.map(Array.init) }

  /// What Laravel 13.26.1 makes of it; nil where that release knows no such key or cipher.
  var newestOutcome: String? { perVersion.first { $0.to == "13.26.1" }?.outcome }

  static func load(_ file: String) throws -> [Vector] {
    let url = try #require(Bundle.module.url(forResource: file, withExtension: "jsonl", subdirectory: "Vectors"))
    let decoder = JSONDecoder()
    return try Data(contentsOf: url).split(separator: UInt8(ascii: "\n")).map {
      try decoder.decode(Vector.self, from: $0)
    }
  }
}

/// What we make of a vector, in the words of its expectation.
enum Answer: Equatable, CustomStringConvertible {
  case plaintext([UInt8])
  case message(String)

  var description: String {
    switch self {
    case .plaintext(let bytes): "opens, \(bytes.count) bytes"
    case .message(let text): text
    }
  }

  static let unsupported =
    "Unsupported cipher or incorrect key length."
    + " Supported ciphers are: aes-128-cbc, aes-256-cbc, aes-128-gcm, aes-256-gcm."

  init(_ vector: Vector, kernel: VectorKernel = .best) throws {
    do {
      guard let cipher = Cipher(name: vector.cipher) else {
        self = .message(Self.unsupported)
        return
      }
      var keys = [try LaravelEncryptionTests.key(vector.key, cipher)]
      for text in vector.previousKeys ?? [] { keys.append(try LaravelEncryptionTests.key(text, cipher)) }
      self = try Answer.open(vector, keys, kernel)
    } catch EncryptionError.keyMissing {
      self = .message("No application encryption key has been specified.")
    } catch EncryptionError.keyLength {
      self = .message(Self.unsupported)
    }
  }

  /// A cipher that cannot seal stands behind a current key that opens nothing here.
  private static func open(_ vector: Vector, _ keys: [AppKey], _ kernel: VectorKernel) throws -> Answer {
    let ring =
      keys[0].cipher.canSeal
      ? try KeyRing(current: keys[0], previous: Array(keys.dropFirst()))
      : try KeyRing(current: try testKey(.aes128CBC, seed: 1), previous: keys)
    guard let payload = vector.payloadBytes else { return .message("The payload is invalid.") }
    let (site, plaintext) = try Encrypter(keyRing: ring, verify: true, kernel: kernel).decryptString(payload)
    if let plaintext { return .plaintext(plaintext) }
    switch site.verdict {
    case .empty, .notPayload, .payloadInvalid: return .message("The payload is invalid.")
    case .macInvalid: return .message("The MAC is invalid.")
    case .decryptFailed: return .message("Could not decrypt the data.")
    case .tagNotAllowed:
      return .message("Unable to use tag because the cipher algorithm does not support AEAD.")
    case .unsupportedCipher: return .message("unsupported_cipher")
    case .opensWithCurrent, .opensWithPrevious: return .message("opened without a plaintext")
    }
  }
}
