import LaravelEncryption

/// A pipeline whose source and sink are open and checked; nothing of them has changed yet.
struct OpenPipeline: Sendable {
  /// Which database is behind it.
  struct Database: Equatable, Sendable {
    /// Host, port, database and user, as messages name them.
    var place: String
    var name: String
    var role: String
  }

  var config: Config
  var keys: ResolvedKeys
  var units: [any SweepUnit]
  /// Tables that are written in place, with checkpoints if the pipeline keeps state.
  var database: Database?
  var warnings: [Problem] = []

  /// Whether a run keeps its checkpoints in the database.
  var stateSchema: String? {
    guard case .inPlace = config.output, case .schema(let name) = config.state else { return nil }
    return name.value
  }

  /// Whether a run's rows go to standard output.
  var writesStandardOutput: Bool {
    if case .csv(let path) = config.output { path.value == "-" } else { false }
  }

  var fingerprints: [String] { keys.entries.map(\.key.fingerprint) }
}
