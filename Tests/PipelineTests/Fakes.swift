import Foundation
import Pipeline

/// Hands out `count` batches of one row each; the row's number is its payload.
final class CountingSource: Source, @unchecked Sendable {  // the lane's reading queue alone uses it
  private let count: Int
  private let failAt: Int?
  private var handedOut = 0

  init(count: Int, failAt: Int? = nil) {
    self.count = count
    self.failAt = failAt
  }

  func read(into batch: Batch) throws -> Bool {
    if handedOut == failAt { throw Broken(part: "source") }
    guard handedOut < count else { return false }
    handedOut += 1
    batch.bytes.append(contentsOf: String(handedOut).utf8)
    batch.rows.append(Row(raw: Slice(start: 0, length: batch.bytes.count), number: handedOut))
    return true
  }
}

struct Broken: Error, Equatable {
  var part: String
}

/// Marks each batch, after a time that differs from batch to batch so that they overtake each other.
final class JitterStage: Stage, @unchecked Sendable {  // one worker alone uses it
  private let failAt: Int?
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(failAt: Int? = nil) { self.failAt = failAt }

  func transform(_ batch: Batch) throws {
    if batch.sequence == failAt { throw Broken(part: "stage") }
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    usleep(UInt32(state >> 33) % 400)
    batch.output.append(UInt8(ascii: "x"))
  }
}

/// Keeps what it is given.
final class CollectingSink: Sink, @unchecked Sendable {  // `lock` guards every field
  enum End: Equatable { case open, finished, cancelled }

  private let lock = NSLock()
  private var collected: [Int] = []
  private var ended = End.open
  private let failAt: Int?
  private let onWrite: @Sendable (Int) -> Void

  init(failAt: Int? = nil, onWrite: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.failAt = failAt
    self.onWrite = onWrite
  }

  var numbers: [Int] { lock.withLock { collected } }
  var end: End { lock.withLock { ended } }

  func write(_ batch: Batch) throws {
    if batch.sequence == failAt { throw Broken(part: "sink") }
    precondition(batch.output == [UInt8(ascii: "x")], "the stage has not seen this batch once")
    lock.withLock { collected.append(batch.rows[0].number) }
    onWrite(batch.rows[0].number)
  }

  func finish() { lock.withLock { ended = .finished } }
  func cancel() { lock.withLock { ended = .cancelled } }
}

/// Hands out shards from a list, to any lane.
final class ShardList: @unchecked Sendable {  // `lock` guards `rest`
  private let lock = NSLock()
  private var rest: [Shard]

  init(_ shards: [Shard]) { rest = shards }

  func next(_ lane: Int) -> Shard? { lock.withLock { rest.isEmpty ? nil : rest.removeFirst() } }
}
