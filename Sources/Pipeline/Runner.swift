import Dispatch
import Foundation

/// One shard's two ends.
package struct Shard: Sendable {
  package var source: any Source
  package var sink: any Sink

  package init(source: any Source, sink: any Sink) {
    self.source = source
    self.sink = sink
  }
}

/// How much runs at once.
package struct RunnerLimits: Sendable {
  /// Threads that transform batches.
  package var workers: Int
  /// Shards read and written at the same time.
  package var lanes: Int
  /// Batches in flight for each lane.
  package var window: Int
  /// Bytes of input in flight over all lanes; passed by one batch a lane at most.
  package var bytesInFlight: Int
  /// A batch's buffer above this size is freed, not kept.
  package var keptBufferBytes: Int

  package init(workers: Int, lanes: Int, batchBytes: Int) {
    self.workers = max(1, workers)
    self.lanes = max(1, lanes)
    window = self.workers + 2
    bytesInFlight = max(4 * batchBytes, batchBytes * self.workers)
    keptBufferBytes = 2 * batchBytes
  }
}

/// Drives shards through lanes and workers until all are done, a stop is requested or something throws.
///
/// Each lane asks for a shard, reads it on one serial queue and writes it on another, in order; the workers, each on
/// a serial queue of its own, transform whole batches of every lane.
package final class Runner: @unchecked Sendable {  // `lock` guards `failure` and `isIncomplete`; the rest is constant
  private struct Job: Sendable {
    var lane: Lane
    var batch: Batch
  }

  private let limits: RunnerLimits
  private let stop: StopFlag
  private let progress: RunProgress
  private let jobs: BoundedQueue<Job>
  private let budget: ByteBudget
  private let lanes: [Lane]
  private let lock = NSLock()
  private var failure: (any Error)?
  private var isIncomplete = false

  package init(limits: RunnerLimits, stop: StopFlag, progress: RunProgress) {
    self.limits = limits
    self.stop = stop
    self.progress = progress
    jobs = BoundedQueue(capacity: limits.workers + limits.lanes)
    budget = ByteBudget(limit: limits.bytesInFlight)
    lanes = (0..<limits.lanes).map { Lane(number: $0, window: limits.window) }
  }

  /// Runs every shard that `nextShard` gives for a lane, until it gives none; blocks until all is written.
  ///
  /// - Parameters:
  ///   - makeStage: called once for each worker.
  ///   - nextShard: called on the lanes' queues, several at once; the argument is the lane's number from 0.
  /// - Returns: false when a stop was requested before the end.
  /// - Throws: the first error of any source, stage or sink. Nothing is written after it.
  package func run(
    makeStage: () throws -> any Stage,
    nextShard: @escaping @Sendable (Int) throws -> Shard?
  ) throws -> Bool {
    let stages = try (0..<limits.workers).map { _ in try makeStage() }
    let workersDone = DispatchGroup()
    for (number, stage) in stages.enumerated() {
      DispatchQueue(label: "rekey.worker.\(number)").async(group: workersDone) { self.work(stage) }
    }
    let lanesDone = DispatchGroup()
    for (number, lane) in lanes.enumerated() {
      lane.writeQueue.async(group: lanesDone) {
        do {
          while self.isUnbroken, let shard = try nextShard(number) {
            try self.drive(shard, through: lane)
          }
        } catch { self.fail(error) }
      }
    }
    lanesDone.wait()
    jobs.close()
    workersDone.wait()
    if let failure = firstError { throw failure }
    return !lock.withLock { isIncomplete }
  }

  /// Reads one shard on the lane's reading queue and writes it here, on its writing queue.
  private func drive(_ shard: Shard, through lane: Lane) throws {
    lane.begin()
    let readerDone = DispatchGroup()
    lane.readQueue.async(group: readerDone) {
      do { try self.read(shard.source, for: lane) } catch { self.fail(error) }
    }
    do {
      while let batch = lane.nextInOrder() {
        let size = batch.bytes.count
        try shard.sink.write(batch)
        progress.add(rows: batch.rows.count, inputEnd: batch.inputEnd)
        lane.recycle(batch, keepingUpTo: limits.keptBufferBytes)
        budget.subtract(size)
      }
    } catch { fail(error) }
    readerDone.wait()
    if isUnbroken {
      do { try shard.sink.finish() } catch {
        shard.sink.cancel()
        throw error
      }
    } else {
      shard.sink.cancel()
    }
  }

  private func read(_ source: any Source, for lane: Lane) throws {
    var sequence = 0
    while true {
      if stop.isRequested {
        markIncomplete()
        break
      }
      budget.waitForRoom()
      guard let batch = lane.takeFree() else { break }
      guard try source.read(into: batch) else {
        lane.recycle(batch, keepingUpTo: limits.keptBufferBytes)
        break
      }
      batch.sequence = sequence
      sequence += 1
      budget.add(batch.bytes.count)
      guard jobs.push(Job(lane: lane, batch: batch)) else { break }
    }
    lane.close(count: sequence)
  }

  private func work(_ stage: any Stage) {
    while let job = jobs.pop() {
      guard firstError == nil else { continue }
      do {
        try stage.transform(job.batch)
        job.lane.accept(job.batch)
      } catch { fail(error) }
    }
  }

  private var firstError: (any Error)? { lock.withLock { failure } }

  /// Whether nothing has failed and no stop has cut a shard short.
  private var isUnbroken: Bool { lock.withLock { failure == nil && !isIncomplete } }

  private func markIncomplete() { lock.withLock { isIncomplete = true } }

  /// Keeps the first error and wakes everyone.
  private func fail(_ error: any Error) {
    lock.withLock { if failure == nil { failure = error } }
    jobs.close()
    budget.close()
    for lane in lanes { lane.cancel() }
  }
}
