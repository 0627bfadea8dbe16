/// Whether bytes look like a Laravel payload, whatever the keys.
///
/// With white space and double quotes removed they are only base64 letters, then `=`, and the first decoded byte is
/// `{`. What fails this and does not open is taken for a plaintext.
package func isPayloadLike(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var letters = 0
  var padded = false
  for byte in bytes {
    switch byte {
    case 0x09...0x0D, 0x20, UInt8(ascii: "\""):
      continue
    case UInt8(ascii: "="):
      padded = true
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      if padded { return false }
      // `{` is 0111_1011: the first letter is e, the second one of the last sixteen.
      if letters == 0, byte != UInt8(ascii: "e") { return false }
      if letters == 1, !isAmongLastSixteen(byte) { return false }
      letters += 1
    default:
      return false
    }
  }
  return letters >= 2
}

private func isAmongLastSixteen(_ letter: UInt8) -> Bool {
  switch letter {
  case UInt8(ascii: "w")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
    UInt8(ascii: "/"):
    true
  default: false
  }
}
