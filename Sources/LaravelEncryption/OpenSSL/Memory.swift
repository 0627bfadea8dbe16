import COpenSSL

/// Overwrites memory in a way that no optimiser leaves out.
func wipe(_ base: UnsafeMutableRawPointer, _ count: Int) {
  OPENSSL_cleanse(base, count)
}

/// Overwrites plaintexts or keys that are no longer needed, and empties the array but for its memory.
///
/// An array that grew on its way left copies behind: reserve what it needs before it holds a secret.
package func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { wipe(base, $0.count) } }
  bytes.removeAll(keepingCapacity: true)
}

/// Compares in a time that depends on the lengths alone.
func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count else { return false }
  guard let first = left.baseAddress, let second = right.baseAddress else { return true }
  return CRYPTO_memcmp(first, second, left.count) == 0
}

/// Compares buffers word for word, in a time that depends on the lengths alone: what `isEqual` does byte for byte.
@inline(__always)
func haveSameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt64 = 0
  var offset = 0
  while left.count - offset >= 8 {
    difference |=
      left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    offset += 8
  }
  while offset < left.count {
    difference |= UInt64(left[offset] ^ right[offset])
    offset += 1
  }
  return difference == 0
}

/// Fills memory with random bytes fit for IVs. Throws `openSSL` where the system gives none.
func fillWithRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) throws(EncryptionError) {
  guard let base = buffer.baseAddress, buffer.count > 0 else { return }
  guard let count = Int32(exactly: buffer.count),
    RAND_bytes(base.assumingMemoryBound(to: UInt8.self), count) == 1
  else { throw .openSSL("RAND_bytes") }
}
