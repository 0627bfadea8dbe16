/// Where batches come from: one shard of a table, or a file.
///
/// A source is used from its lane's reading queue alone.
package protocol Source: AnyObject, Sendable {
  /// Fills an empty batch with rows, keys and cells, up to the limits; false at the end of the shard.
  ///
  /// A batch with rows is always true, also the last. An error ends the run.
  func read(into batch: Batch) throws -> Bool
}
