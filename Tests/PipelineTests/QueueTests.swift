import Dispatch
import Foundation
import Pipeline
import Testing

@Suite struct BoundedQueueTests {
  @Test func handsOutInOrderAndThenNil() {
    let queue = BoundedQueue<Int>(capacity: 3)
    #expect(queue.push(1) && queue.push(2))
    queue.close()
    #expect(!queue.push(3))
    #expect(queue.pop() == 1)
    #expect(queue.pop() == 2)
    #expect(queue.pop() == nil)
  }

  @Test func aFullQueueHoldsThePusherBack() {
    let queue = BoundedQueue<Int>(capacity: 2)
    let pushed = RunProgress()
    let done = DispatchGroup()
    DispatchQueue(label: "pusher").async(group: done) {
      for number in 0..<100 where queue.push(number) { pushed.add(rows: 1, inputEnd: 0) }
    }
    usleep(50_000)
    #expect(pushed.rows == 2)
    for number in 0..<100 { #expect(queue.pop() == number) }
    done.wait()
    #expect(pushed.rows == 100)
  }

  @Test func closingWakesAWaitingPusher() {
    let queue = BoundedQueue<Int>(capacity: 1)
    #expect(queue.push(1))
    let done = DispatchGroup()
    DispatchQueue(label: "pusher").async(group: done) { _ = queue.push(2) }
    queue.close()
    #expect(done.wait(timeout: .now() + 10) == .success)
  }
}

@Suite struct ReorderBufferTests {
  @Test func anyPermutationComesOutInOrder() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let count = Int.random(in: 0...20, using: &random)
      var buffer = ReorderBuffer<Int>()
      var out: [Int] = []
      for number in (0..<count).shuffled(using: &random) {
        buffer.insert(number, at: number)
        while let next = buffer.popNext() { out.append(next) }
      }
      #expect(out == Array(0..<count))
      #expect(buffer.isEmpty)
    }
  }

  @Test func aGapHoldsBackWhatFollows() {
    var buffer = ReorderBuffer<String>()
    buffer.insert("b", at: 1)
    #expect(buffer.popNext() == nil)
    buffer.insert("a", at: 0)
    #expect(buffer.popNext() == "a")
    #expect(buffer.popNext() == "b")
    #expect(buffer.next == 2)
  }
}

@Suite struct BatchTests {
  @Test func spliceKeepsTheGaps() {
    let batch = Batch()
    batch.bytes = Array("id,[aa] and [bb],x".utf8)
    batch.output = Array("AAAABB".utf8)
    batch.addCell(
      row: 0, column: 0, value: Slice(start: 3, length: 13), raw: Slice(start: 3, length: 13))
    batch.sites = [
      Site(cell: 0, old: Slice(start: 4, length: 2)), Site(cell: 0, old: Slice(start: 13, length: 2)),
    ]
    batch.cells[0].siteCount = 2
    var out: [UInt8] = []
    batch.splice(batch.cells[0], into: &out)
    #expect(String(decoding: out, as: UTF8.self) == "[aa] and [bb]")
    #expect(!batch.isChanged(batch.cells[0]))
    batch.sites[0].new = Slice(start: 0, length: 4)
    batch.sites[1].new = Slice(start: 4, length: 2)
    out = []
    batch.splice(batch.cells[0], into: &out)
    #expect(String(decoding: out, as: UTF8.self) == "[AAAA] and [BB]")
    #expect(batch.isChanged(batch.cells[0]))
  }

  @Test func outcomeIndexesAreTheirPositions() {
    for (position, outcome) in Outcome.allCases.enumerated() { #expect(outcome.index == position) }
  }

  @Test func talliesAddUp() {
    var one = Tally()
    var site = Site(cell: 0, old: .null)
    site.outcome = .rekeyed
    site.openedBy = 2
    one.count(site, column: 1)
    one.rows = 1
    var sum = Tally()
    sum.add(one)
    sum.add(one)
    #expect(sum.rows == 2)
    #expect(sum.columns.count == 2)
    #expect(sum.columns[1][.rekeyed] == 2)
    #expect(sum.columns[1].openedBy == [0, 0, 2])
    #expect(sum.total.sites == 2)
  }
}
