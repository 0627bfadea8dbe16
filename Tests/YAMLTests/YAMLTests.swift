import Testing
import YAML

@Suite struct ReadingYAML {
  @Test(arguments: [
    ("a: 1\nb: [x, 'y', \"z\"]\n", "{a: 1, b: [x, 'y', 'z']}"),
    ("- a\n-\n- ~\n", "[a, , ~]"),
    ("text: |\n  one\n  two\nfolded: >-\n  one\n  two\n", "{text: 'one\ntwo\n', folded: 'one two'}"),
    ("a: !!str 5\n", "{a: '5'}"),
    ("a: \"tab\\there \\u00e9\"\n", "{a: 'tab\there é'}"),
    ("\u{FEFF}a: b\r\nc: d", "{a: b, c: d}"),
    ("%YAML 1.2\n---\na: b\n...\n", "{a: b}"),
    ("{a: {b: c}}", "{a: {b: c}}"),
    ("a: # comment\n  - b # comment\n", "{a: [b]}"),
  ])
  func `reads what the text says`(text: String, expected: String) throws {
    #expect(try parse(text).root.map { outline($0) } == expected)
  }

  @Test(arguments: ["", "# only a comment\n", "\u{FEFF}", "\n\n"])
  func `an empty file has no root`(text: String) throws {
    #expect(try parse(text).root == nil)
  }

  @Test func `marks count lines and characters from 1`() throws {
    let root = try #require(try parse("\u{FEFF}é: [ü, 日本, x]\r\nb:\r\n  c: d\n").root)
    #expect(outline(root, marks: true) == "{é@1:1: [ü@1:5, 日本@1:8, x@1:12]@1:4, b@2:1: {c@3:3: d@3:6}@3:3}@1:1")
  }

  @Test(arguments: [("~", true), ("null", true), ("", true), ("'null'", false), ("nil", false), ("!!str null", false)])
  func `null is plain`(text: String, isNull: Bool) throws {
    let root = try #require(try parse("a: \(text)\n").root)
    guard case .mapping(let pairs) = root.content, case .scalar(let scalar) = pairs[0].value.content else {
      Issue.record("no scalar")
      return
    }
    #expect(scalar.isNull == isNull)
  }
}

@Suite struct AliasesAndMerges {
  @Test(arguments: [
    ("a: &x [1, 2]\nb: *x\n", "{a: [1, 2], b: [1, 2]}"),
    ("a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: 2}"),
    ("base: &b {p: 1, q: 2}\nuse: {<<: *b, q: 3}\n", "{base: {p: 1, q: 2}, use: {q: 3, p: 1}}"),
    ("base: &b {p: 1}\nuse: {q: 3, <<: *b}\n", "{base: {p: 1}, use: {q: 3, p: 1}}"),
    ("use: {<<: [{p: 1}, {p: 2, q: 2}], r: 3}\n", "{use: {r: 3, p: 1, q: 2}}"),
    ("use: {'<<': {p: 1}}\n", "{use: {<<: {p: 1}}}"),
  ])
  func `stand for what they name`(text: String, expected: String) throws {
    #expect(try parse(text).root.map { outline($0) } == expected)
  }

  @Test func `an alias has its own mark, what lies inside that of the definition`() throws {
    let root = try #require(try parse("a: &x [1]\nb: *x\n").root)
    #expect(outline(root, marks: true) == "{a@1:1: [1@1:8]@1:4, b@2:1: [1@1:8]@2:4}@1:1")
  }

  @Test func `a bomb of aliases is refused`() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      let aliases = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(failure(Array(text.utf8)) == "5:45: more than 100000 values, aliases counted as what they stand for")
  }

  @Test(arguments: [
    ("a: &x [*x]\n", "1:8: the alias stands inside what it stands for"),
    ("a: *x\n", "1:4: no anchor of this name stands before it"),
    ("use: {<<: 3}\n", "1:11: << merges a mapping or a list of mappings"),
    ("use:\n  <<: [{a: 1}, b]\n", "2:16: << merges a mapping or a list of mappings"),
  ])
  func `are refused where they name nothing useful`(text: String, expected: String) {
    #expect(failure(Array(text.utf8)) == expected)
  }

  @Test func `duplicate keys are collected and the first counts`() throws {
    let document = try parse("a: 1\nb: {c: 1, c: 2}\na: 3\n<<: {}\n<<: {}\n")
    #expect(document.root.map { outline($0) } == "{a: 1, b: {c: 1}}")
    let found = document.duplicates.map { "\($0.key.text) \($0.key.start.line) after \($0.first.line)" }
    #expect(found == ["c 2 after 2", "a 3 after 1", "<< 5 after 4"])
  }
}

