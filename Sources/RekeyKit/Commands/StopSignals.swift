import Dispatch
import Pipeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SIGINT and SIGTERM: the first asks for a clean stop, the second ends the process at once.
final class StopSignals {
  /// Whether a signal came. Not the same as a requested stop: too many failures request one too.
  let came = StopFlag()
  private let sources: [any DispatchSourceSignal]

  init(stop: StopFlag, console: Console) {
    let queue = DispatchQueue(label: "rekey.signals")
    let registered = DispatchSemaphore(value: 0)
    sources = [SIGINT, SIGTERM].map { [came] number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        // Not exit(), whose handlers (OpenSSL's among them) free what the workers are still using.
        if came.isRequested { _exit(128 + number) }
        came.request()
        stop.request()
        console.err("stopping: batches in flight are finished first; once more stops at once")
      }
      source.setRegistrationHandler { registered.signal() }
      source.activate()
      return source
    }
    // Until then a signal would be ignored and lost.
    for _ in sources { registered.wait() }
  }

  /// Gives the signals back their usual effect.
  func end() {
    for source in sources { source.cancel() }
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
  }
}
