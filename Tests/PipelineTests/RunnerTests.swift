import Foundation
import Pipeline
import Testing

@Suite struct RunnerTests {
  private func run(
    _ shards: [Shard], workers: Int = 3, lanes: Int = 2, stop: StopFlag = StopFlag(),
    progress: RunProgress = RunProgress(),
    stageFailsAt: Int? = nil
  ) throws -> Bool {
    let runner = Runner(
      limits: RunnerLimits(workers: workers, lanes: lanes, batchBytes: 1024), stop: stop, progress: progress)
    let list = ShardList(shards)
    return try runner.run(makeStage: { JitterStage(failAt: stageFailsAt) }, nextShard: { list.next($0) })
  }

  @Test(arguments: [(1, 1), (1, 3), (2, 2), (4, 3)])
  func everyBatchArrivesOnceAndInOrder(lanes: Int, workers: Int) throws {
    let sinks = (0..<5).map { _ in CollectingSink() }
    let counts = [0, 1, 40, 200, 7]
    let progress = RunProgress()
    let shards = zip(sinks, counts).map { Shard(source: CountingSource(count: $1), sink: $0) }
    #expect(try run(shards, workers: workers, lanes: lanes, progress: progress))
    for (sink, count) in zip(sinks, counts) {
      #expect(sink.numbers == Array(1..<(count + 1)))
      #expect(sink.end == .finished)
    }
    #expect(progress.rows == counts.reduce(0, +))
  }

  @Test func aFailingSourceEndsTheRunAndCancelsTheSink() {
    let sink = CollectingSink()
    #expect(throws: Broken(part: "source")) {
      try run([Shard(source: CountingSource(count: 100, failAt: 20), sink: sink)])
    }
    #expect(sink.end == .cancelled)
    #expect(sink.numbers == Array(1..<(sink.numbers.count + 1)))
  }

  @Test func aFailingStageEndsTheRunAndNothingBehindItIsWritten() {
    let sink = CollectingSink()
    #expect(throws: Broken(part: "stage")) {
      try run([Shard(source: CountingSource(count: 10_000), sink: sink)], stageFailsAt: 30)
    }
    #expect(sink.end == .cancelled)
    #expect(sink.numbers.count <= 30)
  }

  @Test func aFailingSinkEndsTheRunForAllLanes() {
    let broken = CollectingSink(failAt: 5)
    let other = CollectingSink()
    #expect(throws: Broken(part: "sink")) {
      try run([
        Shard(source: CountingSource(count: 100), sink: broken),
        Shard(source: CountingSource(count: 1_000_000), sink: other),
      ])
    }
    #expect(broken.numbers == [1, 2, 3, 4, 5])
    #expect(broken.end == .cancelled)
    #expect(other.end == .cancelled)
  }

  @Test func aFailureToGetAShardEndsTheRun() {
    let runner = Runner(
      limits: RunnerLimits(workers: 2, lanes: 2, batchBytes: 1024), stop: StopFlag(), progress: RunProgress())
    #expect(throws: Broken(part: "shard")) {
      try runner.run(makeStage: { JitterStage() }, nextShard: { _ in throw Broken(part: "shard") })
    }
  }

  @Test func aStopLetsWhatIsInFlightFinish() throws {
    let stop = StopFlag()
    let sink = CollectingSink { if $0 == 10 { stop.request() } }
    #expect(try !run([Shard(source: CountingSource(count: 1_000_000), sink: sink)], stop: stop))
    #expect(sink.end == .cancelled)
    #expect(sink.numbers.count >= 10 && sink.numbers.count < 100)
    #expect(sink.numbers == Array(1..<(sink.numbers.count + 1)))
  }

  @Test func aStopAfterTheLastBatchIsNoStop() throws {
    let stop = StopFlag()
    let sink = CollectingSink { if $0 == 10 { stop.request() } }
    let source = CountingSource(count: 10)
    // One lane whose source has ended before the sink writes the last batch can still say that it is complete.
    let completed = try run([Shard(source: source, sink: sink)], workers: 1, lanes: 1, stop: stop)
    #expect(completed == (sink.end == .finished))
    #expect(sink.numbers == Array(1...10))
  }

  @Test func aSlowShardDoesNotHoldUpAnother() throws {
    let slow = CollectingSink { _ in usleep(2000) }
    let fast = CollectingSink()
    let started = Date()
    #expect(
      try run([
        Shard(source: CountingSource(count: 100), sink: slow), Shard(source: CountingSource(count: 100), sink: fast),
      ]))
    #expect(slow.numbers.count == 100 && fast.numbers.count == 100)
    #expect(Date().timeIntervalSince(started) < 20)
  }
}
