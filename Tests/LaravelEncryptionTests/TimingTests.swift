import Foundation
import Testing

@testable import LaravelEncryption

/// Prints nanoseconds a payload: `REKEY_TIMING=1 swift test -c release --filter TimingTests`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["REKEY_TIMING"] != nil), .serialized)
struct TimingTests {
  @Test(arguments: [24, 64, 128, 1024])
  func payloadsOfLength(length: Int) throws {
    for cipher in [Cipher.aes256CBC, .aes256GCM] {
      let oldKey = try testKey(cipher, seed: 1)
      let plaintexts = (0..<1000).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: length) }
      let payloads = try process(Encrypter(keyRing: KeyRing(current: oldKey)), .encrypt, plaintexts).new.map {
        $0 ?? []
      }
      let ring = try KeyRing(current: testKey(cipher, seed: 2), previous: [oldKey])
      try Self.report("classify, current", length, cipher, .classify, payloads, KeyRing(current: oldKey), true)
      try Self.report("rekey, verify   ", length, cipher, .rekey, payloads, ring, true)
      try Self.report("rekey, no verify", length, cipher, .rekey, payloads, ring, false)
    }
  }

  static func report(
    _ name: String, _ length: Int, _ cipher: Cipher, _ operation: LaravelEncryption.Operation, _ payloads: [[UInt8]],
    _ ring: KeyRing, _ verify: Bool
  ) throws {
    let encrypter = try Encrypter(keyRing: ring, verify: verify)
    let input = payloads.flatMap { $0 }
    var sites: [PayloadSite] = []
    var start = 0
    for payload in payloads {
      sites.append(PayloadSite(start: start, length: payload.count))
      start += payload.count
    }
    var output: [UInt8] = []
    let clock = ContinuousClock()
    var best = Duration.seconds(1)
    for _ in 0..<60 {
      output.removeAll(keepingCapacity: true)
      let time = try clock.measure {
        try input.withUnsafeBytes { input in
          try sites.withUnsafeMutableBufferPointer {
            try encrypter.process(operation, input: input, sites: $0, output: &output)
          }
        }
      }
      best = min(best, time)
    }
    let nanoseconds = best / .nanoseconds(1) / Double(payloads.count)
    print("\(cipher.rawValue) \(length) B, \(name): \(Int(nanoseconds)) ns")
  }
}
