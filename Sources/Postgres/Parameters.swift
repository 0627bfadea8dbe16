import CLibPQ

/// The binary parameters of one statement, in one flat buffer that keeps its capacity from batch to batch.
///
/// An array is written in one go: `beginArray`, its elements in order, `endArray`.
package struct Parameters {
  /// The types that parameters are sent as.
  package enum Element: Sendable {
    case text, bytea, int8

    var oid: UInt32 {
      switch self {
      case .text: 25
      case .bytea: 17
      case .int8: 20
      }
    }

    var arrayOID: UInt32 {
      switch self {
      case .text: 1009
      case .bytea: 1001
      case .int8: 1016
      }
    }
  }

  private var bytes: [UInt8] = []
  private var types: [UInt32] = []
  private var starts: [Int] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []
  private var elements = 0

  package init() {}

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    types.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    formats.removeAll(keepingCapacity: true)
  }

  package mutating func add(_ text: String) {
    begin(Element.text.oid)
    bytes.append(contentsOf: text.utf8)
    end()
  }

  package mutating func add(_ number: Int) {
    begin(Element.int8.oid)
    append(Int64(number))
    end()
  }

  package mutating func addNull(_ type: Element) {
    begin(type.oid)
    starts[starts.count - 1] = -1
    lengths.append(0)
  }

  /// A text[] of a few elements.
  package mutating func add(_ texts: [[UInt8]]) {
    beginArray(of: .text)
    for text in texts { text.withUnsafeBytes { appendElement($0) } }
    endArray()
  }

  package mutating func addNullArray(of type: Element) {
    begin(type.arrayOID)
    starts[starts.count - 1] = -1
    lengths.append(0)
  }

  package mutating func beginArray(of type: Element) {
    begin(type.arrayOID)
    elements = 0
    append(Int32(1))  // dimensions
    append(Int32(1))  // there may be NULLs
    append(Int32(bitPattern: type.oid))
    append(Int32(0))  // the number of elements: known at the end
    append(Int32(1))  // the lower bound
  }

  package mutating func appendElement(_ value: UnsafeRawBufferPointer) {
    append(Int32(value.count))
    bytes.append(contentsOf: value)
    elements += 1
  }

  package mutating func appendElement(_ number: Int) {
    append(Int32(8))
    append(Int64(number))
    elements += 1
  }

  package mutating func appendNullElement() {
    append(Int32(-1))
    elements += 1
  }

  package mutating func endArray() {
    let start = starts[starts.count - 1]
    var count = Int32(elements).bigEndian
    withUnsafeBytes(of: &count) { bytes.replaceSubrange((start + 12)..<(start + 16), with: $0) }
    end()
  }

  /// An element whose bytes `body` appends to the given buffer: no copy in between.
  package mutating func appendElement(_ body: (inout [UInt8]) -> Void) {
    let at = bytes.count
    append(Int32(0))
    body(&bytes)
    var length = Int32(bytes.count - at - 4).bigEndian
    withUnsafeBytes(of: &length) { bytes.replaceSubrange(at..<(at + 4), with: $0) }
    elements += 1
  }

  private mutating func begin(_ type: UInt32) {
    types.append(type)
    starts.append(bytes.count)
    formats.append(1)
  }

  private mutating func end() {
    lengths.append(Int32(bytes.count - starts[starts.count - 1]))
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  func withPointers<R>(
    _ body: (
      Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) throws -> R
  ) rethrows -> R {
    try bytes.withUnsafeBytes { flat in
      // An empty value isn't NULL: it needs an address too.
      let base = flat.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
      let values: [UnsafePointer<CChar>?] = starts.map { start in
        start < 0 ? nil : (base + start).assumingMemoryBound(to: CChar.self)
      }
      return try body(Int32(types.count), types, values, lengths, formats)
    }
  }
}
