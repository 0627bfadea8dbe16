import FoundationEssentials
import LaravelEncryption
import Pipeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The first line of a sweep's audit log: what began, with which keys, on what.
struct AuditBegin {
  var run: String
  var isResumed: Bool
  var command: String
  var pipeline: OpenPipeline

  var line: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("begin")
      json.object { json in write(to: &json) }
    }
    json.newline()
    return json.bytes
  }

  private func write(to json: inout JSONWriter) {
    let config = pipeline.config
    json.member("run", run)
    json.key("resumed")
    json.bool(isResumed)
    json.member("command", command)
    json.member("pipeline", config.name)
    json.member("started", timestamp())
    json.member("version", Version.number)
    json.member("os_user", userName())
    json.member("host", LeaseOwner.hostName())
    json.member("database", pipeline.database?.place)
    json.member("role", pipeline.database?.role)
    json.key("tables")
    json.array { json in for unit in pipeline.units { json.string(unit.label) } }
    json.key("where")
    json.object { json in
      if case .postgres(let input) = config.input {
        for table in input.tables { json.member(table.name.value.description, table.filter.map(shown)) }
      }
    }
    json.member("digest", digest(of: pipeline.meaning))
    json.key("keys")
    json.array { json in
      for entry in pipeline.keys.entries {
        json.object { json in
          json.member("place", entry.place)
          json.member("fingerprint", entry.key.fingerprint)
          json.member("cipher", entry.key.cipher.rawValue)
          json.member("reference", entry.reference.value.description)
        }
      }
    }
  }

  private func shown(_ filter: Located<String>) -> String {
    filter.isSubstituted ? "(holds a value from the environment)" : filter.value
  }
}

extension JSONWriter {
  mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  mutating func member(_ name: String, _ value: Int) {
    key(name)
    number(value)
  }

  /// A column's counts: those that aren't zero, and by which keys values were opened.
  mutating func counts(_ column: Tally.Column, fingerprints: [String]) {
    object { json in
      for outcome in Outcome.allCases where column[outcome] > 0 { json.member(outcome.rawValue, column[outcome]) }
      if column.latePrevious > 0 { json.member("late_previous", column.latePrevious) }
      json.key("opened_by")
      json.object { json in
        for (key, count) in column.openedBy.enumerated() where count > 0 { json.member(fingerprints[key], count) }
      }
    }
  }
}

/// Now, as `2026-12-01T09:30:00Z`.
func timestamp() -> String { Date.now.formatted(.iso8601) }

private func userName() -> String {
  guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return String(getuid()) }
  return String(cString: name)
}
