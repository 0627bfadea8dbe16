extension CSVFormat {
  /// Appends a quoted field's value with its doubled quotes made single.
  package func appendUnescaped(_ value: UnsafeRawBufferPointer, to target: inout [UInt8]) {
    guard let base = value.baseAddress else { return }
    let scan = ByteScan(self)
    var start = 0
    while start < value.count {
      let end = min(scan.quote(from: start, in: base, count: value.count) + 1, value.count)
      target.append(contentsOf: value[start..<end])
      start = end + 1
    }
  }

  /// Turns the bytes of `target` from `start` on, a plain value, into a field.
  ///
  /// A field that was quoted stays quoted. An unquoted one gets quotes only if the value needs them: it is empty (an
  /// unquoted empty field stands for NULL), or holds the delimiter, a quote, CR or LF. Where `keepsQuotes`, because the
  /// field held unquoted quotes as it was read, only a quote at its start needs them. The value is appended to the
  /// output first and quoted in place, so that no copy of it is made elsewhere.
  package func encodeField(
    in target: inout [UInt8], from start: Int, isQuoted: Bool, keepsQuotes: @autoclosure () -> Bool = false
  ) {
    var quotes = 0
    let needsQuotes = target.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, start < bytes.count else { return true }
      let scan = ByteScan(self)
      if !isQuoted, scan.special(from: start, in: base, count: bytes.count) == bytes.count { return false }
      var at = scan.quote(from: start, in: base, count: bytes.count)
      while at < bytes.count {
        quotes += 1
        at = scan.quote(from: at + 1, in: base, count: bytes.count)
      }
      if isQuoted || bytes[start] == quote || quotes > 0 && !keepsQuotes() { return true }
      return scan.fieldEnd(from: start, in: base, count: bytes.count) < bytes.count
    }
    guard needsQuotes else { return }

    var from = target.count
    target.append(contentsOf: repeatElement(quote, count: quotes + 2))
    target.withUnsafeMutableBytes { bytes in
      // Moved from the end, so that no byte is overwritten before it is moved.
      var to = bytes.count - 1
      while quotes > 0 {
        from -= 1
        to -= 1
        let byte = bytes[from]
        bytes[to] = byte
        guard byte == quote else { continue }
        to -= 1
        bytes[to] = quote
        quotes -= 1
      }
      // No quote is left: the rest moves by the opening quote alone.
      UnsafeMutableRawBufferPointer(rebasing: bytes[start + 1..<to])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<from]))
      bytes[start] = quote
    }
  }
}
