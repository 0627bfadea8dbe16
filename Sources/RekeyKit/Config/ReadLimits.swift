import YAML

extension ConfigReader {
  mutating func limits(_ node: Node) -> Config.Limits? {
    let known = ["batch_rows", "batch_bytes", "workers", "lanes", "failures_allowed", "stop_after_failures"]
    guard let fields = fields(node, of: "limits", known: known) else { return nil }
    var limits = Config.Limits()
    let before = problems.count
    if let node = fields["batch_rows"], let rows = integer(node, "batch_rows", in: 1...100_000) {
      limits.batchRows = rows
    }
    if let node = fields["batch_bytes"], let bytes = size(node, "batch_bytes", in: (64 << 10)...(256 << 20)) {
      limits.batchBytes = bytes
    }
    if let node = fields["workers"], let workers = integer(node, "workers", in: 1...64, orNil: "auto") {
      limits.workers = workers
    }
    if let node = fields["lanes"], let lanes = integer(node, "lanes", in: 1...32) {
      limits.lanes = lanes
    }
    if let node = fields["failures_allowed"], let count = integer(node, "failures_allowed", in: 0...Int.max) {
      limits.failuresAllowed = count
    }
    if let node = fields["stop_after_failures"],
      let count = integer(node, "stop_after_failures", in: 1...Int.max, orNil: "none")
    {
      limits.stopAfterFailures = count
    }
    return problems.count == before ? limits : nil
  }
}
