/// Opens many payloads at once: reads every envelope, then tries one key after the other on all that are left.
///
/// Each key is tried as Laravel 13 does under the key's own cipher: length of the IV, tag, MAC, and only then
/// decryption. The key that opened most of the part before is tried first, where its MAC rules out every other key:
/// what it opens, the keys in their order would have given the same, after more MACs. One worker owns it.
final class Opener {
  private let keys: [KeyOpener]
  private let base64: Base64
  private let json = Scratch()
  private let ciphertexts = Scratch()
  private let plaintexts = Scratch()
  /// What a MAC is taken of.
  private let message = Scratch(capacity: 16 << 10)
  /// The index of the key that is tried before the others.
  private var likely = 0
  /// How far the buffers were filled since they were wiped.
  private var used = 0
  /// One for each site of the last call.
  private(set) var openings: [Opening] = []

  init(_ keys: [AppKey], kernel: VectorKernel = .best) throws(EncryptionError) {
    base64 = Base64(kernel: kernel)
    var openers: [KeyOpener] = []
    for (index, key) in keys.enumerated() { openers.append(try KeyOpener(key, index: index, in: keys, kernel)) }
    self.keys = openers
  }

  func open(
    _ input: UnsafeRawBufferPointer, _ sites: UnsafeBufferPointer<PayloadSite>
  ) throws(EncryptionError) {
    reserve(sites)
    // Taken out, so that a site costs no claim on a shared object.
    var openings: [Opening] = []
    swap(&openings, &self.openings)
    defer { swap(&openings, &self.openings) }
    openings.removeAll(keepingCapacity: true)
    openings.append(contentsOf: repeatElement(Opening(), count: sites.count))
    used = max(used, read(input, sites, into: &openings))
    try tryKeys(on: &openings)
  }

  /// Takes the payloads apart, and returns where the ciphertexts end.
  private func read(
    _ input: UnsafeRawBufferPointer, _ sites: UnsafeBufferPointer<PayloadSite>, into openings: inout [Opening]
  ) -> Int {
    openings.withUnsafeMutableBufferPointer { openings in
      json.withBytes { json in
        ciphertexts.withBytes { ciphertexts in
          var reading = PayloadReading(base64: base64, json: json, ciphertexts: ciphertexts)
          for index in sites.indices {
            reading.read(UnsafeRawBufferPointer(rebasing: input[sites[index].bytes]), into: &openings[index])
          }
          return reading.ciphertextEnd
        }
      }
    }
  }

  func withPlaintexts<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try plaintexts.withBytes { (bytes: UnsafeMutableRawBufferPointer) throws(Failure) in
      try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Wipes the plaintexts of all calls since the last time.
  func wipePlaintexts() {
    plaintexts.wipeFirst(used)
    used = 0
  }

  private func tryKeys(on openings: inout [Opening]) throws(EncryptionError) {
    let (json, ciphertexts, message) = (json, ciphertexts, message)
    try plaintexts.withBytes { (plaintexts: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
      try ciphertexts.withBytes { (ciphertexts: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
        try json.withBytes { (json: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
          try message.withBytes { (message: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
            let buffers = OpeningBuffers(
              json: json, ciphertexts: UnsafeRawBufferPointer(ciphertexts), plaintexts: plaintexts, message: message,
              base64: base64)
            try tryKeys(on: &openings, buffers)
          }
        }
      }
    }
  }

  private func tryKeys(on openings: inout [Opening], _ buffers: OpeningBuffers) throws(EncryptionError) {
    var pending = openings.count { $0.isPending }
    if keys[likely].isToldByMAC {
      pending -= try keys[likely].guess(&openings, buffers)
    }
    for (index, key) in keys.enumerated() where pending > 0 {
      let opened = try key.open(&openings, buffers)
      pending -= opened
      if opened > openings.count / 2 { likely = index }
    }
  }

  private func reserve(_ sites: UnsafeBufferPointer<PayloadSite>) {
    var total = 0
    var longest = 0
    for site in sites {
      total += Base64.decodedCapacity(site.bytes.count) + 2 * CipherContext.blockLength
      longest = max(longest, site.bytes.count)
    }
    message.reserve(longest + HMACKey.roomForPadding)
    json.reserve(total)
    ciphertexts.reserve(total)
    plaintexts.reserve(total)
  }
}

/// The buffers that a key works on; offsets of the ciphertexts and the plaintexts are the same.
struct OpeningBuffers {
  let json: UnsafeMutableRawBufferPointer
  let ciphertexts: UnsafeRawBufferPointer
  let plaintexts: UnsafeMutableRawBufferPointer
  /// Room for the longest message that a MAC is taken of, with its padding.
  let message: UnsafeMutableRawBufferPointer
  let base64: Base64
}
