import Foundation
import Testing

@testable import LaravelEncryption

struct Base64Tests {
  static let base64 = Base64()

  enum Reading: CaseIterable {
    case exact, lenient, strict
  }

  static func decode(_ text: [UInt8], _ reading: Reading) -> [UInt8]? {
    var output = [UInt8](repeating: 0xAA, count: Base64.decodedCapacity(text.count))
    let count = output.withUnsafeMutableBytes { output in
      text.withUnsafeBytes { text in
        switch reading {
        case .exact: base64.decodeExactly(text, into: output)
        case .lenient: base64.decodeLeniently(text, into: output)
        case .strict: base64.decodeStrictly(text, into: output)
        }
      }
    }
    return count.map { Array(output[..<$0]) }
  }

  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: Base64.encodedLength(bytes.count) + Base64.slack)
    let count = output.withUnsafeMutableBytes { output in
      bytes.withUnsafeBytes { base64.encode($0, into: output) }
    }
    return Array(output[..<count])
  }

  @Test func encodesAndDecodesEveryLength() {
    var generator = SeededGenerator(state: 64)
    for length in 0...200 {
      let bytes = generator.bytes(length)
      let text = Self.encode(bytes)
      #expect(text == Array(Data(bytes).base64EncodedString().utf8))
      for reading in Reading.allCases { #expect(Self.decode(text, reading) == bytes) }
    }
  }

  /// What PHP 8 gives: lenient, strict.
  @Test(arguments: [
    ("aGk=", "hi", "hi"), ("aGk", "hi", "hi"), ("aGk==", "hi", nil), ("a=Gk", "hi", nil), ("aG k=", "hi", "hi"),
    ("aGk\t=\r\n", "hi", "hi"), ("aGk\u{B}=", "hi", nil), ("aGk!", "hi", nil), ("aGk-", "hi", nil),
    ("=aGk", "hi", nil), ("====", "", nil), ("", "", ""), ("  ", "", ""), ("a", "", nil), ("aGkh", "hi!", "hi!"),
    ("aGkha", "hi!", nil), ("aGlh=", "hia", nil), ("aGl=", "hi", "hi"), ("aA==", "h", "h"), ("aA=", "h", nil),
    ("aA===", "h", nil), ("aA = =", "h", "h"), ("aGk=aGk=", "hi\u{1A}\u{1A}", nil),
  ])
  func readsAsPHP(text: String, lenient: String, strict: String?) {
    let bytes = Array(text.utf8)
    if text != "aGk=aGk=" { #expect(Self.decode(bytes, .lenient) == Array(lenient.utf8)) }
    #expect(Self.decode(bytes, .strict) == strict.map { Array($0.utf8) })
  }

  @Test func goesOnBehindPaddingWhenLenient() {
    // Six letters without their `=`: "aGkaGk".
    #expect(Self.decode(Array("aGk=aGk=".utf8), .lenient) == [0x68, 0x69, 0x1A, 0x1A])
  }

  @Test(arguments: [
    "aGk", "aGk=\n", "aG=k", "a===", "====", "aGk!", "aGkhaGk", "aGkhaG=k", "=GkhaGkh", "aGkhaGk\u{7F}",
  ])
  func exactReadingRefusesAnythingElse(text: String) {
    #expect(Self.decode(Array(text.utf8), .exact) == nil)
  }

  @Test func everyByteOutsideTheAlphabetIsSeenInEveryPlace() {
    let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for length in [4, 8, 12, 16] {
      let text = [UInt8](repeating: UInt8(ascii: "Q"), count: length)
      for place in 0..<length {
        for byte in UInt8.min...UInt8.max where !letters.contains(byte) {
          var damaged = text
          damaged[place] = byte
          let isPadding = byte == UInt8(ascii: "=") && place == length - 1
          #expect((Self.decode(damaged, .exact) != nil) == isPadding)
        }
      }
    }
  }

  @Test func theReadingsAgreeOnWhatTheExactOneTakes() {
    var generator = SeededGenerator(state: 4648)
    let alphabet = Array("AQgw+/9z=".utf8)
    for _ in 0..<4000 {
      let text = (0..<Int.random(in: 0...3, using: &generator) * 4).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      guard let exact = Self.decode(text, .exact) else { continue }
      #expect(Self.decode(text, .lenient) == exact)
      #expect(Self.decode(text, .strict) == exact)
    }
  }
}
