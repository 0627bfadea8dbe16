import Pipeline

/// Hands batches on, and counts them once they are written.
final class CountingSink: Sink, @unchecked Sendable {  // used from its lane's writing queue alone
  private let inner: any Sink
  private let recorder: Recorder

  init(_ inner: any Sink, recorder: Recorder) {
    self.inner = inner
    self.recorder = recorder
  }

  func write(_ batch: Batch) throws {
    try inner.write(batch)
    recorder.written(batch)
  }

  func finish() throws { try inner.finish() }
  func cancel() { inner.cancel() }
}
