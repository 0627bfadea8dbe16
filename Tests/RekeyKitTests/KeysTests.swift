import LaravelEncryption
import Testing
import YAML

@testable import RekeyKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

private let keyA = "base64:QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE="
private let keyB = "base64:QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI="
private let keyC = "base64:Q0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0M="
private let rawA = String(repeating: "A", count: 32)

@Suite struct ResolvingKeys {
  /// Each key's place and which of the three it is; or the problems; warnings after a bar.
  private func resolve(
    current: String, previous: String = "[]", environment: [String: String] = [:], cipher: String = "AES-256-CBC"
  ) throws -> String {
    let text = """
      keys:
        current: \(current)
        previous: \(previous)
      operation: decrypt
      cipher: \(cipher)
      source: { csv: { path: in.csv } }
      columns: [secret]
      sink: { csv: { path: out.csv } }
      """
    return try withEnvironment(environment) { environment in
      switch try read(text).get().resolveKeys(environment) {
      case .failure(let invalid): return shown(invalid.problems)
      case .success(let keys):
        #expect(keys.ring.all.map(\.fingerprint) == keys.entries.map(\.key.fingerprint))
        let places = try keys.entries.map { "\($0.place)=\(try name($0.key))" }.joined(separator: " ")
        let warnings = keys.warnings.filter { !$0.message.hasPrefix("the keys can't be locked") }
        return places + (warnings.isEmpty ? "" : " | " + shown(warnings))
      }
    }
  }

  private func shown(_ problems: [Problem]) -> String {
    problems.map { "\($0.mark.line):\($0.mark.column) \($0.severity.rawValue): \($0.message)" }.joined(separator: "\n")
  }

  private func name(_ key: AppKey) throws -> String {
    for (name, text) in [("A", keyA), ("B", keyB), ("C", keyC)] {
      let known = try Array(text.utf8).withUnsafeBytes { try AppKey.parse($0, cipher: .aes256CBC) }
      if known.hasSameBytes(as: key) { return name }
    }
    return "?"
  }

  @Test func `from every place`() throws {
    try withFolder { folder in
      try write("\(keyA)\n", to: "\(folder)/key")
      try write("APP_NAME=x\nOLD=\(keyB)\nAPP_KEY=\"${OLD}\"\n", to: "\(folder)/.env")
      try write(rawA, to: "\(folder)/raw")
      #expect(try resolve(current: "env:K", environment: ["K": keyA]) == "current=A")
      #expect(try resolve(current: "env:K", environment: ["K": "'\(keyA)'"]) == "current=A")
      #expect(try resolve(current: "file:\(folder)/key") == "current=A")
      #expect(try resolve(current: "file:\(folder)/raw") == "current=A")
      #expect(try resolve(current: "dotenv:\(folder)/.env#APP_KEY") == "current=B")
      #expect(try resolve(current: "credential:key", environment: ["CREDENTIALS_DIRECTORY": folder]) == "current=A")
      let descriptor = open("\(folder)/key", O_RDONLY)
      defer { close(descriptor) }
      #expect(try resolve(current: "fd:\(descriptor)") == "current=A")
      #expect(try resolve(current: "fd:\(descriptor)") == "2:12 error: keys.current: fd:\(descriptor) is empty")
    }
  }

