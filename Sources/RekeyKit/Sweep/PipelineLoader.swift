import Pipeline

/// Reads pipeline files and their keys, and opens what they name: everything that comes before the first row.
struct PipelineLoader {
  let options: SweepOptions
  let environment: ProcessEnvironment
  var onlyChecks = false

  /// What is wrong with the files, ready to be shown; the worst kind of it.
  struct Failed: Error {
    var messages: [String]
    var exitCode: Int32
  }

  /// All files' problems at once; nothing is opened before every file is right in itself.
  func load(_ files: [String]) throws(Failed) -> [OpenPipeline] {
    let configs = try collect(files) { try read($0).get() }
    try refuseTwins(configs)
    let withKeys: [(Config, ResolvedKeys)]
    do throws(Failed) {
      withKeys = try collect(configs) { config in (config, try config.resolveKeys(environment).get()) }
    } catch {
      environment.overwriteKeys()
      throw error
    }
    environment.overwriteKeys()
    return try collect(withKeys) { config, keys in
      var opener = PipelineOpener(config, keys: keys, options: options, onlyChecks: onlyChecks)
      return try opener.open().get()
    }
  }

  private func collect<Input, Output>(
    _ inputs: [Input], _ body: (Input) throws -> Output
  ) throws(Failed) -> [Output] {
    var outputs: [Output] = []
    var messages: [String] = []
    var codes: [Int32] = []
    for input in inputs {
      do {
        outputs.append(try body(input))
      } catch let error as InvalidConfig {
        messages.append(error.description)
        codes.append(ExitCode.usage)
      } catch let error as RekeyError {
        messages.append("rekey: error: \(error.message)")
        codes.append(error.kind.exitCode)
      } catch {
        messages.append("rekey: error: \(error)")
        codes.append(ExitCode.fatal)
      }
    }
    guard messages.isEmpty else { throw Failed(messages: messages, exitCode: ExitCode.worst(codes)) }
    return outputs
  }

  func read(_ file: String) throws -> Result<Config, InvalidConfig> {
    let bytes: [UInt8]
    do throws(RekeyError) {
      bytes = try InputFile(path: file).readAll(limit: 4 << 20, tooLarge: "larger than 4 MiB: this is no pipeline file")
    } catch {
      throw RekeyError(.usage, error.message)
    }
    return Config.read(bytes, file: file == "-" ? "standard input" : file) { environment[$0] }
  }

  /// Two pipelines of one name would take each other's unfinished runs for their own, and of two that write one file
  /// the second would replace what the first wrote.
  private func refuseTwins(_ configs: [Config]) throws(Failed) {
    for (index, config) in configs.enumerated() {
      let earlier = configs[..<index]
      if let twin = earlier.first(where: { $0.name == config.name }) {
        throw twins(twin, config, "are both named '\(config.name)'")
      }
      if config.readsStandardInput, let twin = earlier.first(where: \.readsStandardInput) {
        throw twins(twin, config, "both read standard input")
      }
      if let chained = configs.first(where: { $0.name != config.name && $0.writes(theSourceOf: config) }) {
        throw twins(chained, config, "don't go together: the first writes the source of the second; run one at a time")
      }
      if let output = config.outputPath, let twin = earlier.first(where: { $0.outputPath == output }) {
        throw twins(twin, config, output == "-" ? "both write to standard output" : "both write \(output)")
      }
    }
  }

  private func twins(_ one: Config, _ other: Config, _ what: String) -> Failed {
    Failed(messages: ["rekey: error: \(one.file.name) and \(other.file.name) \(what)"], exitCode: ExitCode.usage)
  }
}

extension Config {
  fileprivate var readsStandardInput: Bool {
    if case .csv(let input) = input { input.path.value == "-" } else { false }
  }

  fileprivate func writes(theSourceOf other: Config) -> Bool {
    guard let outputPath, outputPath != "-", case .csv(let input) = other.input else { return false }
    if outputPath == input.path.value { return true }
    guard let source = FileStatus(following: input.path.value) else { return false }
    return FileStatus(following: outputPath)?.isSameFile(as: source) == true
  }

  /// The CSV file that a run writes.
  fileprivate var outputPath: String? {
    if case .csv(let path) = output { path.value } else { nil }
  }
}
