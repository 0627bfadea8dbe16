import Foundation
import Testing

@testable import LaravelEncryption

func key(_ text: String, _ cipher: Cipher) throws -> AppKey {
  try Array(text.utf8).withUnsafeBytes { try AppKey.parse($0, cipher: cipher) }
}

/// A throw-away key whose bytes all derive from `seed`.
func testKey(_ cipher: Cipher, seed: UInt8) throws -> AppKey {
  let bytes = (0..<(cipher.keyLengths.last ?? 32)).map { UInt8(truncatingIfNeeded: $0 * 7) &+ seed }
  return try key("base64:" + Data(bytes).base64EncodedString(), cipher)
}

extension VectorKernel {
  /// Those of this processor; which they are depends on the machine, `portable` is on all.
  static var available: [VectorKernel] { allCases.filter(\.isAvailable) }
}

/// Runs one batch over payloads that lie one behind the other, with `gap` between them.
func process(
  _ encrypter: Encrypter, _ operation: LaravelEncryption.Operation, _ payloads: [[UInt8]], gap: [UInt8] = []
) throws -> (sites: [PayloadSite], new: [[UInt8]?], output: [UInt8]) {
  var input: [UInt8] = []
  var sites: [PayloadSite] = []
  for payload in payloads {
    input += gap
    sites.append(PayloadSite(start: input.count, length: payload.count))
    input += payload
  }
  input += gap
  var output: [UInt8] = []
  try input.withUnsafeBytes { bytes in
    try sites.withUnsafeMutableBufferPointer {
      try encrypter.process(operation, input: bytes, sites: $0, output: &output)
    }
  }
  let new = sites.map { $0.newLength < 0 ? nil : Array(output[$0.newStart..<$0.newStart + $0.newLength]) }
  return (sites, new, output)
}

/// The envelope's JSON of a payload with exact base64.
func json(_ payload: [UInt8]) throws -> String {
  String(decoding: try #require(Data(base64Encoded: Data(payload))), as: UTF8.self)
}

func payload(_ json: String) -> [UInt8] { Array(Data(json.utf8).base64EncodedString().utf8) }

/// The same numbers on every run and machine (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
