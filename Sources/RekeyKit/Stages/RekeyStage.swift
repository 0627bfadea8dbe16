import LaravelEncryption
import Pipeline

/// Gives every cell of a batch its sites, and every site its outcome and new bytes.
final class RekeyStage: Stage, @unchecked Sendable {  // one worker, or one lane's sink, owns and calls it
  /// What becomes of the values: what a run writes, a dry run counts alike.
  enum Purpose: Sendable {
    case run(Config.Operation)
    case dryRun(Config.Operation)
    case audit

    var operation: Config.Operation? {
      switch self {
      case .run(let operation), .dryRun(let operation): operation
      case .audit: nil
      }
    }
  }

  private let encrypter: Encrypter
  private let purpose: Purpose
  private let columns: [ColumnRule]
  private var payloads: [PayloadSite] = []
  /// Sites whose plaintext is to be sealed, by index.
  private var plaintexts: [Int] = []

  init(keyRing: KeyRing, verify: Bool, purpose: Purpose, columns: [ColumnRule]) throws {
    do {
      encrypter = try Encrypter(keyRing: keyRing, verify: verify)
    } catch {
      throw RekeyError(.fatal, error.description)
    }
    self.purpose = purpose
    self.columns = columns
  }

  func transform(_ batch: Batch) throws {
    findSites(batch)
    do {
      try open(batch)
      try sealPlaintexts(batch)
    } catch {
      throw RekeyError(.fatal, error.description)
    }
    if case .audit = purpose { return }
    refuseWhatDoesNotFit(batch)
  }

  /// A plain column is a cell with one site: its value without the white space and quotes around it.
  private func findSites(_ batch: Batch) {
    batch.sites.removeAll(keepingCapacity: true)
    batch.bytes.withUnsafeBytes { bytes in
      for index in batch.cells.indices {
        let value = batch.cells[index].value
        batch.cells[index].firstSite = batch.sites.count
        batch.cells[index].siteCount = 1
        batch.sites.append(Site(cell: index, old: value.isNull ? .null : trimmed(value, in: bytes)))
      }
    }
  }

  private func trimmed(_ value: Slice, in bytes: UnsafeRawBufferPointer) -> Slice {
    var start = value.start
    var end = value.end
    while start < end, isAround(bytes[start]) { start += 1 }
    while end > start, isAround(bytes[end - 1]) { end -= 1 }
    return Slice(start: start, length: end - start)
  }

  private func isAround(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09...0x0D, UInt8(ascii: "\""): true
    default: false
    }
  }

  private func open(_ batch: Batch) throws(EncryptionError) {
    payloads.removeAll(keepingCapacity: true)
    for site in batch.sites { payloads.append(PayloadSite(start: site.old.start, length: site.old.length)) }
    let operation: LaravelEncryption.Operation =
      switch purpose.operation {
      case .rekey, .encrypt: .rekey
      case .decrypt: .decrypt
      case nil: .classify
      }
    try process(operation, batch)
    plaintexts.removeAll(keepingCapacity: true)
    for index in batch.sites.indices {
      let payload = payloads[index]
      let cell = batch.cells[batch.sites[index].cell]
      batch.sites[index].openedBy = payload.openedBy
      batch.sites[index].reason = payload.reason
      batch.sites[index].outcome = Self.outcome(of: payload, for: purpose)
      if payload.newLength >= 0 {
        batch.sites[index].new = Slice(start: payload.newStart, length: payload.newLength)
        // What stood around a payload does not belong to its plaintext.
        if case .decrypt = operation { batch.sites[index].old = cell.value }
      }
      if payload.verdict == .notPayload || payload.verdict == .empty {
        settlePlaintext(batch, index, cell)
      }
    }
  }

  /// The whole value counts here, with whatever is around it.
  private func settlePlaintext(_ batch: Batch, _ index: Int, _ cell: Cell) {
    batch.sites[index].old = cell.value
    batch.sites[index].reason = nil
    guard cell.value.length > 0 else {
      batch.sites[index].outcome = .empty
      return
    }
    batch.sites[index].outcome = .plaintext
    guard let operation = purpose.operation, operation != .decrypt else { return }
    if operation == .encrypt || columns[cell.column].plaintext == .encrypt { plaintexts.append(index) }
  }

  private func sealPlaintexts(_ batch: Batch) throws(EncryptionError) {
    guard !plaintexts.isEmpty else { return }
    payloads.removeAll(keepingCapacity: true)
    for index in plaintexts {
      let value = batch.sites[index].old
      payloads.append(PayloadSite(start: value.start, length: value.length))
    }
    try process(.encrypt, batch)
    for (payload, index) in zip(payloads, plaintexts) where payload.newLength >= 0 {
      batch.sites[index].outcome = .encrypted
      batch.sites[index].new = Slice(start: payload.newStart, length: payload.newLength)
    }
  }

  private func process(_ operation: LaravelEncryption.Operation, _ batch: Batch) throws(EncryptionError) {
    try payloads.withUnsafeMutableBufferPointer {
      (sites: inout UnsafeMutableBufferPointer<PayloadSite>) throws(EncryptionError) in
      let sites = sites
      try batch.bytes.withUnsafeBufferPointer { (bytes: UnsafeBufferPointer<UInt8>) throws(EncryptionError) in
        try encrypter.process(operation, input: UnsafeRawBufferPointer(bytes), sites: sites, output: &batch.output)
      }
    }
  }

  static func outcome(of payload: PayloadSite, for purpose: Purpose) -> Outcome {
    switch payload.verdict {
    case .opensWithCurrent: purpose.operation == .decrypt ? .decrypted : .current
    case .opensWithPrevious:
      switch purpose {
      case .run(.decrypt), .dryRun(.decrypt): .decrypted
      case .run: .rekeyed
      case .dryRun, .audit: .previous
      }
    case .empty: .empty
    case .notPayload: .plaintext
    case .payloadInvalid: .payloadInvalid
    case .unsupportedCipher: .unsupportedCipher
    case .tagNotAllowed: .tagNotAllowed
    case .macInvalid: .macInvalid
    case .decryptFailed: .decryptFailed
    }
  }

  private func refuseWhatDoesNotFit(_ batch: Batch) {
    for cell in batch.cells {
      guard let limit = columns[cell.column].characterLimit, batch.isChanged(cell) else { continue }
      guard characters(of: cell, in: batch) > limit else { continue }
      for index in cell.firstSite..<(cell.firstSite + cell.siteCount) where batch.sites[index].isChanged {
        batch.sites[index].outcome = .tooLong
        batch.sites[index].reason = "the new value is longer than its column allows"
        batch.sites[index].new = .null
      }
    }
  }

  /// The characters of the cell's new value, in UTF-8: bytes that don't continue a character.
  private func characters(of cell: Cell, in batch: Batch) -> Int {
    var count = 0
    var at = cell.value.start
    for site in batch.sites[cell.firstSite..<(cell.firstSite + cell.siteCount)] where site.isChanged {
      count += characters(batch.bytes[at..<site.old.start]) + characters(batch.output[site.new.start..<site.new.end])
      at = site.old.end
    }
    return count + characters(batch.bytes[at..<cell.value.end])
  }

  private func characters(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }
}
