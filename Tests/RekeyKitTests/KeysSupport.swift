import Foundation

@testable import RekeyKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func buffer(_ bytes: [UInt8]) -> SecretBuffer {
  bytes.withUnsafeBytes { SecretBuffer($0) }
}

func string(_ buffer: SecretBuffer) -> String {
  buffer.withBytes { String(decoding: $0, as: UTF8.self) }
}

/// An environment block of the test's own: the process's can't be changed while other tests read it.
func withEnvironment<Result>(
  _ variables: [String: String], _ body: (ProcessEnvironment) throws -> Result
) rethrows -> Result {
  let entries: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") }
  defer { for entry in entries { free(entry) } }
  var block = entries + [nil]
  return try block.withUnsafeMutableBufferPointer { try body(ProcessEnvironment(block: $0.baseAddress)) }
}

/// A folder that is removed with everything in it when `body` is done.
func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rekey-keys-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder.path)
}

func write(_ text: String, to path: String) throws {
  try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

/// A small generator with a seed (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
