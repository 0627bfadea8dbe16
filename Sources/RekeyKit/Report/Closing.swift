/// The last lines of a sweep: where the output lies, and what to do next.
enum Closing {
  static func lines(_ result: SweepResult, _ options: SweepOptions) -> [String] {
    var lines: [String] = []
    let targets = result.units.filter { $0.isComplete && $0.error == nil }.compactMap(\.target).filter { $0 != "-" }
    if let log = result.auditLog { lines.append("audit log: \(log)") }
    switch options.mode {
    case .run:
      if !targets.isEmpty { lines.append("wrote \(targets.joined(separator: ", "))") }
      if result.isComplete {
        // What was opened for good has nothing left to audit, and standard output is gone; of a CSV and a table an
        // audit would read the CSV.
        if result.operation == .decrypt || result.readsFileForTable || result.writesStandardOutput { return lines }
        lines.append("next: rekey audit \(result.outputFile == nil ? "" : "--output ")\(result.file)")
      } else if isStopped(result) {
        let next =
          result.writesInPlace
          ? "not finished; run again to go on" : "not finished, and no file was written; run again to start over"
        lines.append("\(next): rekey run \(options.force ? "--force " : "")\(result.file)")
      }
    case .dryRun where result.isComplete: lines.append("nothing was written; to do it: rekey run \(result.file)")
    case .dryRun: break
    case .audit: lines += Verdict.lines(result)
    }
    return lines
  }

  /// Why the command ends with another code than 0.
  static func exitLine(_ results: [SweepResult], _ code: Int32) -> String? {
    switch code {
    case ExitCode.failures:
      let over = results.filter { $0.failureCount > $0.failuresAllowed }.map {
        "\($0.name): \(grouped($0.failureCount)) values failed, limits.failures_allowed is \(grouped($0.failuresAllowed))"
      }
      return "exit 3: \(over.joined(separator: "; "))"
    case ExitCode.needsPrevious: return "exit 4: values still need a previous key"
    case ExitCode.interrupted: return "exit 75: interrupted"
    default: return nil
    }
  }

  /// Whether it only has to be run again.
  private static func isStopped(_ result: SweepResult) -> Bool {
    result.error?.kind == .interrupted
      || result.units.contains { $0.error?.kind == .interrupted || (!$0.isComplete && $0.error == nil) }
  }
}
