import LaravelEncryption
import YAML

extension Config {
  /// Reads a pipeline file and opens nothing that it names.
  ///
  /// ```swift
  /// switch Config.read(bytes, file: "rotate.yaml", environment: { environment[$0] }) {
  /// case .success(let config): …
  /// case .failure(let invalid): print(invalid)  // every problem, with its line and a caret
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - file: the name to show, and the source of the pipeline's name where it gives none.
  ///   - environment: the value of a variable, nil if it isn't set.
  package static func read(
    _ bytes: [UInt8], file: String, environment: @escaping (String) -> String?
  ) -> Result<Config, InvalidConfig> {
    var reader = ConfigReader(file: PipelineFile(name: file, bytes: bytes), environment: environment)
    if let config = reader.pipeline(bytes), reader.problems.isEmpty { return .success(config) }
    // What stands behind an anchor is read once for each alias.
    var problems: [Problem] = []
    for problem in reader.problems where !problems.contains(problem) { problems.append(problem) }
    return .failure(InvalidConfig(file: reader.file, problems: problems))
  }
}

/// Every problem of a pipeline file.
package struct InvalidConfig: Error, CustomStringConvertible {
  package var file: PipelineFile
  package var problems: [Problem]

  package var description: String { file.render(problems) }
}

extension ConfigReader {
  private static let known = [
    "name", "keys", "cipher", "operation", "verify", "source", "tables", "columns", "sink", "audit", "state", "limits",
  ]

  mutating func pipeline(_ bytes: [UInt8]) -> Config? {
    guard let document = document(bytes) else { return nil }
    guard let node = document.root else {
      report("the file is empty", at: Mark(line: 1, column: 1), hint: "docs/pipeline-file.md shows a whole one")
      return nil
    }
    hideSecrets(document, node)
    for duplicate in document.duplicates { reportDuplicate(duplicate) }
    guard let root = fields(node, of: "a pipeline file", known: Self.known, extensions: true) else { return nil }

    let chosen: Config.Operation? = root["operation"].map { choice($0, "operation") } ?? .rekey
    operation = chosen ?? .rekey
    let name = root["name"].map { pipelineName($0) } ?? defaultName
    let cipher =
      root["cipher"].map { self.cipher($0, "cipher", among: Cipher.allCases.filter(\.canSeal)) } ?? Cipher.aes256CBC
    let keys = required("keys", in: root, of: "the pipeline").flatMap { self.keys($0, cipher: cipher) }
    let verify = root["verify"].map { bool($0, "verify") } ?? true
    let input = self.input(root)
    let output = self.output(root)
    let audit = optional(root["audit"]) { self.audit($0) }
    let state = root["state"].map { self.state($0) } ?? defaultState(output, root)
    let limits = root["limits"].map { self.limits($0) } ?? Config.Limits()

    checkSink(output, input, at: root["sink"]?.start ?? root.mark)
    checkState(state, output, at: root.keyMark("state"))
    checkAudit(audit ?? nil, input, output)
    checkStandardInput(keys, input)
    guard let name, let keys, let verify, let input, let output, let audit, let state, let limits else { return nil }
    return Config(
      file: file, name: name, keys: keys, operation: operation, verify: verify, input: input, output: output,
      audit: audit, state: state, limits: limits)
  }

  private mutating func document(_ bytes: [UInt8]) -> YAMLDocument? {
    do throws(YAMLError) {
      let document = try YAMLDocument(parsing: bytes)
      file.showLongWords()
      return document
    } catch {
      let hint = file.line(of: error.mark, hasBeforeIt: "${") ? "put \"${NAME}\" in quotes inside { } and [ ]" : nil
      report(error.message, at: error.mark, hint: hint)
      return nil
    }
  }

  private mutating func hideSecrets(_ document: YAMLDocument, _ root: Node) {
    for duplicate in document.duplicates { file.hide(duplicate.value.start, duplicate.value.end) }
    guard case .mapping(let pairs) = root.content else {
      file.hide(root.start, root.end)
      return
    }
    for pair in pairs where pair.key.text == "keys" { hideKeys(pair.value) }
  }

  private mutating func reportDuplicate(_ duplicate: YAMLDocument.Duplicate) {
    let shown = duplicate.key.text.count < 16 ? "key '\(duplicate.key.text)'" : "a key"
    report(
      "\(shown) stands here a second time", at: duplicate.key.start,
      hint: "the first is on line \(duplicate.first.line)")
  }

  private mutating func pipelineName(_ node: Node) -> String? {
    guard let name = text(node, "name") else { return nil }
    guard name.value.count <= 100,
      !name.value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      mismatch(node, "name must be at most 100 characters on one line")
      return nil
    }
    return name.value
  }

  /// The file's name without folder and extension.
  private var defaultName: String {
    let base = file.name.split(separator: "/").last.map(String.init) ?? file.name
    for ending in [".yaml", ".yml"] where base.hasSuffix(ending) && base.count > ending.count {
      return String(base.dropLast(ending.count))
    }
    return base
  }

  private func defaultState(_ output: Config.Output?, _ root: Fields) -> Config.State {
    guard case .inPlace = output else { return .disabled }
    return .schema(Located("rekey", at: root.keyMark("sink")))
  }
}
