import Foundation
import Testing

@testable import LaravelEncryption

struct PayloadLikeTests {
  @Test(arguments: [
    ("eyJpdiI6IkFBIn0=", true), ("eyJpdiI6IkFBIn0", true), (" eyJp\r\n\tdiI6\u{B}\u{C}", true), ("\"eyJpdiI6\"", true),
    ("e30=", true), ("ew==", true), ("ew", true), ("e/", true), ("e+", true), ("e9", true), ("ez", true),
    ("e", false), ("ev", false), ("eA==", false), ("", false), ("====", false), (" ", false), ("hello", false),
    ("eyJpdiI6IkFBIn0=x", false), ("eyJp-diI6", false), ("eyJpdiI6.eyJ", false), ("=eyJpdiI6", false),
    ("'eyJpdiI6'", false), ("eyJpdiI6é", false), ("eyJpdiI6\0", false), ("fyJpdiI6", false), ("ZXlKcGRpSTZJ", false),
    ("{\"iv\":\"\"}", false), ("eye", true), ("eyes", true), ("e2", true),
  ])
  func followsTheDesign(text: String, expected: Bool) {
    #expect(Array(text.utf8).withUnsafeBytes(isPayloadLike) == expected)
    // The definition said again: base64 letters, then padding, the first byte a brace.
    let bare = text.filter { !" \t\n\r\u{B}\u{C}\"\r\n".contains($0) }
    let letters = bare.prefix { $0 != "=" }
    let padded = String(letters) + String(repeating: "A", count: (4 - letters.count % 4) % 4)
    let decoded = letters.count >= 2 ? Data(base64Encoded: padded) : nil
    let says = decoded?.first == UInt8(ascii: "{") && bare.dropFirst(letters.count).allSatisfy { $0 == "=" }
    #expect(says == expected)
  }
}