@Suite struct RefusingYAML {
  @Test(arguments: [
    ("a: 1\n\tb: 2\n", "2:1: a tab can't indent YAML; use spaces"),
    (
      "a:\n  b: 1\n c: 2\n",
      "3:2: did not find expected key while parsing a block mapping that starts at line 1, column 1"
    ),
    ("a: b: c\n", "1:5: mapping values are not allowed in this context"),
    ("a: @b\n", "1:4: this character can't start a value in YAML; put the value in quotes"),
    ("a: \"b\n", "2:1: found unexpected end of stream while scanning a quoted scalar that starts at line 1, column 4"),
    (
      "a: [b\nc: d\n",
      "2:2: did not find expected ',' or ']' while parsing a flow sequence that starts at line 1, column 4"
    ),
    ("a: 1\n---\nb: 2\n", "2:1: a second document starts here; write one pipeline in a file"),
    ("? [a]\n: b\n", "1:3: a key must be text, not a list or a mapping"),
    ("a: !!int 5\n", "1:4: tags are not supported; remove it"),
    ("a: !ruby/object {}\n", "1:4: tags are not supported; remove it"),
    ("a: \"x\\0y\"\n", "1:4: the text contains a NUL character"),
    ("a: b\u{7}\n", "1:5: the character U+0007 is not allowed in YAML; remove it"),
    ("é: \u{FEFF}\n", "1:4: the character U+FEFF is not allowed in YAML; remove it"),
  ])
  func `says where and why`(text: String, expected: String) {
    #expect(failure(Array(text.utf8)) == expected)
  }

  @Test(
    arguments: [
      ([0x61, 0x3A, 0x20, 0xE9, 0x0A], "1:4"),
      ([0x61, 0x0A, 0xC3], "2:1"),
      ([0xC0, 0xAF], "1:1"),
      ([0x61, 0xED, 0xA0, 0x80], "1:2"),
      ([0x61, 0xF4, 0x90, 0x80, 0x80], "1:2"),
      ([0x61, 0xE0, 0x80, 0x80], "1:2"),
    ] as [([UInt8], String)])
  func `what is not UTF-8 is refused at its place`(bytes: [UInt8], place: String) {
    #expect(failure(bytes) == "\(place): the file is not UTF-8 here; save it as UTF-8")
  }

  @Test(arguments: [[0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61]] as [[UInt8]])
  func `UTF-16 is refused by name`(bytes: [UInt8]) {
    #expect(failure(bytes) == "1:1: the file is UTF-16; save it as UTF-8")
  }

  @Test func `depth is limited`() throws {
    let open = String(repeating: "[", count: 64)
    let close = String(repeating: "]", count: 64)
    #expect(try parse(open + close).root != nil)
    #expect(failure(Array("[\(open)\(close)]".utf8)) == "1:65: nested deeper than 64 levels")
  }
}

@Suite struct MutatedYAML {
  private static let seedText = """
    name: rotate
    keys: &keys
      current: env:APP_KEY
      previous: [ "a", 'b', { key: file:x, cipher: AES-128-CBC } ]
    tables:
      public.users: { columns: { secret: , other: { plaintext: leave } } }
      '"x.y".z':
        <<: *keys
        where: |
          id > 5
    """

  /// Whatever the bytes are, they are read or refused at a place that the file has.
  @Test(arguments: 0..<20) func `never crashes and errors lie inside the file`(seed: UInt64) {
    var random = SplitMix(state: seed)
    var read = 0
    for _ in 0..<200 {
      var bytes = Array(Self.seedText.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(Array("{}[]:,&*!|>'\"%@`#-? \n\t".utf8).randomElement(using: &random) ?? 0, at: at)
        case 2: bytes.remove(at: at)
        default: bytes.removeSubrange(at..<min(bytes.count, at + 20))
        }
        if bytes.isEmpty { bytes = [0x61] }
      }
      do throws(YAMLError) {
        let document = try YAMLDocument(parsing: bytes)
        read += document.root == nil ? 0 : 1
      } catch {
        let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 2
        #expect((1...lines).contains(error.mark.line) && (1...(bytes.count + 1)).contains(error.mark.column))
      }
    }
    #expect(read > 0)
  }
}

/// A small generator with a seed (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
