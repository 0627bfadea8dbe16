import Pipeline
import Postgres

/// Writes batches into the table they came from, one transaction each, and settles what changed meanwhile.
package final class PostgresSink: Sink, @unchecked Sendable {  // used from its lane's writing queue alone
  /// How often a transaction is tried before the run is left to be continued.
  private static let attempts = 8

  private let connection: Connection
  private let table: PostgresTable
  private let update: PostgresUpdate
  private let settled: (Batch) throws -> Void
  private var checkpoint: ShardCheckpoint?

  /// - Parameters:
  ///   - connection: the lane's writer; nobody else uses it meanwhile.
  ///   - checkpoint: the shard's, or nil where no state is kept.
  ///   - stage: transforms rows that changed since they were read; used from the writing queue alone.
  ///   - insert: how to insert rows of a CSV whose key isn't in the table; nil leaves them, as `gone`.
  ///   - settled: called when a batch's outcomes are final, before COMMIT: it adds the counts to `batch.tally`, which
  ///     holds `latePrevious` and nothing else by then, and brings the audit's lines to disk. After a transaction that
  ///     had to be redone it is called again.
  package init(
    _ connection: Connection, table: PostgresTable, checkpoint: ShardCheckpoint?, stage: any Stage,
    insert: PostgresInsert? = nil, settled: @escaping (Batch) throws -> Void
  ) {
    self.connection = connection
    self.table = table
    self.checkpoint = checkpoint
    self.settled = settled
    update = PostgresUpdate(connection, table: table, stage: stage, insert: insert)
  }

  package func write(_ batch: Batch) throws {
    guard !batch.rows.isEmpty else { return }
    let read = BatchContent(batch)
    var isCareful = false
    var attempt = 0
    while true {
      do {
        try transact(batch, isCareful: isCareful)
        checkpoint?.committed(adding: batch.tally)
        return
      } catch let error as PostgresError {
        connection.rollBack()
        if error.kind == .connection {
          attempt += 1
          guard attempt < PostgresSink.attempts else { throw failure(error) }
          try reconnect(after: error)
          if try checkpoint?.isCommitted(connection) == true {
            checkpoint?.committed(adding: batch.tally)
            return
          }
        } else if error.isRefusal && !isCareful {
          if error.sqlState == "42501" { try refuseMissingPrivileges() }
          isCareful = true
        } else if error.isRetryable {
          attempt += 1
          guard attempt < PostgresSink.attempts else { throw failure(error) }
          pause(beforeAttempt: attempt)
          if error.isTimeout && attempt > 1 && batch.rows.count > 1 {
            read.restore(batch)
            return try writeHalves(of: batch)
          }
        } else {
          throw failure(error)
        }
        read.restore(batch)
      } catch {
        connection.rollBack()
        throw error
      }
    }
  }

  package func finish() throws {
    try whileKeepingState { try checkpoint?.finish(connection) }
  }

  package func cancel() {
    connection.rollBack()
    try? checkpoint?.release(connection)
  }

  private func transact(_ batch: Batch, isCareful: Bool) throws {
    // Deferred constraints are checked at once in the careful way, so that they name their row.
    try connection.execute(beginStatements(.update) + (isCareful ? "SET CONSTRAINTS ALL IMMEDIATE" : ""))
    try update.write(batch, isCareful: isCareful)
    try settled(batch)
    if let last = batch.rows.indices.last {
      try checkpoint?.write(connection, cursor: batch.key(of: last), adding: batch.tally)
    }
    try connection.execute("COMMIT")
  }

  /// A batch that took too long is written as two, each with its own transaction and checkpoint.
  private func writeHalves(of batch: Batch) throws {
    var tally = Tally()
    let middle = batch.rows.count / 2
    for rows in [0..<middle, middle..<batch.rows.count] {
      let half = batch.copy(of: rows)
      try write(half)
      tally.add(half.tally)
    }
    batch.tally = tally
  }

  /// A privilege that was taken away concerns every row: no use in looking for the one that is refused.
  private func refuseMissingPrivileges() throws {
    let missing = try? Catalog(connection).missingPrivileges(on: table.table, columns: table.columns, update: true)
    guard let missing, !missing.isEmpty else { return }
    throw RekeyError(
      .fatal, "the role may not write \(table.table.description): let its owner run \(missing.joined(separator: "; "))")
  }

  private func reconnect(after error: PostgresError) throws {
    for attempt in 1...PostgresSink.attempts {
      pause(beforeAttempt: attempt)
      do {
        return try connection.reconnect()
      } catch _ as PostgresError where attempt < PostgresSink.attempts {
        continue
      } catch let last as PostgresError {
        throw failure(last)
      }
    }
  }

  private func whileKeepingState(_ body: () throws -> Void) throws {
    var attempt = 0
    while true {
      do {
        return try body()
      } catch let error as PostgresError where error.kind == .connection && attempt < 1 {
        attempt += 1
        try reconnect(after: error)
      } catch let error as PostgresError {
        throw failure(error)
      }
    }
  }

  private func failure(_ error: PostgresError) -> RekeyError {
    RekeyError(error, while: "writing \(table.table.description)")
  }
}
