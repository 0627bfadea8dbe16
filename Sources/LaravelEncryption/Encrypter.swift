/// Opens and seals Laravel payloads, many in one call, reusing its contexts and buffers.
///
/// A payload that does not open is a `Verdict` of its site; an error thrown means that nothing can be relied on.
package final class Encrypter: @unchecked Sendable {  // handed over as a whole: one worker owns it and calls it
  private let opener: Opener
  private let sealer: Sealer
  /// Reads what was sealed by the path that will read it later; nil without `verify`.
  private let verifier: Opener?
  private var jobs: [Sealer.Job] = []
  private var jobSites: [Int] = []
  private var sealedSites: [PayloadSite] = []

  /// A batch is worked on in parts of this many sites and bytes, so that the buffers stay in the processor's cache.
  private static let partSites = 256
  private static let partBytes = 128 << 10

  /// With `verify`, every new payload is opened again and compared before it is handed out.
  package convenience init(keyRing: KeyRing, verify: Bool = true) throws(EncryptionError) {
    try self.init(keyRing: keyRing, verify: verify, kernel: .best)
  }

  /// The kernel must be available.
  convenience init(keyRing: KeyRing, verify: Bool, kernel: VectorKernel) throws(EncryptionError) {
    self.init(
      opener: try Opener(keyRing.all, kernel: kernel), sealer: try Sealer(keyRing.current, kernel: kernel),
      verifier: verify ? try Opener([keyRing.current], kernel: kernel) : nil)
  }

  init(opener: Opener, sealer: Sealer, verifier: Opener?) {
    self.opener = opener
    self.sealer = sealer
    self.verifier = verifier
  }

  /// Classifies every site of `input`, and appends to `output` the new bytes that the operation asks for.
  ///
  /// Sets the results of each site; `newStart` counts from the start of `output`. Throws `verificationFailed` or
  /// `openSSL`, and then the output must not be used.
  package func process(
    _ operation: Operation, input: UnsafeRawBufferPointer, sites: UnsafeMutableBufferPointer<PayloadSite>,
    output: inout [UInt8]
  ) throws(EncryptionError) {
    defer {
      opener.wipePlaintexts()
      verifier?.wipePlaintexts()
    }
    var start = 0
    while start < sites.count {
      var end = start
      var bytes = 0
      repeat {
        bytes += max(sites[end].length, 0)
        end += 1
      } while end < sites.count && end - start < Self.partSites && bytes + max(sites[end].length, 0) <= Self.partBytes
      try processPart(
        operation, input, UnsafeMutableBufferPointer(rebasing: sites[start..<end]), &output)
      start = end
    }
  }

  private func processPart(
    _ operation: Operation, _ input: UnsafeRawBufferPointer, _ sites: UnsafeMutableBufferPointer<PayloadSite>,
    _ output: inout [UInt8]
  ) throws(EncryptionError) {
    try opener.open(input, UnsafeBufferPointer(sites))
    take(operation, sites, &jobs, &jobSites, &output)
    guard !jobs.isEmpty else { return }
    if operation == .encrypt {
      try seal(input)
    } else {
      try opener.withPlaintexts { (plaintexts: UnsafeRawBufferPointer) throws(EncryptionError) in
        try seal(plaintexts)
      }
    }
    let start = output.count
    for (job, index) in zip(jobs, jobSites) {
      sites[index].newStart = start + job.payload.lowerBound
      sites[index].newLength = job.payload.count
    }
    let length = jobs.last?.payload.upperBound ?? 0
    sealer.withPayloads { output.append(contentsOf: $0[..<length]) }
  }

  /// Sets what was found at each site, and collects what is to be sealed.
  private func take(
    _ operation: Operation, _ sites: UnsafeMutableBufferPointer<PayloadSite>, _ jobs: inout [Sealer.Job],
    _ jobSites: inout [Int], _ output: inout [UInt8]
  ) {
    jobs.removeAll(keepingCapacity: true)
    jobSites.removeAll(keepingCapacity: true)
    let openings = opener.openings
    for index in sites.indices {
      sites[index].verdict = openings[index].verdict
      sites[index].openedBy = openings[index].openedBy
      sites[index].reason = openings[index].reason
      sites[index].newLength = -1
      switch operation {
      case .rekey where openings[index].verdict == .opensWithPrevious:
        jobs.append(Sealer.Job(plaintext: openings[index].plaintext, hasTag: openings[index].envelope?.hasTag ?? true))
        jobSites.append(index)
      case .encrypt where openings[index].verdict == .notPayload:
        jobs.append(Sealer.Job(plaintext: sites[index].bytes, hasTag: true))
        jobSites.append(index)
      case .decrypt where openings[index].openedBy >= 0:
        let plaintext = openings[index].plaintext
        sites[index].newStart = output.count
        sites[index].newLength = plaintext.count
        opener.withPlaintexts { output.append(contentsOf: slice($0, plaintext)) }
      case .classify, .rekey, .encrypt, .decrypt:
        break
      }
    }
  }

  /// Seals the jobs and verifies the result.
  private func seal(_ plaintexts: UnsafeRawBufferPointer) throws(EncryptionError) {
    try sealer.seal(plaintexts, &jobs)
    guard let verifier else { return }
    sealedSites.removeAll(keepingCapacity: true)
    for job in jobs {
      sealedSites.append(PayloadSite(start: job.payload.lowerBound, length: job.payload.count))
    }
    let sites = sealedSites
    try sealer.withPayloads { (payloads: UnsafeRawBufferPointer) throws(EncryptionError) in
      try sites.withUnsafeBufferPointer { (sites: UnsafeBufferPointer<PayloadSite>) throws(EncryptionError) in
        try verifier.open(payloads, sites)
      }
    }
    let openings = verifier.openings
    let jobs = jobs
    let isSame = verifier.withPlaintexts { opened in
      jobs.indices.allSatisfy { index in
        openings[index].openedBy == 0
          && haveSameBytes(slice(opened, openings[index].plaintext), slice(plaintexts, jobs[index].plaintext))
      }
    }
    guard isSame else { throw .verificationFailed }
  }
}

