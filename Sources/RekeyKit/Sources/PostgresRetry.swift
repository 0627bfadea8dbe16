import Postgres

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Waits before another attempt: doubling from 50 ms up to 5 s, and anything from half of that, so that two that
/// collided don't meet again.
func pause(beforeAttempt attempt: Int) {
  let most = min(50_000 << min(attempt - 1, 10), 5_000_000)
  usleep(UInt32.random(in: UInt32(most / 2)...UInt32(most)))
}

extension RekeyError {
  /// What ended a run; a lost connection or a timeout leaves it to be continued.
  init(_ error: PostgresError, while doing: String) {
    let passes = error.kind == .connection || error.isRetryable
    self.init(
      passes ? .interrupted : .fatal, "\(doing): \(error.description)\(passes ? "; run again to go on" : "")")
  }
}
