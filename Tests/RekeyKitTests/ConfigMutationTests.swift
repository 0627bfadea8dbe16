import RekeyKit
import Testing
import YAML

/// Pipelines with a pasted key and random damage: read or refused, and the key never shown.
@Suite struct MutatedPipelines {
  private static let secrets = [
    "base64:Zq3x9Rw7Lk2m8VtBZq3x9Rw7Lk2m8VtB0000000=", "Zq3x9Rw7Lk2m8VtB", "a Zq3x9Rw7Lk2m8VtB",
  ]

  private static let text = """
    name: rotate
    keys:
      current: §
      previous:
        - env:OLD
        - { key: §, cipher: AES-128-CBC }
    source: { postgres: { url: "postgres://${HOST}/app" } }
    tables:
      public.users:
        columns: { secret: , other: { plaintext: leave } }
        where: id > 5
    sink: in_place
    audit: { path: audit/x.jsonl }
    limits: { batch_rows: 10, batch_bytes: 4MiB, workers: auto }
    """

  @Test(arguments: 0..<12) func `are refused without showing the key`(seed: UInt64) throws {
    var random = Seeded(state: seed)
    let secret = Self.secrets[Int(seed) % Self.secrets.count]
    let inserts = [
      "{", "}", "[", "]", ":", ": ", ",", "&a ", "*a ", "! ", "|", "'", "\"", "#", " #", "- ", "\n", " ", "\t", "x",
    ]
    for _ in 0..<150 {
      var pieces = Self.text.map(String.init)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let at = Int.random(in: 0..<pieces.count, using: &random)
        if pieces[at] == "§" { continue }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: pieces[at] = inserts.randomElement(using: &random) ?? ""
        case 1: pieces[at] += inserts.randomElement(using: &random) ?? ""
        case 2: pieces[at] = ""
        default: pieces.swapAt(at, max(0, at - 1))
        }
      }
      let damaged = pieces.joined().replacing("§", with: secret)
      let shown = problems(damaged)
      #expect(!shown.contains("Zq3x9Rw7Lk2m8VtB"), "\(damaged)")
    }
  }

  /// Damage to a good pipeline is found or harmless; the places of problems lie in the file.
  @Test(arguments: 0..<6) func `have their problems inside the file`(seed: UInt64) throws {
    var random = Seeded(state: seed)
    let good = Self.text.replacing("§", with: "env:KEY")
    var accepted = 0
    for _ in 0..<200 {
      var bytes = Array(good.utf8)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        if Bool.random(using: &random) {
          bytes[at] = UInt8.random(in: 0x20...0x7E, using: &random)
        } else {
          bytes.remove(at: at)
        }
      }
      switch Config.read(bytes, file: "x.yaml", environment: { $0 == "HOST" ? "db" : nil }) {
      case .success: accepted += 1
      case .failure(let invalid):
        #expect(!invalid.problems.isEmpty)
        let lines = bytes.count { $0 == 0x0A } + 2
        for problem in invalid.problems { #expect((1...lines).contains(problem.mark.line)) }
      }
    }
    #expect(accepted > 0 && accepted < 200)
  }

  @Test func `an error behind an anchor is reported once`() {
    let text = csvPipeline.replacing(
      "columns: [secret]", with: "x-c: &c { a: { plaintext: no } }\ncolumns: { <<: [*c, *c], b: }")
    #expect(
      problems(text)
        == "5:27: error: plaintext must be leave, encrypt or fail\n  x-c: &c { a: { plaintext: no } }\n                            ^"
    )
  }
}
