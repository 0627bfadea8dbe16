import Testing

@testable import RekeyKit

@Suite struct ArgumentsTests {
  private static func options(_ mode: SweepMode, _ change: (inout SweepOptions) -> Void = { _ in }) -> SweepOptions {
    var options = SweepOptions(mode: mode)
    change(&options)
    return options
  }

  private static let understood: [(line: String, command: Command)] = [
    ("run a.yaml", .sweep(options(.run), files: ["a.yaml"], json: false)),
    ("run a.yaml --json b.yaml", .sweep(options(.run), files: ["a.yaml", "b.yaml"], json: true)),
    ("run -- --json", .sweep(options(.run), files: ["--json"], json: false)),
    ("run -- --help", .sweep(options(.run), files: ["--help"], json: false)),
    ("run -", .sweep(options(.run), files: ["-"], json: false)),
    ("run --force a", .sweep(options(.run) { $0.force = true }, files: ["a"], json: false)),
    ("run --restart a", .sweep(options(.run) { $0.restart = true }, files: ["a"], json: false)),
    ("run --write-plaintext a", .sweep(options(.run) { $0.writePlaintext = true }, files: ["a"], json: false)),
    ("run --audit-all a", .sweep(options(.run) { $0.auditAll = true }, files: ["a"], json: false)),
    ("run --dry-run a", .sweep(options(.dryRun), files: ["a"], json: false)),
    ("run a --exit-code --dry-run", .sweep(options(.dryRun) { $0.exitCode = true }, files: ["a"], json: false)),
    ("audit a", .sweep(options(.audit), files: ["a"], json: false)),
    (
      "audit --output a --audit-all --json",
      .sweep(
        options(.audit) {
          $0.auditsOutput = true
          $0.auditAll = true
        }, files: ["a"], json: true)
    ),
    ("check a b --force", .check(files: ["a", "b"], force: true)),
    ("clean a", .clean(file: "a")),
    ("inspect", .inspect(pipeline: nil, reveal: false)),
    ("inspect --pipeline a", .inspect(pipeline: "a", reveal: false)),
    ("inspect --reveal --pipeline=a=b", .inspect(pipeline: "a=b", reveal: true)),
    ("", .help(.main)),
    ("-h", .help(.main)),
    ("--help", .help(.main)),
    ("help", .help(.main)),
    ("help help", .help(.main)),
    ("help version", .help(.main)),
    ("help audit", .help(.audit)),
    ("run --nope -h", .help(.run)),
    ("inspect --help", .help(.inspect)),
    ("version", .version),
    ("--version", .version),
  ]

  @Test(arguments: understood)
  func understands(line: String, command: Command) throws {
    #expect(try Arguments.parse(line.split(separator: " ").map(String.init)) == command)
  }

  private static let refused: [(line: String, message: String, topic: Help.Topic)] = [
    ("rnu a", "unknown command 'rnu'; did you mean 'run'?", .main),
    ("frobnicate", "unknown command 'frobnicate'", .main),
    ("main", "unknown command 'main'", .main),
    ("help nothing", "unknown command 'nothing'", .main),
    ("--jsn", "unknown option '--jsn'", .main),
    ("run", "name a pipeline file", .run),
    ("run --dryrun a", "unknown option '--dryrun'; did you mean '--dry-run'?", .run),
    ("run --output a", "unknown option '--output'", .run),
    ("run --force=yes a", "--force takes no value", .run),
    ("run a b a", "a is named twice", .run),
    (
      "run --exit-code a", "--exit-code goes with --dry-run: a run leaves no value behind to report", .run
    ),
    ("run --restart --dry-run a", "--restart doesn't go with --dry-run, which keeps no state", .run),
    ("audit --output", "name a pipeline file", .audit),
    ("audit --dry-run a", "unknown option '--dry-run'", .audit),
    ("check --", "name a pipeline file", .check),
    ("clean", "name a pipeline file", .clean),
    ("clean a b", "clean takes one pipeline file", .clean),
    ("inspect payload", "inspect reads a payload from standard input, not from arguments", .inspect),
    ("inspect --pipeline", "--pipeline needs a value", .inspect),
    ("inspect --pipeline=", "--pipeline needs a value", .inspect),
    ("inspect --reveal", "--reveal needs --pipeline FILE, which says where the keys are", .inspect),
  ]

  @Test(arguments: refused)
  func refuses(line: String, message: String, topic: Help.Topic) {
    #expect(throws: UsageError(message: message, topic: topic)) {
      try Arguments.parse(line.split(separator: " ").map(String.init))
    }
  }

  @Test func showsNoControlCharacters() {
    #expect(throws: UsageError(message: "unknown command 'a\\u{1b}[31m'", topic: .main)) {
      try Arguments.parse(["a\u{1b}[31m"])
    }
  }

  @Test(arguments: Help.Topic.allCases)
  func helpFitsAScreenAndNamesEveryOption(topic: Help.Topic) {
    let lines = Help.text(topic).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 24)
    #expect(lines.allSatisfy { $0.count <= 120 })
    for option in topic.options.keys { #expect(Help.text(topic).contains(option)) }
    #expect(topic == .main || Help.text(topic).contains("\nExample: rekey \(topic.rawValue) "))
  }
}
