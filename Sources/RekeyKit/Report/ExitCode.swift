/// The exit codes (DESIGN: Exit codes); where several hold, the worst counts.
enum ExitCode {
  static let done: Int32 = 0
  static let fatal: Int32 = 1
  static let usage: Int32 = 2
  static let failures: Int32 = 3
  static let needsPrevious: Int32 = 4
  static let busy: Int32 = 5
  static let keysDontFit: Int32 = 6
  static let interrupted: Int32 = 75
  /// The reader of standard output went away: what a shell reports of a program that SIGPIPE ended.
  static let closedPipe: Int32 = 141

  /// From the worst to the best.
  private static let order = [fatal, usage, keysDontFit, busy, interrupted, closedPipe, failures, needsPrevious, done]

  static func worst(_ codes: [Int32]) -> Int32 {
    order.first { codes.contains($0) } ?? codes.first { $0 != done } ?? done
  }

  /// What one pipeline's sweep comes to.
  static func of(_ result: SweepResult, _ options: SweepOptions) -> Int32 {
    var codes = result.units.compactMap(\.error?.kind.exitCode)
    if let error = result.error { codes.append(error.kind.exitCode) }
    if result.doesNotFit { codes.append(keysDontFit) }
    if result.failureCount > result.failuresAllowed { codes.append(failures) }
    // A stop for too many failures is no interruption: running again would only meet them again.
    let hasError = result.error != nil || result.units.contains { $0.error != nil }
    if !result.isComplete && !hasError { codes.append(result.isStoppedForFailures ? failures : interrupted) }
    let reportsKeys = options.mode == .audit || (options.mode == .dryRun && options.exitCode)
    if reportsKeys, result.keys.indices.dropFirst().contains(where: { result.opened(byPrevious: $0 - 1) > 0 }) {
      codes.append(needsPrevious)
    }
    return worst(codes)
  }
}
