import Dispatch
import Pipeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SIGINT and SIGTERM: the first asks for a clean stop, the second ends the process at once.
final class StopSignals {
  private let sources: [any DispatchSourceSignal]

  init(stop: StopFlag, console: Console) {
    let queue = DispatchQueue(label: "rekey.signals")
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if stop.isRequested { exit(128 + number) }
        stop.request()
        console.err("stopping: batches in flight are finished first; once more stops at once")
      }
      source.activate()
      return source
    }
  }

  /// Gives the signals back their usual effect.
  func end() {
    for source in sources { source.cancel() }
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
  }
}
