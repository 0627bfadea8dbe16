import CSV

/// Reads records through one buffer that is refilled behind them and grows only for a record larger than itself.
struct CSVRecordReader: ~Copyable {
  private let path: String
  private let fill: (UnsafeMutableRawBufferPointer) throws -> Int
  private let maxRecordBytes: Int
  private var parser: CSVParser
  private var buffer: UnsafeMutableRawBufferPointer
  /// What of the buffer is filled and not handed out yet.
  private var unread = 0..<0
  private var isAtEnd = false

  init(
    path: String, parser: CSVParser, maxRecordBytes: Int, bufferBytes: Int,
    fill: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) {
    self.path = path
    self.parser = parser
    self.maxRecordBytes = maxRecordBytes
    self.fill = fill
    buffer = .allocate(byteCount: min(bufferBytes, maxRecordBytes), alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// The columns whose fields are handed out, ascending from 0.
  var wanted: [Int] {
    get { parser.wanted }
    set { parser.wanted = newValue }
  }
  var fields: [CSVField] { parser.fields }
  var fieldCount: Int { parser.fieldCount }
  var isRagged: Bool { parser.isRagged }
  var row: Int { parser.row }
  /// The number of bytes handed out.
  var offset: Int { parser.offset }

  /// The next record's bytes, valid until the next call; nil at the end.
  mutating func next() throws -> UnsafeRawBufferPointer? {
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[unread])
      let length: Int?
      do {
        length = try parser.next(in: rest, isLast: isAtEnd)
      } catch {
        throw RekeyError(.fatal, "\(path): \(error)")
      }
      if let length {
        unread = unread.lowerBound + length..<unread.upperBound
        return UnsafeRawBufferPointer(rebasing: rest[..<length])
      }
      if isAtEnd { return nil }
      try refill()
    }
  }

  /// The number of fields of the first record, without handing it out; 0 for an empty input.
  mutating func countFirstFields() throws -> Int {
    let start = parser
    guard let record = try next() else { return 0 }
    let count = parser.fieldCount
    parser = start
    unread = unread.lowerBound - record.count..<unread.upperBound
    return count
  }

  private mutating func refill() throws {
    let count = unread.count
    if count >= maxRecordBytes {
      let error = parser.recordTooLarge(UnsafeRawBufferPointer(rebasing: buffer[unread]), limit: maxRecordBytes)
      throw RekeyError(.fatal, "\(path): \(error)")
    }
    if count > buffer.count / 4 * 3, buffer.count < maxRecordBytes {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: min(buffer.count * 2, maxRecordBytes), alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[unread]))
      buffer.deallocate()
      buffer = larger
    } else if unread.lowerBound > 0 {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[unread]))
    }
    let added = try fill(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
    unread = 0..<count + added
    isAtEnd = added == 0
  }
}
