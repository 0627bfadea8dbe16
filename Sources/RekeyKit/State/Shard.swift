import Pipeline
import Postgres

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A shard that this process holds the lease of.
package struct Shard: Equatable, Sendable {
  package var run: String
  /// `schema.table`.
  package var table: String
  package var number: Int
  /// What is left of it: from its cursor on.
  package var range: KeyRange
  /// Raised by each lease: a commit under an older one fails.
  package var fence: Int
  /// The batches committed so far, over all leases.
  package var commits: Int
  /// Of the batches committed so far.
  package var tally: Tally
}

extension RunState {
  /// The next shard that nobody works on; nil when all are done or leased to others.
  package func leaseShard(_ run: Run) throws -> Shard? {
    try guarded {
      // A shard can be passed over while another lane's lease or a dying session's last commit holds its row.
      while true {
        if let shard = try tryLease(run) { return shard }
        guard try hasFreeShard(run) else { return nil }
        usleep(50_000)
      }
    }
  }

  private func tryLease(_ run: Run) throws -> Shard? {
    var parameters = Parameters()
    parameters.add(run.id)
    parameters.add(owner.text)
    parameters.add(leaseSeconds)
    let result = try connection.transaction(.update) {
      _ = try connection.query(
        """
        UPDATE \(schema.table("run")) SET lease_owner = $2, lease_until = clock_timestamp() + $3 * interval '1 second'
        WHERE id = $1 AND (lease_owner = $2 OR lease_until < clock_timestamp())
        """, parameters)
      // Materialized: a join that reads it twice would lease two.
      return try connection.query(
        """
        WITH free AS MATERIALIZED (
          SELECT table_name, number FROM \(schema.table("shard"))
          WHERE run = $1 AND NOT done AND (lease_until IS NULL OR lease_until < clock_timestamp())
          ORDER BY table_name, number LIMIT 1 FOR UPDATE SKIP LOCKED)
        UPDATE \(schema.table("shard")) s SET fence = fence + 1, lease_owner = $2,
          lease_until = clock_timestamp() + $3 * interval '1 second'
        FROM free WHERE s.run = $1 AND s.table_name = free.table_name AND s.number = free.number
        RETURNING s.table_name, s.number::int8, s.lower_bound, s.upper_bound, s.cursor, s.fence, s.commits,
          s.counts::text
        """, parameters)
    }
    guard result.rows == 1 else { return nil }
    return Shard(
      run: run.id, table: result.string(0, 0) ?? "", number: result.int(0, 1) ?? 0,
      range: KeyRange(lower: result.textArray(0, 4) ?? result.textArray(0, 2), upper: result.textArray(0, 3)),
      fence: result.int(0, 5) ?? 0, commits: result.int(0, 6) ?? 0,
      tally: try result.string(0, 7).map { try StoredCounts(json: $0).tally } ?? Tally())
  }

  private func hasFreeShard(_ run: Run) throws -> Bool {
    var parameters = Parameters()
    parameters.add(run.id)
    return try connection.query(
      """
      SELECT EXISTS (SELECT FROM \(schema.table("shard"))
        WHERE run = $1 AND NOT done AND (lease_until IS NULL OR lease_until < clock_timestamp()))
      """, parameters
    ).bool(0, 0)
  }
}
