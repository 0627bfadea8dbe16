import Pipeline
import Postgres

/// Moves a shard's cursor within the transactions that write its batches.
///
/// It is used through the writer's connection, which isn't the state's own.
package struct ShardCheckpoint {
  private let schema: StateSchema
  private let leaseSeconds: Int
  private(set) var shard: Shard
  private var parameters = Parameters()

  package init(_ state: RunState, _ shard: Shard) {
    schema = state.schema
    leaseSeconds = state.leaseSeconds
    self.shard = shard
  }

  /// Writes cursor and counts as they are with the batch; the caller commits.
  ///
  /// - Throws: when the lease is lost: another process may have worked on the shard since.
  mutating func write(_ connection: Connection, cursor: KeyText, adding tally: Tally) throws {
    var total = shard.tally
    total.add(tally)
    identify()
    parameters.add(shard.commits)
    parameters.add(cursor)
    parameters.add(try StoredCounts(total).json)
    parameters.add(leaseSeconds)
    let updated = try connection.query(
      """
      UPDATE \(schema.table("shard")) SET cursor = $6, counts = $7::text::jsonb, commits = commits + 1,
        lease_until = clock_timestamp() + $8 * interval '1 second'
      WHERE run = $1 AND table_name = $2 AND number = $3::int8 AND fence = $4 AND commits = $5
      """, parameters
    ).affected
    guard updated == 1 else { throw leaseLost }
  }

  /// Notes that what `write` wrote is committed.
  mutating func committed(adding tally: Tally) {
    shard.tally.add(tally)
    shard.commits += 1
  }

  /// Whether the batch that was under way when the connection was lost is committed.
  ///
  /// The lock waits for the lost session's transaction, should the server still be at it.
  mutating func isCommitted(_ connection: Connection) throws -> Bool {
    identify()
    let result = try connection.transaction(.update) {
      try connection.query(
        """
        SELECT commits FROM \(schema.table("shard"))
        WHERE run = $1 AND table_name = $2 AND number = $3::int8 AND fence = $4 FOR UPDATE
        """, parameters)
    }
    guard result.rows == 1, let commits = result.int(0, 0) else { throw leaseLost }
    return commits == shard.commits + 1
  }

  /// Marks the shard as done and gives its lease back.
  mutating func finish(_ connection: Connection) throws {
    try end(connection, "done = true, lease_owner = NULL, lease_until = NULL")
  }

  /// Gives the lease back, so that another can go on at once.
  mutating func release(_ connection: Connection) throws {
    try end(connection, "lease_owner = NULL, lease_until = NULL")
  }

  private mutating func end(_ connection: Connection, _ settings: String) throws {
    identify()
    let updated = try connection.transaction(.update) {
      try connection.query(
        """
        UPDATE \(schema.table("shard")) SET \(settings)
        WHERE run = $1 AND table_name = $2 AND number = $3::int8 AND fence = $4
        """, parameters
      ).affected
    }
    guard updated == 1 else { throw leaseLost }
  }

  private mutating func identify() {
    parameters.removeAll()
    parameters.add(shard.run)
    parameters.add(shard.table)
    parameters.add(shard.number)
    parameters.add(shard.fence)
  }

  private var leaseLost: RekeyError {
    RekeyError(
      .interrupted,
      "the lease of shard \(shard.number) of \(shard.table) is lost: it expired, and another process took the shard "
        + "over; nothing of this batch was written")
  }
}
