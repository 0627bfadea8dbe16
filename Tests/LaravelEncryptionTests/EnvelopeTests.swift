import Foundation
import Testing

@testable import LaravelEncryption

struct EnvelopeTests {
  /// The members' unescaped bytes, or why there is no envelope.
  static func read(_ json: [UInt8]) throws(EnvelopeFault) -> [String] {
    var bytes = json
    var envelope: Envelope?
    var fault: EnvelopeFault?
    bytes.withUnsafeMutableBytes { buffer in
      var reader = EnvelopeReader(buffer)
      do throws(EnvelopeFault) { envelope = try reader.read() } catch { fault = error }
    }
    if let fault { throw fault }
    guard let envelope else { throw .notJSON }
    return [envelope.iv, envelope.value, envelope.mac, envelope.tag].map { String(decoding: bytes[$0], as: UTF8.self) }
      + [envelope.hasTag ? "tag" : "no tag"]
  }

  static func withMember(_ value: String) -> String { #"{"iv":"i","n":\#(value),"value":"v","mac":"m"}"# }

  @Test(arguments: [
    (#"{"iv":"i","value":"v","mac":"m"}"#, ["i", "v", "m", "", "no tag"]),
    (#"{"iv":"i","value":"v","mac":"m","tag":""}"#, ["i", "v", "m", "", "tag"]),
    (#"{"iv":"i","value":"v","mac":"m","tag":null}"#, ["i", "v", "m", "", "tag"]),
    (#"{"tag":"t","mac":"m","value":"v","iv":"i"}"#, ["i", "v", "m", "t", "tag"]),
    (#"{"iv":1,"iv":"i","value":[],"value":"v","mac":"m"}"#, ["i", "v", "m", "", "no tag"]),
    (
      #"{"iv":"a\/b","value":"\u0041\ud83d\ude00\u00e9\b\f\n\r\t\"\\","mac":"\u0000"}"#,
      ["a/b", "A😀é\u{8}\u{C}\n\r\t\"\\", "\0", "", "no tag"]
    ),
    ("\r\n\t {\t\"\\u0069v\" :\n\"i\" , \"value\":\"v\",\"mac\":\"m\" } \n", ["i", "v", "m", "", "no tag"]),
    (
      withMember(#"{"a":[1,-0,0.5,1e5,1E+2,2e-3,{"b":{}},[],[[]],true,false,null,"\"]}"]}"#),
      ["i", "v", "m", "", "no tag"]
    ),
    (
      withMember(String(repeating: "[", count: 510) + String(repeating: "]", count: 510)),
      ["i", "v", "m", "", "no tag"]
    ),
    (
      withMember(String(repeating: #"{"a":"#, count: 510) + "1" + String(repeating: "}", count: 510)),
      ["i", "v", "m", "", "no tag"]
    ),
  ])
  func readsAsJSONDecodeDoes(json: String, members: [String]) throws {
    #expect(try Self.read(Array(json.utf8)) == members)
  }

  @Test(arguments: [
    "", " ", "{", "{}x", #"{"iv"}"#, #"{"iv":}"#, #"{"iv":"i",}"#, #"{,"iv":"i"}"#, #"{iv:"i"}"#, #"{'iv':'i'}"#,
    #"{"iv":"i" "value":"v"}"#, #"{"iv":"i"]"#, #"{"iv":"i"}{"#, #"{"iv":"i"} null"#, "\u{FEFF}{}", "\u{C}{}", "{}\0",
    withMember("01"), withMember("1."), withMember(".5"), withMember("-"), withMember("+1"), withMember("1e"),
    withMember("NaN"), withMember("True"), withMember("NULL"), withMember("nul"), withMember("nullx"),
    withMember("[1,]"), withMember("[,1]"), withMember("[1 2]"), withMember("[1}"), withMember(#"{"a":1]"#),
    withMember(#"{"a"}"#), withMember(#"{1:2}"#), withMember("/**/1"), withMember("'x'"), withMember("\"\t\""),
    withMember("\"\u{1}\""), withMember(#""\x41""#), withMember(#""\u12g4""#), withMember(#""\U0041""#),
    withMember(#""\ud800""#), withMember(#""\udc00""#), withMember(#""\ud800\u0041""#), withMember(#""\ud800x""#),
    withMember(#""\"#), withMember("\"abc"), withMember("[" + #"""#),
    withMember(String(repeating: "[", count: 511) + String(repeating: "]", count: 511)),
    withMember(String(repeating: "[", count: 100_000)),
  ])
  func refusesWhatIsNoJSON(json: String) {
    #expect(throws: EnvelopeFault.notJSON) { try Self.read(Array(json.utf8)) }
  }

  @Test(
    arguments: [
      [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
      [0xF0, 0x8F, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x28, 0xA1],
    ] as [[UInt8]])
  func refusesWrongUTF8(bytes: [UInt8]) {
    let json = Array(#"{"iv":"i","value":"v","mac":"m","n":""#.utf8) + bytes + Array(#""}"#.utf8)
    #expect(throws: EnvelopeFault.notJSON) { try Self.read(json) }
  }

  @Test(arguments: [
    ("[]", EnvelopeFault.notAnObject), ("null", .notAnObject), (#""{}""#, .notAnObject), ("12", .notAnObject),
    (#"[{"iv":"i","value":"v","mac":"m"}]"#, .notAnObject), ("{}", .memberMissing),
    (#"{"IV":"i","value":"v","mac":"m"}"#, .memberMissing), (#"{"iv":"i","value":"v","mac":null}"#, .memberMissing),
    (#"{"iv":"i","value":5,"mac":"m"}"#, .memberMissing), (#"{"iv":["i"],"value":"v","mac":"m"}"#, .memberMissing),
    (#"{"iv":"i","iv":null,"value":"v","mac":"m"}"#, .memberMissing),
    (#"{"iv":"i","value":"v","mac":"m","tag":0}"#, .tagNotString),
    (#"{"iv":"i","value":"v","mac":"m","tag":false}"#, .tagNotString),
    (#"{"iv":"i","value":"v","mac":"m","tag":"","tag":[]}"#, .tagNotString),
  ])
  func refusesWhatIsNoEnvelope(json: String, fault: EnvelopeFault) {
    #expect(throws: fault) { try Self.read(Array(json.utf8)) }
  }

  /// The reader of the fixed layout must never find anything but what the general one finds.
  @Test func theFixedLayoutIsReadAsTheGeneralOne() throws {
    var found = 0
    for vector in try Vector.load("payloads") {
      guard let text = vector.payloadBytes, let json = Base64Tests.decode(text, .exact) else { continue }
      guard let fast = json.withUnsafeBytes(envelopeAsWritten) else { continue }
      let parts = [fast.iv, fast.value, fast.tag].map { Array(json[$0]) }
      guard parts.allSatisfy({ Base64Tests.decode($0, .exact) != nil }) else { continue }
      found += 1
      let members = [fast.iv, fast.value, fast.mac, fast.tag].map { String(decoding: json[$0], as: UTF8.self) }
      #expect(try Self.read(json) == members + [fast.hasTag ? "tag" : "no tag"], "\(vector.id)")
    }
    #expect(found > 500)
  }

  @Test func reportsSizesWithoutAKey() throws {
    let encrypter = try Encrypter(keyRing: KeyRing(current: testKey(.aes256GCM, seed: 9)))
    var report = try encrypter.encryptString(Array("hello".utf8)).withUnsafeBytes { EnvelopeReport($0) }
    #expect(report.fault == nil && report.isPayloadLike && report.family == .gcm)
    #expect(report.ivLength == 12 && report.ciphertextLength == 5 && report.macLength == 0 && report.tagLength == 16)
    report = payload(#"{"iv":"!","value":"AAAA","mac":"m"}"#).withUnsafeBytes { EnvelopeReport($0) }
    #expect(report.ivLength == nil && report.ciphertextLength == 3 && report.macLength == 1 && report.tagLength == nil)
    #expect(report.family == .unknown)
    report = Array("hello".utf8).withUnsafeBytes { EnvelopeReport($0) }
    #expect(report.fault != nil && !report.isPayloadLike)
  }
}
