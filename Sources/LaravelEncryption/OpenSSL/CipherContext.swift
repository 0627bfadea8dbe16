import COpenSSL

/// One `EVP_CIPHER_CTX`: a key and a direction, made once and used for every payload after that.
final class CipherContext {
  enum Direction: Int32 {
    case decrypt = 0
    case encrypt = 1
  }

  enum Mode {
    /// The cipher's own.
    case named
    /// Each block by itself, from which other modes are built.
    case ecb
  }

  static let blockLength = 16
  static let tagLength = 16
  /// OpenSSL counts in `Int32`; longer inputs go in steps of this many bytes.
  private static let step = 1 << 30

  private let context: OpaquePointer

  /// Throws `openSSL`; the cipher must be one of AES.
  init(_ key: AppKey, _ direction: Direction, mode: Mode = .named) throws(EncryptionError) {
    guard let context = EVP_CIPHER_CTX_new() else { throw .openSSL("EVP_CIPHER_CTX_new") }
    self.context = context
    let started = key.withBytes { bytes -> Bool in
      guard let algorithm = Self.algorithm(key.cipher, mode, keyLength: bytes.count) else { return false }
      let secret = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return EVP_CipherInit_ex(context, algorithm, nil, secret, nil, direction.rawValue) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
    }
    guard started else { throw .openSSL("EVP_CipherInit_ex") }
  }

  deinit {
    EVP_CIPHER_CTX_free(context)
  }

  private static func algorithm(_ cipher: Cipher, _ mode: Mode, keyLength: Int) -> OpaquePointer? {
    switch (cipher, keyLength) {
    case (.aes128CBC, 16) where mode == .ecb: EVP_aes_128_ecb()
    case (.aes256CBC, 32) where mode == .ecb: EVP_aes_256_ecb()
    case (_, _) where mode == .ecb: nil
    case (.aes128GCM, 16): EVP_aes_128_gcm()
    case (.aes256GCM, 32): EVP_aes_256_gcm()
    case (.aes128CBC, 16), (.mcryptRijndael128, 16): EVP_aes_128_cbc()
    case (.aes192CBC, 24), (.mcryptRijndael128, 24): EVP_aes_192_cbc()
    case (.aes256CBC, 32), (.mcryptRijndael128, 32): EVP_aes_256_cbc()
    default: nil
    }
  }

  /// Starts a message: the IV of the cipher's length.
  func start(iv: UnsafeRawPointer) throws(EncryptionError) {
    let bytes = iv.assumingMemoryBound(to: UInt8.self)
    guard EVP_CipherInit_ex(context, nil, nil, nil, bytes, -1) == 1 else { throw .openSSL("EVP_CipherInit_ex") }
  }

  /// Decrypts or encrypts `count` bytes, in CBC mode a multiple of sixteen; there is no padding.
  func update(
    _ input: UnsafeRawPointer, count: Int, into output: UnsafeMutableRawPointer
  ) throws(EncryptionError) {
    let source = input.assumingMemoryBound(to: UInt8.self)
    let target = output.assumingMemoryBound(to: UInt8.self)
    var done = 0
    while done < count {
      let part = min(count - done, Self.step)
      var written: Int32 = 0
      guard EVP_CipherUpdate(context, target + done, &written, source + done, Int32(part)) == 1, written == part else {
        throw .openSSL("EVP_CipherUpdate")
      }
      done += part
    }
  }

  /// Ends a GCM message that was encrypted and writes its tag.
  func finish(tag: UnsafeMutableRawPointer) throws(EncryptionError) {
    guard finish(), EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag) == 1 else {
      throw .openSSL("EVP_CipherFinal_ex")
    }
  }

  /// Ends a GCM message that was decrypted: false if the tag is wrong, and then the plaintext must not be used.
  func finish(expecting tag: UnsafeMutableRawPointer) throws(EncryptionError) -> Bool {
    guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), tag) == 1 else {
      throw .openSSL("EVP_CTRL_AEAD_SET_TAG")
    }
    let isAuthentic = finish()
    if !isAuthentic { ERR_clear_error() }
    return isAuthentic
  }

  private func finish() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.blockLength, alignment: 8) { rest in
      var written: Int32 = 0
      return EVP_CipherFinal_ex(context, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), &written) == 1
    }
  }
}
