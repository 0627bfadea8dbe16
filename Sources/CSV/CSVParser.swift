/// Parses CSV records from bytes that the caller holds; it does no I/O and allocates nothing for a record.
///
/// The rules are RFC 4180's, read as files in the field are written:
/// - A record ends with CRLF, LF or a lone CR outside quotes; the last one may lack its line end.
/// - A field is quoted if a quote is its first byte. Text after its closing quote is an error (PHP's `fgetcsv` and
///   PostgreSQL's COPY would append it to the value).
/// - A quote further on in an unquoted field is an ordinary byte, as `fgetcsv` reads it (COPY would begin a quoted
///   part there). A backslash is an ordinary byte too.
/// - A UTF-8 byte order mark belongs to the first record and to no field.
/// - Blank lines are no records but a part of the record before them, unless there is one column, where a blank line
///   is a record with an empty field. Blank lines before the first record are a part of that one.
/// - Every other byte, NUL included, is itself; no character set is assumed beyond ASCII's delimiters.
///
/// ```swift
/// var parser = CSVParser(format: CSVFormat(), hasHeader: true)
/// while let length = try parser.next(in: rest, isLast: true) { …; rest = rest[length...] }
/// ```
package struct CSVParser: Sendable {
  package let format: CSVFormat
  package let ragged: CSVRagged
  /// The columns whose fields are handed out, ascending from 0; changed between records only.
  package var wanted: [Int]

  /// The wanted fields of the record read last, in the order of `wanted`; a short record has fewer.
  package private(set) var fields: [CSVField] = []
  /// The number of fields of the record read last; 0 only where the whole input is blank.
  package private(set) var fieldCount = 0
  /// The number of fields of the first record.
  package private(set) var expectedFieldCount: Int?
  /// The number of the record read last: 0 is the header, data records follow from 1.
  package private(set) var row: Int
  /// The offset in the input of the record that comes next.
  package private(set) var offset = 0

  /// What of the next record has been read already, as offsets from its start.
  private enum Progress {
    case none
    /// Up to `position` of the field that begins at `fieldStart`.
    case fields
    /// The line end too; blank lines may follow.
    case lineEnd
  }
  private var progress = Progress.none
  private var position = 0
  private var fieldStart = 0
  private var column = 0
  private var hasDoubledQuotes = false
  private let scan: ByteScan

  package init(format: CSVFormat, ragged: CSVRagged = .error, hasHeader: Bool, wanted: [Int] = []) {
    self.format = format
    self.ragged = ragged
    self.wanted = wanted
    row = hasHeader ? -1 : 0
    scan = ByteScan(format)
  }

  package var isRagged: Bool { fieldCount != expectedFieldCount }

  /// Parses the record at the start of `bytes` and returns its length; nil if it doesn't end within them.
  ///
  /// After nil, call again with the same bytes and more behind them: what was read isn't read again. With `isLast`,
  /// nil means that `bytes` is empty. Throws `CSVError`; a parser is of no use after that.
  package mutating func next(in bytes: UnsafeRawBufferPointer, isLast: Bool) throws(CSVError) -> Int? {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return nil }
    let count = bytes.count
    if progress == .none {
      guard try begin(bytes, isLast: isLast) else { return nil }
    }
    if progress == .fields {
      guard try readFields(base, count: count, isLast: isLast) else { return nil }
    }
    if expectedFieldCount != 1 {
      while position < count, Self.isLineEnd(bytes[position]) { position += 1 }
      if position == count, !isLast { return nil }
    }
    progress = .none
    let length = position
    position = 0
    offset += length
    return length
  }

  /// The error for a record that doesn't end within `limit` bytes.
  package func recordTooLarge(_ bytes: UnsafeRawBufferPointer, limit: Int) -> CSVError {
    let isOpen = progress == .fields && fieldStart < bytes.count && bytes[fieldStart] == format.quote
    return error(.recordTooLarge(limit: limit, openQuote: isOpen ? offset + fieldStart : nil), at: 0)
  }

  /// Passes over a byte order mark and blank lines in front of the first record; false if more bytes are needed.
  private mutating func begin(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(CSVError) -> Bool {
    if offset == 0 {
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      guard bytes.count >= mark.count || isLast else { return false }
      if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
        row += 1
        throw error(.utf16, at: 0)
      }
      var start = bytes.starts(with: mark) ? mark.count : 0
      while start < bytes.count, Self.isLineEnd(bytes[start]) { start += 1 }
      guard start < bytes.count || isLast else { return false }
      position = start
    }
    row += 1
    fields.removeAll(keepingCapacity: true)
    fieldStart = position
    column = 0
    if position < bytes.count {
      progress = .fields
    } else {
      progress = .lineEnd
      fieldCount = 0
    }
    return true
  }

  /// Reads fields up to the record's line end; false if more bytes are needed.
  private mutating func readFields(
    _ base: UnsafeRawPointer, count: Int, isLast: Bool
  ) throws(CSVError) -> Bool {
    let scan = scan
    let delimiter = format.delimiter
    let quote = format.quote
    var column = column
    var start = fieldStart
    var from = position
    var nextWanted = fields.count < wanted.count ? wanted[fields.count] : -1
    while true {
      let isQuoted = start < count && base.load(fromByteOffset: start, as: UInt8.self) == quote
      var end: Int
      if isQuoted {
        fieldStart = start
        position = from
        guard let close = try closingQuote(base, count: count, isLast: isLast) else {
          self.column = column
          return false
        }
        from = close
        end = close + 1
      } else {
        end = scan.fieldEnd(from: from, in: base, count: count)
        from = end
      }
      let isAtEnd = end == count
      let terminator = isAtEnd ? CSVFormat.lineFeed : base.load(fromByteOffset: end, as: UInt8.self)
      if !isLast, isAtEnd || terminator == CSVFormat.carriageReturn && end + 1 == count {
        // A quoted field is seen again from its closing quote, an unquoted one from where it may go on.
        (self.column, fieldStart, position) = (column, start, from)
        return false
      }

      if column == nextWanted {
        fields.append(CSVField(raw: start..<end, isQuoted: isQuoted, hasDoubledQuotes: isQuoted && hasDoubledQuotes))
        nextWanted = fields.count < wanted.count ? wanted[fields.count] : -1
      }
      if isQuoted { hasDoubledQuotes = false }
      column += 1
      if terminator == delimiter {
        start = end + 1
        from = start
        continue
      }
      if !isAtEnd {
        end += 1
        if terminator == CSVFormat.carriageReturn, end < count,
          base.load(fromByteOffset: end, as: UInt8.self) == CSVFormat.lineFeed
        {
          end += 1
        }
      }
      position = end
      break
    }
    try endRecord(fieldCount: column)
    return true
  }

  /// The offset of the quote that closes the field at `fieldStart`; nil if more bytes are needed.
  ///
  /// `position` stays at the last quote that can't be judged yet.
  @inline(__always)
  private mutating func closingQuote(
    _ base: UnsafeRawPointer, count: Int, isLast: Bool
  ) throws(CSVError) -> Int? {
    var at = max(position, fieldStart + 1)
    while true {
      at = scan.quote(from: at, in: base, count: count)
      position = at
      if at == count {
        if isLast { throw error(.unterminatedQuote, at: fieldStart) }
        return nil
      }
      if at + 1 == count { return isLast ? at : nil }
      let following = base.load(fromByteOffset: at + 1, as: UInt8.self)
      if following == format.delimiter || Self.isLineEnd(following) { return at }
      guard following == format.quote else {
        let isEscaped = at - 1 > fieldStart && base.load(fromByteOffset: at - 1, as: UInt8.self) == UInt8(ascii: "\\")
        throw error(.textAfterQuote(afterBackslash: isEscaped), at: at + 1)
      }
      hasDoubledQuotes = true
      at += 2
    }
  }

  private mutating func endRecord(fieldCount: Int) throws(CSVError) {
    progress = .lineEnd
    self.fieldCount = fieldCount
    if let expectedFieldCount {
      if fieldCount != expectedFieldCount, ragged == .error {
        throw error(.ragged(found: fieldCount, expected: expectedFieldCount), at: 0)
      }
    } else {
      expectedFieldCount = fieldCount
    }
  }

  private func error(_ problem: CSVError.Problem, at position: Int) -> CSVError {
    CSVError(problem: problem, row: max(row, 0), byte: offset + position)
  }

  @inline(__always)
  private static func isLineEnd(_ byte: UInt8) -> Bool {
    byte == CSVFormat.lineFeed || byte == CSVFormat.carriageReturn
  }
}
