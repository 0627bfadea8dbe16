/// A cipher as `config/app.php` names it, and the two of Laravel 4's mcrypt encrypter.
///
/// Laravel 13 reads and writes the first four, and compares their names without regard to case. The others only
/// open what older releases sealed, so they stand for previous keys only.
package enum Cipher: String, CaseIterable, Sendable {
  case aes128CBC = "AES-128-CBC"
  case aes256CBC = "AES-256-CBC"
  case aes128GCM = "AES-128-GCM"
  case aes256GCM = "AES-256-GCM"
  /// What mcrypt's Rijndael-128 is with a key of 24 bytes (Laravel 4.2).
  case aes192CBC = "AES-192-CBC"
  /// AES in CBC mode, by the length of its key (Laravel 4.2 to 5.0).
  case mcryptRijndael128 = "mcrypt-rijndael-128"
  /// Blocks of 32 bytes, which is not AES (Laravel 4.0 to 5.0).
  case mcryptRijndael256 = "mcrypt-rijndael-256"

  /// The cipher of that name, upper or lower case; nil if there is none.
  package init?(name: String) {
    let wanted = name.lowercased()
    guard let cipher = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else { return nil }
    self = cipher
  }

  /// The lengths a key may have, in bytes.
  package var keyLengths: [Int] {
    switch self {
    case .aes128CBC, .aes128GCM: [16]
    case .aes192CBC: [24]
    case .aes256CBC, .aes256GCM: [32]
    case .mcryptRijndael128, .mcryptRijndael256: [16, 24, 32]
    }
  }

  /// Whether a tag authenticates the payload instead of a MAC.
  package var isGCM: Bool { self == .aes128GCM || self == .aes256GCM }

  /// Whether new payloads can be sealed with it: Laravel must be able to open them.
  package var canSeal: Bool {
    switch self {
    case .aes128CBC, .aes256CBC, .aes128GCM, .aes256GCM: true
    case .aes192CBC, .mcryptRijndael128, .mcryptRijndael256: false
    }
  }

  /// Whether payloads can be opened with it; Rijndael-256 is recognised, but not implemented.
  package var canOpen: Bool { self != .mcryptRijndael256 }

  /// The length of the IV, in bytes.
  var ivLength: Int {
    switch self {
    case .aes128GCM, .aes256GCM: 12
    case .aes128CBC, .aes192CBC, .aes256CBC, .mcryptRijndael128: 16
    case .mcryptRijndael256: 32
    }
  }
}
