import RekeyKit

/// Reads a pipeline as `rotate.yaml` would be, in an environment of two variables.
func read(_ yaml: String) -> Result<Config, InvalidConfig> {
  let environment = ["HOST": "db.example.org", "SECRET": "hunter2", "EMPTY": ""]
  return Config.read(Array(yaml.utf8), file: "pipelines/rotate.yaml", environment: { environment[$0] })
}

/// The problems as they are printed, without the file's name; "none" if there are none.
func problems(_ yaml: String) -> String {
  guard case .failure(let invalid) = read(yaml) else { return "none" }
  return invalid.description.split(separator: "\n", omittingEmptySubsequences: false)
    .map { $0.hasPrefix("pipelines/rotate.yaml:") ? $0.dropFirst("pipelines/rotate.yaml:".count) : $0 }
    .joined(separator: "\n")
}

/// A pipeline from a CSV file to another.
let csvPipeline = """
  keys:
    current: env:APP_KEY
    previous: [env:OLD_KEY]
  source: { csv: { path: in.csv } }
  columns: [secret]
  sink: { csv: { path: out.csv } }
  """

/// A pipeline that changes a table in place.
let tablePipeline = """
  keys:
    current: env:APP_KEY
    previous: [env:OLD_KEY]
  source: { postgres: { url: "postgres://${HOST}/app" } }
  tables:
    public.users:
      columns: [secret]
  sink: in_place
  """

extension String {
  /// The text with one line put in the place of the line that starts with the same key.
  func with(_ line: String) -> String {
    let key = line.prefix { $0 != ":" } + ":"
    let lines = split(separator: "\n").map { $0.hasPrefix(key) ? Substring(line) : $0 }
    return (lines.contains(Substring(line)) ? lines : lines + [Substring(line)]).joined(separator: "\n")
  }
}

/// A config that holds something else than a test wrote.
struct Unexpected: Error {
  var what: String
}
