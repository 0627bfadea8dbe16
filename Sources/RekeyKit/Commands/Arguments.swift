/// What the command line asks for.
enum Command: Equatable, Sendable {
  case sweep(SweepOptions, files: [String], json: Bool)
  case check(files: [String], force: Bool)
  case clean(file: String)
  case inspect(pipeline: String?, reveal: Bool)
  case help(Help.Topic)
  case version
}

/// What is wrong with the command line.
struct UsageError: Error, Equatable {
  var message: String
  var topic: Help.Topic
}

/// Reads the arguments behind the program's name.
struct Arguments {
  private let topic: Help.Topic
  private var options: [String: String] = [:]
  private var files: [String] = []

  static func parse(_ arguments: [String]) throws(UsageError) -> Command {
    guard let word = arguments.first else { return .help(.main) }
    switch word {
    case "--version", "-V", "version": return .version
    case "--help", "-h": return .help(.main)
    case "help":
      guard let word = arguments.dropFirst().first, word != "help", word != "version" else { return .help(.main) }
      return .help(try topic(word))
    default: break
    }
    let topic = try topic(word)
    let rest = arguments.dropFirst()
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) { return .help(topic) }
    return try Arguments(topic, rest).command()
  }

  private static func topic(_ word: String) throws(UsageError) -> Help.Topic {
    if let topic = Help.Topic(rawValue: word), topic != .main { return topic }
    let names = Help.Topic.allCases.map(\.rawValue).filter { $0 != Help.Topic.main.rawValue }
    let hint = suggestion(for: word, among: names).map { "; \($0)" } ?? ""
    let what = word.hasPrefix("-") ? "unknown option" : "unknown command"
    throw UsageError(message: "\(what) '\(printable(word))'\(hint)", topic: .main)
  }

  private init(_ topic: Help.Topic, _ arguments: ArraySlice<String>) throws(UsageError) {
    self.topic = topic
    var rest = arguments
    while let argument = rest.popFirst() {
      if argument == "--" {
        files += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        files.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let takesValue = topic.options[parts[0]] else {
        let hint = suggestion(for: parts[0], among: topic.options.keys.sorted()).map { "; \($0)" } ?? ""
        throw UsageError(message: "unknown option '\(printable(parts[0]))'\(hint)", topic: topic)
      }
      if takesValue {
        guard let value = parts.count > 1 ? parts[1] : rest.popFirst(), !value.isEmpty else {
          throw UsageError(message: "\(parts[0]) needs a value", topic: topic)
        }
        options[parts[0]] = value
      } else {
        guard parts.count == 1 else { throw UsageError(message: "\(parts[0]) takes no value", topic: topic) }
        options[parts[0]] = ""
      }
    }
  }

  private func has(_ option: String) -> Bool { options[option] != nil }

  private func command() throws(UsageError) -> Command {
    switch topic {
    case .run: return .sweep(try runOptions(), files: try someFiles(), json: has("--json"))
    case .audit:
      var options = SweepOptions(mode: .audit)
      options.auditAll = has("--audit-all")
      options.auditsOutput = has("--output")
      return .sweep(options, files: try someFiles(), json: has("--json"))
    case .check: return .check(files: try someFiles(), force: has("--force"))
    case .clean:
      let files = try someFiles()
      guard files.count == 1 else { throw UsageError(message: "clean takes one pipeline file", topic: .clean) }
      return .clean(file: files[0])
    case .inspect:
      guard files.isEmpty else {
        throw UsageError(message: "inspect reads a payload from standard input, not from arguments", topic: .inspect)
      }
      if has("--reveal") && !has("--pipeline") {
        throw UsageError(message: "--reveal needs --pipeline FILE, which says where the keys are", topic: .inspect)
      }
      return .inspect(pipeline: options["--pipeline"], reveal: has("--reveal"))
    case .main: return .help(.main)
    }
  }

  private func runOptions() throws(UsageError) -> SweepOptions {
    var options = SweepOptions(mode: has("--dry-run") ? .dryRun : .run)
    options.force = has("--force")
    options.restart = has("--restart")
    options.writePlaintext = has("--write-plaintext")
    options.auditAll = has("--audit-all")
    options.exitCode = has("--exit-code")
    if options.exitCode && options.mode == .run {
      throw UsageError(message: "--exit-code goes with --dry-run: a run leaves no value behind to report", topic: .run)
    }
    if options.restart && options.mode == .dryRun {
      throw UsageError(message: "--restart doesn't go with --dry-run, which keeps no state", topic: .run)
    }
    return options
  }

  private func someFiles() throws(UsageError) -> [String] {
    guard !files.isEmpty else { throw UsageError(message: "name a pipeline file", topic: topic) }
    if let file = files.first(where: { file in files.filter { $0 == file }.count > 1 }) {
      throw UsageError(message: "\(printable(file)) is named twice", topic: topic)
    }
    return files
  }
}
