/// Where batches go: in the order of their shard, from its lane's writing queue alone.
package protocol Sink: AnyObject, Sendable {
  /// Writes the batch's changed cells and settles what is contested; outcomes are final afterwards.
  func write(_ batch: Batch) throws
  /// Ends the shard after its last batch: flush, rename, mark as done.
  func finish() throws
  /// Drops what was not finished; called instead of `finish` after an error or a stop.
  func cancel()
}
