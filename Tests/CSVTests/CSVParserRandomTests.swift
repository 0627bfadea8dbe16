import CSV
import Testing

/// The parser against `ReferenceReader`, on random inputs in random chunks.
struct CSVParserRandomTests {
  /// Any bytes, most of them special: nearly all of these inputs are broken somewhere.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func anyBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("ab,,;\"\"\"\n\n\r\0\\".utf8) + [0xEF, 0xBB, 0xBF, 0xFF]
    for _ in 0..<50 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
      try compare(bytes, chunk: Int.random(in: 1...20, using: &random), seed)
    }
  }

  /// Well-formed records, quoted and not, with lengths around the eight bytes that are scanned at once.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func wellFormed(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let columns = Int.random(in: 1...6, using: &random)
    let lineEnd = ["\n", "\r\n", "\r"].randomElement(using: &random)!
    var input = Bool.random(using: &random) ? "\u{FEFF}" : ""
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      let fields = (0..<columns).map { _ in
        let length = Int.random(in: 0...25, using: &random)
        let isQuoted = Int.random(in: 0..<3, using: &random) == 0
        let letters = isQuoted ? ["a", "é", ",", "\"\"", "\n", "\r\n", "\r"] : ["a", "b", "é", "x\"", "'"]
        let value = (0..<length).map { _ in letters.randomElement(using: &random)! }.joined()
        return isQuoted ? "\"\(value)\"" : value
      }
      input += fields.joined(separator: ",") + lineEnd
      if Int.random(in: 0..<10, using: &random) == 0 { input += lineEnd }
    }
    if Bool.random(using: &random) { input.removeLast() }
    try compare(Array(input.utf8), chunk: Int.random(in: 1...200, using: &random), seed)
  }

  private func compare(_ bytes: [UInt8], chunk: Int, _ seed: UInt64) throws {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return }
    var reference = ReferenceReader(bytes, delimiter: UInt8(ascii: ","))
    let expected = reference.records()
    do {
      let records = try parse(bytes, ragged: .pass, chunk: chunk)
      #expect(expected.failure == nil, "seed \(seed), chunks of \(chunk)")
      #expect(records.map(\.raw) == expected.records.map { text($0.raw) }, "seed \(seed), chunks of \(chunk)")
      #expect(
        records.map(\.values) == expected.records.map { $0.values.map { text($0) } },
        "seed \(seed), chunks of \(chunk)")
    } catch let error as CSVError {
      switch expected.failure {
      case .unterminatedQuote(let byte):
        #expect(error.problem == .unterminatedQuote && error.byte == byte, "seed \(seed), chunks of \(chunk)")
      case .textAfterQuote(let byte):
        guard case .textAfterQuote = error.problem, error.byte == byte else {
          Issue.record("\(error) where text after a quote at \(byte) was expected; seed \(seed), chunks of \(chunk)")
          return
        }
      case nil:
        Issue.record("\(error) where none was expected; seed \(seed), chunks of \(chunk)")
      }
      #expect(error.row == expected.records.count + 1, "seed \(seed), chunks of \(chunk)")
    }
  }
}
