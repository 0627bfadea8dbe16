import Foundation
import Testing

@testable import LaravelEncryption

/// Every recorded payload gives what real Laravel gave.
struct VectorTests {
  /// Where we open what Laravel 13.26.1 does not: payloads that only older releases could make and open.
  ///
  /// GCM payloads with a MAC (8.54 and 8.55) need no entry: 13.26.1 ignores a MAC in GCM mode, and opens them.
  static let beyondNewest: [String: String] = [
    "version-0109": "AES-192 by a key of 24 bytes, which 4.2 to 5.0 took",
    "version-0129": "AES-192 by a key of 24 bytes, which 4.2 to 5.0 took",
    "version-0142": "AES-192 by a key of 24 bytes, which 4.2 to 5.0 took",
    "version-0319": "AES-192 by a key of 24 bytes, which 4.2 to 5.0 took",
    "version-0400": "AES-192 by a key of 24 bytes, which 4.2 to 5.0 took",
    "version-0434": "AES-192 by a key of 24 bytes, which 4.2 to 5.0 took",
  ]

  static func isOurs(_ vector: Vector) -> Bool { vector.cipher != "mcrypt-rijndael-256" }

  @Test(arguments: VectorKernel.available)
  func everyVectorGivesTheRecordedVerdictAndBytes(kernel: VectorKernel) throws {
    let vectors = try Vector.load("payloads")
    #expect(vectors.count == 1438)
    var wrong: [String] = []
    for vector in vectors where Self.isOurs(vector) {
      let expected: Answer =
        vector.expect == "accept"
        ? .plaintext(try #require(vector.plaintext, "\(vector.id)"))
        : .message(try #require(vector.laravelException).message)
      let answer = try Answer(vector, kernel: kernel)
      if answer != expected { wrong.append("\(vector.id): \(answer), expected \(expected)") }
    }
    #expect(wrong == [])
  }

  @Test func whatWeOpenBeyondTheNewestReleaseIsListed() throws {
    var beyond: Set<String> = []
    for vector in try Vector.load("payloads") where Self.isOurs(vector) {
      guard case .plaintext = try Answer(vector) else { continue }
      if vector.newestOutcome?.hasPrefix("ok") != true { beyond.insert(vector.id) }
    }
    #expect(beyond == Set(Self.beyondNewest.keys))
  }

  @Test func payloadsOf854And855WithAMacOpen() throws {
    let withMac = try Vector.load("payloads").filter { vector in
      guard vector.cipher.uppercased().hasSuffix("GCM"), vector.expect == "accept" else { return false }
      let report = (vector.payloadBytes ?? []).withUnsafeBytes { EnvelopeReport($0) }
      return report.macLength == 64
    }
    #expect(withMac.count >= 7)
    for vector in withMac { #expect(try Answer(vector) == .plaintext(vector.plaintext ?? []), "\(vector.id)") }
  }

  @Test func rijndael256IsRecognised() throws {
    let vectors = try Vector.load("payloads").filter { !Self.isOurs($0) }
    #expect(vectors.count == 47)
    for vector in vectors { #expect(try Answer(vector) == .message("unsupported_cipher"), "\(vector.id)") }
  }

  @Test(arguments: VectorKernel.available)
  func payloadsOfOneMebibyteOpen(kernel: VectorKernel) throws {
    let vectors = try Vector.load("payloads-large")
    #expect(vectors.count == 2)
    for vector in vectors {
      #expect(try Answer(vector, kernel: kernel) == .plaintext(try #require(vector.plaintext)), "\(vector.id)")
    }
  }
}