  @Test func `a comma list gives several previous keys`() throws {
    try withFolder { folder in
      try write("APP_PREVIOUS_KEYS=\(keyB),,0,\(keyC),\n", to: "\(folder)/.env")
      let list = "dotenv:\(folder)/.env#APP_PREVIOUS_KEYS"
      let environment = ["K": keyA]
      #expect(
        try resolve(current: "env:K", previous: "['\(list)']", environment: environment)
          == "current=A previous[0]=B previous[1]=C")
      let problem = try resolve(current: list)
      #expect(problem.hasPrefix("2:12 error: keys.current: the key has "))
      #expect(problem.hasSuffix(": two keys joined by a comma? list each key by itself"))
    }
  }

  @Test func `a raw key may hold a comma`() throws {
    let raw = String(repeating: "x,", count: 16)
    #expect(
      try resolve(current: "env:K", previous: "[env:OLD]", environment: ["K": raw, "OLD": raw.uppercased()])
        == "current=? previous[0]=?")
  }

  @Test func `space around an entry is reported`() throws {
    let environment = ["K": keyA, "LIST": "\(keyB) , \(keyC)"]
    #expect(
      try resolve(current: "env:K", previous: "[env:LIST]", environment: environment)
        == "3:14 error: keys.previous[1] (number 2 in the list): the key has 52 bytes, but AES-256-CBC needs 32: there is white space around it; remove it"
    )
    #expect(
      try resolve(current: "env:K", previous: "[env:LIST]", environment: ["K": keyA, "LIST": "\(keyB) ,\(keyC)"])
        == "current=A previous[0]=B previous[1]=C | 3:14 warning: keys.previous[0] (number 1 in the list): white space stands around the key, which Laravel takes as part of it; remove it"
    )
  }

  @Test func `equal keys`() throws {
    let environment = ["K": keyA, "SAME": rawA, "OLD": keyB, "OLD2": keyB]
    #expect(
      try resolve(current: "env:K", previous: "[env:OLD, env:SAME]", environment: environment)
        .hasSuffix("is the current key with the same cipher; remove it, or check what changed"))
    #expect(
      try resolve(current: "env:K", previous: "[{ key: env:K, cipher: AES-256-GCM }]", environment: environment)
        == "current=A previous[0]=A")
    let twice = try resolve(current: "env:K", previous: "[env:OLD, env:OLD2]", environment: environment)
    #expect(twice.hasPrefix("current=A previous[0]=B previous[1]=B | 3:23 warning: keys.previous[1] ("))
    #expect(twice.hasSuffix(") is the same as keys.previous[0]; remove it"))
  }

  @Test func `every problem is reported at its reference`() throws {
    try withFolder { folder in
      try write("APP_KEY=\nAPP_KEI=x\n", to: "\(folder)/.env")
      try write("A=b c\n", to: "\(folder)/broken")
      try write("B=\"x\nAPP_KEY=y\n", to: "\(folder)/unclosed")
      try write("null", to: "\(folder)/empty")
      let references = [
        "env:NOPE", "file:\(folder)/none", "file:\(folder)", "dotenv:\(folder)/.env#APP_KEYS",
        "dotenv:\(folder)/.env#APP_KEY", "dotenv:\(folder)/broken#A", "dotenv:\(folder)/unclosed#APP_KEY",
        "credential:x", "fd:999", "env:SHORT", "env:NULL",
      ]
      let list = "\n" + references.map { "    - \($0)" }.joined(separator: "\n")
      let environment = ["SHORT": "base64:QUFB", "NULL": "(null)"]
      let result = try resolve(current: "env:MISSING", previous: list, environment: environment)
      #expect(
        result.replacing(folder, with: "F") == """
          2:12 error: keys.current: environment variable 'MISSING' is not set
          4:7 error: keys.previous[0]: environment variable 'NOPE' is not set
          5:7 error: keys.previous[1]: can't open 'F/none': no such file or directory
          6:7 error: keys.previous[2]: can't read 'F': is a directory
          7:7 error: keys.previous[3]: F/.env has no 'APP_KEYS'; did you mean 'APP_KEY'?
          8:7 error: keys.previous[4]: dotenv:F/.env#APP_KEY is empty
          9:7 error: keys.previous[5]: F/broken:1: text follows white space or a closing quote; put the whole value in quotes (Laravel can't read this file either)
          10:7 error: keys.previous[6]: F/unclosed has no 'APP_KEY'; the double quote that opens on line 1 is not closed, so Laravel drops what follows
          11:7 error: keys.previous[7]: CREDENTIALS_DIRECTORY is not set; run as a systemd unit with LoadCredential=x:PATH
          12:7 error: keys.previous[8]: can't read file descriptor 999: bad file descriptor
          13:7 error: keys.previous[9]: the key has 3 bytes, but AES-256-CBC needs 32: check that the whole key was copied
          14:7 error: keys.previous[10]: env:NULL is empty
          """)
    }
  }

  @Test func `old ciphers are for previous keys`() throws {
    let old = String(repeating: "o", count: 24)
    #expect(
      try resolve(
        current: "env:K",
        previous: "[{ key: env:OLD, cipher: aes-192-cbc }, { key: env:OLD, cipher: mcrypt-rijndael-128 }]",
        environment: ["K": keyA, "OLD": old]) == "current=A previous[0]=? previous[1]=?")
  }

  @Test func `a variable is overwritten once its key is read, others are left`() throws {
    try withEnvironment(["K": keyA, "OTHER": "x"]) { environment in
      let fetcher = KeyFetcher(environment: environment)
      let key = try fetcher.fetch(.environment(name: "K"))
      #expect(string(key) == keyA)
      #expect(environment["K"] == keyA)
      environment.overwriteKeys()
      #expect(environment["K"] == "" && environment["OTHER"] == "x")
    }
  }
}

@Suite struct HoldingSecrets {
  @Test func `a buffer grows across pages and keeps its bytes`() {
    let secret = SecretBuffer(capacity: 1)
    var expected: [UInt8] = []
    for index in 0..<10_000 {
      secret.append(UInt8(truncatingIfNeeded: index))
      expected.append(UInt8(truncatingIfNeeded: index))
    }
    expected.withUnsafeBytes { secret.append($0) }
    #expect(
      secret.append(room: 3) {
        $0.copyBytes(from: [1, 2])
        return 2
      } == 2)
    #expect(secret.append(room: 3) { _ in -1 } == -1)
    #expect(secret.withBytes { Array($0) } == expected + expected + [1, 2])
  }

  @Test func `clearing leaves nothing`() {
    var bytes: [UInt8] = [1, 2, 3, 4]
    bytes.withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { clear(start, 3) }
    }
    #expect(bytes == [0, 0, 0, 4])
  }

  @Test func `a file that is too large for a key is refused`() throws {
    try withFolder { folder in
      try write(String(repeating: "x", count: 2 << 20), to: "\(folder)/big")
      withEnvironment([:]) { environment in
        do throws(KeyFetcher.Failure) {
          _ = try KeyFetcher(environment: environment).fetch(.file(path: "\(folder)/big"))
          Issue.record("not refused")
        } catch {
          #expect(error.reason == "'\(folder)/big' is larger than 1 MiB; is it the right file?")
        }
      }
    }
  }
}