extension Encrypter {
  /// Opens one payload; the plaintext is nil where no key opens it.
  ///
  /// Example: `try encrypter.decryptString(Array("eyJpdiI6…".utf8)).plaintext`
  package func decryptString(
    _ payload: [UInt8]
  ) throws(EncryptionError) -> (site: PayloadSite, plaintext: [UInt8]?) {
    var sites = [PayloadSite(start: 0, length: payload.count)]
    var plaintext: [UInt8] = []
    try payload.withUnsafeBufferPointer { (input: UnsafeBufferPointer<UInt8>) throws(EncryptionError) in
      try sites.withUnsafeMutableBufferPointer {
        (sites: inout UnsafeMutableBufferPointer<PayloadSite>) throws(EncryptionError) in
        try process(.decrypt, input: UnsafeRawBufferPointer(input), sites: sites, output: &plaintext)
      }
    }
    return (sites[0], sites[0].openedBy >= 0 ? plaintext : nil)
  }

  /// Seals one plaintext with the current key, whatever it holds, as `Crypt::encryptString` does.
  package func encryptString(_ plaintext: [UInt8]) throws(EncryptionError) -> [UInt8] {
    jobs = [Sealer.Job(plaintext: plaintext.indices, hasTag: true)]
    try plaintext.withUnsafeBufferPointer { (bytes: UnsafeBufferPointer<UInt8>) throws(EncryptionError) in
      try seal(UnsafeRawBufferPointer(bytes))
    }
    verifier?.wipePlaintexts()
    let payload = jobs[0].payload
    return sealer.withPayloads { Array($0[payload]) }
  }
}
