import Foundation
import Testing

@testable import LaravelEncryption

struct Base64Tests {
  enum Reading: CaseIterable {
    case exact, lenient, strict
  }

  static let ofKernel = Dictionary(uniqueKeysWithValues: VectorKernel.available.map { ($0, Base64(kernel: $0)) })

  static func decode(_ text: [UInt8], _ reading: Reading, _ kernel: VectorKernel = .best) -> [UInt8]? {
    guard let base64 = ofKernel[kernel] else { return nil }
    var output = [UInt8](repeating: 0xAA, count: Base64.decodedCapacity(text.count))
    let count = output.withUnsafeMutableBytes { output in
      text.withUnsafeBytes { text in
        switch reading {
        case .exact: output.baseAddress.flatMap { base64.decodeExactly(text, into: $0) }
        case .lenient: base64.decodeLeniently(text, into: output)
        case .strict: base64.decodeStrictly(text, into: output)
        }
      }
    }
    return count.map { Array(output[..<$0]) }
  }

  static func encode(_ bytes: [UInt8], _ kernel: VectorKernel = .best) -> [UInt8] {
    guard let base64 = ofKernel[kernel] else { return [] }
    var output = [UInt8](repeating: 0, count: Base64.encodedLength(bytes.count) + Base64.slack)
    let count = output.withUnsafeMutableBytes { output in
      bytes.withUnsafeBytes { bytes in output.baseAddress.map { base64.encode(bytes, into: $0) } ?? 0 }
    }
    return Array(output[..<count])
  }

  @Test(arguments: VectorKernel.available)
  func encodesAndDecodesEveryLength(kernel: VectorKernel) {
    var generator = SeededGenerator(state: 64)
    for length in Array(0...400) + [1023, 1024, 4097, 65_536, 1_000_001] {
      let bytes = generator.bytes(length)
      let text = Self.encode(bytes, kernel)
      #expect(text == Array(Data(bytes).base64EncodedString().utf8))
      for reading in Reading.allCases where reading == .exact || length < 5000 {
        #expect(Self.decode(text, reading, kernel) == bytes)
      }
    }
  }

  /// What lies behind the slack belongs to somebody else.
  @Test(arguments: VectorKernel.available)
  func writesNoFurtherThanTheSlack(kernel: VectorKernel) {
    var generator = SeededGenerator(state: 8)
    let base64 = Base64(kernel: kernel)
    for length in 0...300 {
      let bytes = generator.bytes(length)
      let text = Self.encode(bytes, kernel)
      var letters = [UInt8](repeating: 0xAA, count: text.count + Base64.slack + 64)
      var decoded = [UInt8](repeating: 0xAA, count: length + Base64.slack + 64)
      letters.withUnsafeMutableBytes { letters in
        bytes.withUnsafeBytes { bytes in _ = letters.baseAddress.map { base64.encode(bytes, into: $0) } }
      }
      decoded.withUnsafeMutableBytes { decoded in
        text.withUnsafeBytes { text in _ = decoded.baseAddress.map { base64.decodeExactly(text, into: $0) } }
      }
      #expect(letters.suffix(64).allSatisfy { $0 == 0xAA })
      #expect(decoded.suffix(64).allSatisfy { $0 == 0xAA })
    }
  }

  @Test(arguments: VectorKernel.available)
  func writesTheDigitsOfEveryByte(kernel: VectorKernel) {
    for start in stride(from: 0, to: 256, by: 32) {
      let bytes = (start..<start + 32).map { UInt8($0) }
      var digits = [UInt8](repeating: 0, count: 64)
      bytes.withUnsafeBytes { bytes in
        digits.withUnsafeMutableBytes { digits in
          guard let source = bytes.baseAddress, let target = digits.baseAddress else { return }
          kernel.writeHex(source, into: target)
        }
      }
      #expect(String(decoding: digits, as: UTF8.self) == bytes.map { String(format: "%02x", $0) }.joined())
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

  @Test(arguments: VectorKernel.available)
  func everyByteOutsideTheAlphabetIsSeenInEveryPlace(kernel: VectorKernel) {
    let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for length in [4, 8, 16, 24, 36, 68] {
      let text = [UInt8](repeating: UInt8(ascii: "Q"), count: length)
      for place in 0..<length {
        for byte in UInt8.min...UInt8.max where !letters.contains(byte) {
          var damaged = text
          damaged[place] = byte
          let isPadding = byte == UInt8(ascii: "=") && place == length - 1
          #expect((Self.decode(damaged, .exact, kernel) != nil) == isPadding)
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
