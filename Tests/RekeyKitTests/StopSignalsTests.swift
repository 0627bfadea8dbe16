import Pipeline
import Testing

@testable import RekeyKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct StopSignalsTests {
  // Were the stop for failures taken for a first signal, this one would end the test process.
  @Test func theFirstSignalIsCleanAlsoAfterAStopForFailures() throws {
    let stop = StopFlag()
    let signals = withEnvironment([:]) { StopSignals(stop: stop, console: Console($0)) }
    defer { signals.end() }
    stop.request()
    kill(getpid(), SIGTERM)
    for _ in 0..<1_000 where !signals.came.isRequested { usleep(10_000) }
    #expect(signals.came.isRequested)
  }
}
