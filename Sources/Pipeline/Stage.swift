/// What is done to a batch; each worker has a stage of its own.
package protocol Stage: AnyObject, Sendable {
  /// Finds the sites of each cell and gives every site its outcome and, where it changes, its new bytes.
  ///
  /// Row failures are outcomes; an error thrown ends the run.
  func transform(_ batch: Batch) throws
}
