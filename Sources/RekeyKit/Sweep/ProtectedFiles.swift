import YAML

/// Files that a run must not write to: the pipeline's own file, its keys and its source.
struct ProtectedFiles {
  private var files: [(what: String, status: FileStatus)] = []

  init(_ config: Config) {
    add("the pipeline file", config.file.name)
    for key in [config.keys.current] + config.keys.previous {
      switch key.reference.value {
      case .file(let path), .dotenv(let path, _): add("a key's file", path)
      case .environment, .descriptor, .credential: break
      }
    }
    if case .csv(let input) = config.input { add("the source", input.path.value) }
  }

  /// What the path is, by whatever name or link it is reached; nil for a file of its own.
  func role(of path: String) -> String? {
    guard path != "-", let status = FileStatus(following: path) else { return nil }
    return files.first { $0.status.isSameFile(as: status) }?.what
  }

  private mutating func add(_ what: String, _ path: String) {
    if path != "-", let status = FileStatus(following: path) { files.append((what, status)) }
  }
}
