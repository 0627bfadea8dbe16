import Pipeline

extension JSONWriter {
  /// One table's or file's counts.
  mutating func unit(_ unit: UnitResult, fingerprints: [String]) {
    object { json in
      switch unit.place {
      case .table(let name, _): json.member("table", name)
      case .file(let path): json.member("file", path)
      }
      json.member("rows", unit.tally.rows)
      json.key("complete")
      json.bool(unit.isComplete)
      json.member("error", unit.error?.message)
      json.member("failures", unit.failureCount)
      json.key("columns")
      json.object { json in
        for (index, rule) in unit.columns.enumerated() {
          json.key(rule.name)
          json.counts(
            unit.tally.columns.indices.contains(index) ? unit.tally.columns[index] : .init(), fingerprints: fingerprints
          )
        }
      }
      json.key("unseen")
      json.array { json in for reason in unit.unseen { json.string(reason) } }
    }
  }
}

/// The machine's summary on standard output (`--json`): one object on one line.
func summaryJSON(_ results: [SweepResult], command: String, exitCode: Int32) -> [UInt8] {
  var json = JSONWriter()
  json.object { json in
    json.member("command", command)
    json.member("exit_code", Int(exitCode))
    json.key("pipelines")
    json.array { json in
      for result in results {
        json.object { json in
          json.member("pipeline", result.name)
          json.member("run", result.run)
          json.key("resumed")
          json.bool(result.isResumed)
          json.member("error", result.error?.message)
          json.member("failures_allowed", result.failuresAllowed)
          json.key("keys")
          json.array { json in
            for key in result.keys {
              json.object { json in
                json.member("place", key.place)
                json.member("fingerprint", key.fingerprint)
              }
            }
          }
          json.key("tables")
          json.array { json in
            for unit in result.units { json.unit(unit, fingerprints: result.keys.map(\.fingerprint)) }
          }
        }
      }
    }
  }
  json.newline()
  return json.bytes
}
