import Postgres

extension RunState {
  typealias OpenRun = (id: String, parts: [DigestPart], started: String)

  func openRun(_ pipeline: String) throws -> OpenRun? {
    var parameters = Parameters()
    parameters.add(pipeline)
    let result = try connection.query(
      """
      SELECT id, part_names, part_values, to_char(started AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
      FROM \(schema.table("run")) WHERE pipeline = $1 AND finished IS NULL
      """, parameters)
    guard result.rows == 1, let id = result.string(0, 0) else { return nil }
    let names = result.textArray(0, 1) ?? []
    let values = result.textArray(0, 2) ?? []
    let parts = zip(names, values).map { name, value in
      DigestPart(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }
    return (id, parts, result.string(0, 3) ?? "")
  }

  /// A lease is live until it expires, unless its process ran on this machine and has ended.
  func refuseLiveLease(_ run: String, _ pipeline: String) throws {
    var parameters = Parameters()
    parameters.add(run)
    let result = try connection.query(
      """
      SELECT lease_owner, ceil(extract(epoch FROM max(lease_until) - clock_timestamp()))::int8 FROM (
        SELECT lease_owner, lease_until FROM \(schema.table("run")) WHERE id = $1
        UNION ALL SELECT lease_owner, lease_until FROM \(schema.table("shard")) WHERE run = $1 AND NOT done) leases
      WHERE lease_until > clock_timestamp() GROUP BY 1 ORDER BY 2 DESC
      """, parameters)
    for row in 0..<result.rows {
      let holder = LeaseOwner(text: result.string(row, 0) ?? "")
      if holder.isDead { continue }
      throw RekeyError(
        .busy,
        "another run of \(pipeline) is under way (on \(holder.place)): wait for it; if it is gone, its lease ends in "
          + "\(result.int(row, 1) ?? 0) s")
    }
  }

  func refuseOther(_ run: OpenRun, _ parts: [DigestPart]) throws {
    var differences: [String] = []
    for part in parts {
      let old = run.parts.first { $0.name == part.name }?.value
      if let old, old != part.value { differences.append("\(part.name) was \(old), now \(part.value)") }
      if old == nil { differences.append("\(part.name) is new: \(part.value)") }
    }
    for old in run.parts where !parts.contains(where: { $0.name == old.name }) {
      differences.append("\(old.name) is gone, it was \(old.value)")
    }
    guard !differences.isEmpty else { return }
    throw RekeyError(
      .usage,
      "the run begun \(run.started) is not finished, and this one means something else: "
        + "\(differences.joined(separator: "; ")). Put the pipeline back and run again to finish it, or drop it with "
        + "--restart")
  }

  /// Takes over an unfinished run whose processes are gone.
  func take(_ run: String) throws {
    var parameters = Parameters()
    parameters.add(run)
    _ = try connection.query("UPDATE \(schema.table("shard")) SET lease_until = NULL WHERE run = $1", parameters)
    parameters.add(owner.text)
    parameters.add(leaseSeconds)
    _ = try connection.query(
      """
      UPDATE \(schema.table("run")) SET lease_owner = $2, lease_until = clock_timestamp() + $3 * interval '1 second'
      WHERE id = $1
      """, parameters)
  }

  func delete(_ run: String) throws {
    var parameters = Parameters()
    parameters.add(run)
    _ = try connection.query("DELETE FROM \(schema.table("run")) WHERE id = $1", parameters)
  }

  func insert(_ id: String, _ pipeline: String, _ parts: [DigestPart], _ shards: [TableShards]) throws {
    var parameters = Parameters()
    parameters.add(id)
    parameters.add(pipeline)
    parameters.add(parts.map { Array($0.name.utf8) })
    parameters.add(parts.map { Array($0.value.utf8) })
    parameters.add(owner.text)
    parameters.add(leaseSeconds)
    _ = try connection.query(
      """
      INSERT INTO \(schema.table("run")) (id, pipeline, part_names, part_values, lease_owner, lease_until)
      VALUES ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 second')
      """, parameters)
    for table in shards {
      for (number, range) in table.ranges.enumerated() {
        parameters.removeAll()
        parameters.add(id)
        parameters.add(table.table)
        parameters.add(number)
        for bound in [range.lower, range.upper] {
          if let bound { parameters.add(bound) } else { parameters.addNullArray(of: .text) }
        }
        _ = try connection.query(
          """
          INSERT INTO \(schema.table("shard")) (run, table_name, number, lower_bound, upper_bound)
          VALUES ($1, $2, $3::int8, $4, $5)
          """, parameters)
      }
    }
  }
}
