/// Seals many plaintexts at once with one key, as Laravel 13's `Encrypter` writes them. One worker owns it.
final class Sealer {
  /// A plaintext's place in the buffer given, and its payload's in the sealer's own.
  struct Job {
    var plaintext: Range<Int>
    /// Whether a CBC envelope gets the member `tag`, which Laravel writes (as "") since 8.54.
    var hasTag: Bool
    var payload = 0..<0
    /// The ciphertext's place in the ciphertext buffer.
    fileprivate var ciphertext = 0..<0

    init(plaintext: Range<Int>, hasTag: Bool) {
      self.plaintext = plaintext
      self.hasTag = hasTag
    }
  }

  private enum Mode {
    case cbc(LockstepCBC)
    case gcm(CipherContext)
  }

  private let cipher: Cipher
  private let mode: Mode
  private let mac: HMACKey
  private let base64: Base64
  private let ivs = Scratch(capacity: 16 << 10)
  /// Padded plaintexts.
  private let blocks = Scratch()
  private let ciphertexts = Scratch()
  private let json = Scratch(capacity: 4 << 10)
  /// What a MAC is taken of.
  private let message = Scratch(capacity: 4 << 10)
  private let payloads = Scratch()

  init(_ key: AppKey, kernel: VectorKernel = .best) throws(EncryptionError) {
    base64 = Base64(kernel: kernel)
    cipher = key.cipher
    mode = cipher.isGCM ? .gcm(try CipherContext(key, .encrypt)) : .cbc(try LockstepCBC(key))
    mac = key.withBytes { HMACKey($0, kernel: kernel) }
  }

  /// Seals every job and sets where its payload lies.
  func seal(_ plaintexts: UnsafeRawBufferPointer, _ jobs: inout [Job]) throws(EncryptionError) {
    let used = layOut(plaintexts, &jobs)
    defer { blocks.wipeFirst(used) }
    let ivLength = cipher.ivLength
    ivs.reserve(jobs.count * ivLength)
    try ivs.withBytes { (ivs: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
      try fillWithRandomBytes(UnsafeMutableRawBufferPointer(rebasing: ivs[..<(jobs.count * ivLength)]))
    }
    try encrypt(jobs)
    reserveOutput(jobs)
    writePayloads(&jobs)
  }

  func withPayloads<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try payloads.withBytes { (bytes: UnsafeMutableRawBufferPointer) throws(Failure) in
      try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Copies the plaintexts one behind the other, padded in CBC mode, each with room for a tag behind it.
  private func layOut(_ plaintexts: UnsafeRawBufferPointer, _ jobs: inout [Job]) -> Int {
    let block = CipherContext.blockLength
    var end = 0
    for index in jobs.indices {
      let count = jobs[index].plaintext.count
      let length = cipher.isGCM ? count : (count / block + 1) * block
      jobs[index].ciphertext = end..<end + length
      end += length + (cipher.isGCM ? CipherContext.tagLength : 0)
    }
    blocks.reserve(end)
    ciphertexts.reserve(end)
    blocks.withBytes { blocks in
      for job in jobs {
        let target = UnsafeMutableRawBufferPointer(rebasing: blocks[job.ciphertext])
        let padding = UInt8(truncatingIfNeeded: target.count - job.plaintext.count)
        if padding > 0 {
          // The whole last block, before the plaintext takes its part of it.
          target.storeBytes(
            of: SIMD16(repeating: padding), toByteOffset: target.count - block, as: SIMD16<UInt8>.self)
        }
        target.copyMemory(from: slice(plaintexts, job.plaintext))
      }
    }
    return end
  }

  private func encrypt(_ jobs: [Job]) throws(EncryptionError) {
    let (cipher, mode, blocks, ciphertexts) = (cipher, mode, blocks, ciphertexts)
    try ivs.withBytes { (ivs: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
      try blocks.withBytes { (blocks: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
        try ciphertexts.withBytes { (ciphertexts: UnsafeMutableRawBufferPointer) throws(EncryptionError) in
          guard let iv = ivs.baseAddress, let source = blocks.baseAddress, let target = ciphertexts.baseAddress
          else { return }
          switch mode {
          case .cbc(let lockstep):
            defer { lockstep.wipePlaintexts() }
            try lockstep.encrypt(jobs.map(\.ciphertext), ivs: iv, from: source, into: target)
          case .gcm(let context):
            for (index, job) in jobs.enumerated() {
              let range = job.ciphertext
              try context.start(iv: iv + index * cipher.ivLength)
              try context.update(source + range.lowerBound, count: range.count, into: target + range.lowerBound)
              try context.finish(tag: target + range.upperBound)
            }
          }
        }
      }
    }
  }

  private func reserveOutput(_ jobs: [Job]) {
    var longest = 0
    var total = 0
    for job in jobs {
      let length = Base64.encodedLength(job.ciphertext.count) + EnvelopeWriter.overhead
      longest = max(longest, length)
      total += Base64.encodedLength(length)
    }
    json.reserve(longest + Base64.slack)
    message.reserve(longest + HMACKey.roomForPadding)
    payloads.reserve(total + Base64.slack)
  }

  /// Writes every job's envelope and the base64 of it, one payload behind the other.
  private func writePayloads(_ jobs: inout [Job]) {
    let ivLength = cipher.ivLength
    json.withBytes { json in
      message.withBytes { message in
        ciphertexts.withBytes { ciphertexts in
          ivs.withBytes { ivs in
            payloads.withBytes { payloads in
              guard let json = json.baseAddress, let message = message.baseAddress, let target = payloads.baseAddress
              else { return }
              let bytes = UnsafeRawBufferPointer(ciphertexts)
              var end = 0
              for index in jobs.indices {
                let iv = slice(UnsafeRawBufferPointer(ivs), index * ivLength..<(index + 1) * ivLength)
                let value = jobs[index].ciphertext
                var writer = EnvelopeWriter(base64: base64, buffer: json, message: message)
                if cipher.isGCM {
                  let tag = slice(bytes, value.upperBound..<value.upperBound + CipherContext.tagLength)
                  writer.writeGCM(iv: iv, value: slice(bytes, value), tag: tag)
                } else {
                  writer.writeCBC(iv: iv, value: slice(bytes, value), mac: mac, hasTag: jobs[index].hasTag)
                }
                let envelope = UnsafeRawBufferPointer(start: json, count: writer.count)
                let length = base64.encode(envelope, into: target + end)
                jobs[index].payload = end..<end + length
                end += length
              }
            }
          }
        }
      }
    }
  }
}
