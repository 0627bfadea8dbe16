import Pipeline
import Postgres

/// A part of what a run means: a run is only continued by one that means the same.
package struct DigestPart: Equatable, Sendable {
  /// What it is, for messages: `columns of public.users`.
  package var name: String
  /// What it says; a fingerprint for a key.
  package var value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// A run that was begun or taken up again.
package struct Run: Equatable, Sendable {
  package var id: String
  package var isResumed: Bool
}

/// The shards of one table.
package struct TableShards: Equatable, Sendable {
  /// `schema.table`.
  package var table: String
  package var ranges: [KeyRange]

  package init(table: String, ranges: [KeyRange]) {
    self.table = table
    self.ranges = ranges
  }
}

/// Where runs stand, in the database that they change (DESIGN: State).
///
/// Its connection is used from one queue at a time; leases are told by the server's clock.
package struct RunState: Sendable {
  let connection: Connection
  let schema: StateSchema
  let owner: LeaseOwner
  /// How long a lease holds without a commit, in seconds.
  let leaseSeconds: Int

  package init(
    _ connection: Connection, schema: String = "rekey", owner: LeaseOwner = .current(), leaseSeconds: Int = 60
  ) {
    self.connection = connection
    self.schema = StateSchema(name: schema)
    self.owner = owner
    self.leaseSeconds = leaseSeconds
  }

  /// Whether the role may keep state here; asked by `rekey check`, which makes nothing.
  package func isUsable() throws -> Bool { try guarded { try schema.isUsable(connection) } }

  /// What a DBA runs to make the schema.
  package var statements: String { schema.statements }

  /// Begins a run of the pipeline, or takes up the unfinished one.
  ///
  /// - Parameters:
  ///   - id: of a new run.
  ///   - parts: what the run means.
  ///   - restart: drop an unfinished run.
  ///   - cut: gives the shards of a new run; not called for a resumed one.
  /// - Throws: `RekeyError`: `.busy` while another process holds a lease, `.usage` where the unfinished run means
  ///   something else.
  package func begin(
    id: String, pipeline: String, parts: [DigestPart], restart: Bool, cut: () throws -> [TableShards]
  ) throws -> Run {
    try guarded {
      try schema.create(connection)
      // Cutting takes a while in a large table: it is done before the lock.
      let shards = try openRun(pipeline) == nil || restart ? cut() : nil
      return try connection.transaction(.update) {
        try connection.execute("LOCK TABLE \(schema.table("run")) IN SHARE ROW EXCLUSIVE MODE")
        if let run = try openRun(pipeline) {
          try refuseLiveLease(run.id, pipeline)
          if !restart {
            try refuseOther(run, parts)
            try take(run.id)
            return Run(id: run.id, isResumed: true)
          }
          try delete(run.id)
        }
        try insert(id, pipeline, parts, try shards ?? cut())
        return Run(id: id, isResumed: false)
      }
    }
  }

  /// Closes the run when all its shards are done; false while some are not.
  package func finish(_ run: Run) throws -> Bool {
    try guarded {
      var parameters = Parameters()
      parameters.add(run.id)
      return try connection.transaction(.update) {
        try connection.query(
          """
          UPDATE \(schema.table("run")) r SET finished = clock_timestamp(), lease_owner = NULL, lease_until = NULL
          WHERE id = $1 AND NOT EXISTS (SELECT FROM \(schema.table("shard")) WHERE run = r.id AND NOT done)
          """, parameters
        ).affected == 1
      }
    }
  }

  /// Gives the run's own lease back after a stop, so that it can be taken up at once.
  package func release(_ run: Run) throws {
    try guarded {
      var parameters = Parameters()
      parameters.add(run.id)
      parameters.add(owner.text)
      _ = try connection.query(
        "UPDATE \(schema.table("run")) SET lease_until = NULL WHERE id = $1 AND lease_owner = $2", parameters)
    }
  }

  /// The counts of each table over all of the run's processes and resumes.
  package func counts(_ run: Run) throws -> [(table: String, tally: Tally)] {
    try guarded {
      var parameters = Parameters()
      parameters.add(run.id)
      let result = try connection.query(
        "SELECT table_name, counts::text FROM \(schema.table("shard")) WHERE run = $1 ORDER BY 1, number", parameters)
      var counts: [(table: String, tally: Tally)] = []
      for row in 0..<result.rows {
        let table = result.string(row, 0) ?? ""
        if counts.last?.table != table { counts.append((table, Tally())) }
        if let json = result.string(row, 1) { counts[counts.count - 1].tally.add(try StoredCounts(json: json).tally) }
      }
      return counts
    }
  }

  /// Drops the pipeline's runs, and the schema when no other pipeline has any; a word on what was dropped.
  package func clean(pipeline: String) throws -> String {
    try guarded {
      guard try schema.exists(connection) else { return "nothing to clean: there is no schema \(schema.name)" }
      return try connection.transaction(.update) {
        try connection.execute("LOCK TABLE \(schema.table("run")) IN ACCESS EXCLUSIVE MODE")
        if let run = try openRun(pipeline) { try refuseLiveLease(run.id, pipeline) }
        var parameters = Parameters()
        parameters.add(pipeline)
        let runs = try connection.query("DELETE FROM \(schema.table("run")) WHERE pipeline = $1", parameters).affected
        let counted = runs == 1 ? "1 run" : "\(runs) runs"
        guard try connection.query("SELECT count(*) FROM \(schema.table("run"))").int(0, 0) == 0 else {
          return "dropped \(counted) of \(pipeline); other pipelines keep theirs in schema \(schema.name)"
        }
        try schema.drop(connection)
        return "dropped \(counted) of \(pipeline) and the schema \(schema.name)"
      }
    }
  }

  func guarded<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as PostgresError {
      connection.rollBack()
      throw RekeyError(error, while: "keeping state in schema \(schema.name)")
    }
  }
}
