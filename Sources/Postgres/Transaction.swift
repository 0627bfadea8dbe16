/// What a transaction is for; it settles how it begins.
package enum TransactionKind: Sendable {
  /// Catalog questions: names come as UTF-8.
  case catalog
  /// Reading rows in key order, a page a transaction.
  case page
  /// Reading a whole shard as one snapshot; a standby will do.
  case snapshot
  /// Writing a batch.
  case update
}

/// The statements that open a transaction, all in one string, so in one round trip.
///
/// The settings hold until its end (`SET LOCAL`): a pooler can give the session to someone else afterwards. They make
/// every key and value print the same way in each transaction, and byte for byte as stored.
package func beginStatements(_ kind: TransactionKind) -> String {
  var settings = [
    ("row_security", "off"),  // an error rather than rows that silently stay hidden
    ("TimeZone", "UTC"),
    ("DateStyle", "ISO"),
    ("IntervalStyle", "postgres"),
    ("extra_float_digits", "3"),
    ("bytea_output", "hex"),
    // A plan that was turned away from scans looks so dear that each statement would be compiled first.
    ("jit", "off"),
  ]
  let begin: String
  switch kind {
  case .catalog: begin = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
  case .page:
    begin = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
    // Pages follow the key's index even where the planner would rather scan and sort the rest of the table for each.
    settings += [("enable_seqscan", "off"), ("enable_bitmapscan", "off"), ("enable_sort", "off")]
  case .snapshot: begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  case .update:
    begin = "BEGIN ISOLATION LEVEL READ COMMITTED"  // not READ WRITE: default_transaction_read_only is a safety catch
    // Without these a batch scans the table instead of looking its rows up by key.
    settings += [("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("enable_seqscan", "off")]
  }
  let encoding = kind == .catalog ? "'UTF8'" : "current_setting('server_encoding')"
  let calls =
    settings.map { "set_config('\($0.0)','\($0.1)',true)" } + ["set_config('client_encoding',\(encoding),true)"]
  return "\(begin);SELECT \(calls.joined(separator: ","));"
}

extension Connection {
  /// Runs `body` in a transaction and commits it; rolls back when it throws.
  package func transaction<R>(_ kind: TransactionKind, _ body: () throws -> R) throws -> R {
    do {
      try execute(beginStatements(kind))
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      rollBack()
      throw error
    }
  }
}
