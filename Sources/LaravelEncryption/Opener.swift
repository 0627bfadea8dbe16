/// Opens many payloads at once: reads every envelope, then tries one key after the other on all that are left.
///
/// Each key is tried as Laravel 13 does under the key's own cipher: length of the IV, tag, MAC, and only then
/// decryption. One worker owns it.
final class Opener {
  private let keys: [KeyOpener]
  private let base64 = Base64()
  private let json = Scratch()
  private let ciphertexts = Scratch()
  private let plaintexts = Scratch()
  /// How far the buffers were filled since they were wiped.
  private var used = 0
  /// One for each site of the last call.
  private(set) var openings: [Opening] = []

  init(_ keys: [AppKey]) throws(EncryptionError) {
    var openers: [KeyOpener] = []
    for (index, key) in keys.enumerated() { openers.append(try KeyOpener(key, index: index)) }
    self.keys = openers
  }

  func open(
    _ input: UnsafeRawBufferPointer, _ sites: UnsafeBufferPointer<PayloadSite>
  ) throws(EncryptionError) {
    reserve(sites)
    openings.removeAll(keepingCapacity: true)
    json.withBytes { json in
      ciphertexts.withBytes { ciphertexts in
        var reading = PayloadReading(base64: base64, json: json, ciphertexts: ciphertexts)
        for site in sites {
          openings.append(reading.read(UnsafeRawBufferPointer(rebasing: input[site.bytes])))
        }
        used = max(used, reading.ciphertextEnd)
      }
    }
    try tryKeys()
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

  private func tryKeys() throws(EncryptionError) {
    var pending = openings
    swap(&pending, &openings)
    defer { swap(&pending, &openings) }
    let json = json
    let ciphertexts = ciphertexts
    try plaintexts.withBytes { (plaintexts: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
      try ciphertexts.withBytes { (ciphertexts: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
        try json.withBytes { (json: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
          let buffers = OpeningBuffers(
            json: json, ciphertexts: UnsafeRawBufferPointer(ciphertexts), plaintexts: plaintexts, base64: base64)
          for key in keys { try key.open(&pending, buffers) }
        }
      }
    }
  }

  private func reserve(_ sites: UnsafeBufferPointer<PayloadSite>) {
    var total = 0
    for site in sites { total += Base64.decodedCapacity(site.bytes.count) + 2 * CipherContext.blockLength }
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
  let base64: Base64
}
