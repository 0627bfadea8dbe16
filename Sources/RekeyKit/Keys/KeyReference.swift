/// Where a key is to be found; never the key.
package enum KeyReference: Hashable, Sendable, CustomStringConvertible {
  /// `env:NAME`, an environment variable.
  case environment(name: String)
  /// `dotenv:FILE#NAME`, a variable in a Laravel `.env` file.
  case dotenv(path: String, name: String)
  /// `file:PATH`, a file that holds nothing but the key.
  case file(path: String)
  /// `fd:N`, an open file descriptor, read to its end.
  case descriptor(Int32)
  /// `credential:NAME`, a file in `$CREDENTIALS_DIRECTORY` (systemd.exec(5), "CREDENTIALS").
  case credential(name: String)

  /// As it is written in the pipeline file.
  package var description: String {
    switch self {
    case .environment(let name): "env:\(name)"
    case .dotenv(let path, let name): "dotenv:\(path)#\(name)"
    case .file(let path): "file:\(path)"
    case .descriptor(let number): "fd:\(number)"
    case .credential(let name): "credential:\(name)"
    }
  }

  static let forms = "env:NAME, dotenv:FILE#NAME, file:PATH, fd:N or credential:NAME"

  /// What is wrong with a text that should be a reference. It may be a key: the reason never repeats it.
  struct Malformed: Error, Equatable {
    var reason: String
  }

  init(parsing text: String) throws(Malformed) {
    guard let colon = text.firstIndex(of: ":") else { throw Self.notAReference(text) }
    let rest = String(text[text.index(after: colon)...])
    if rest.contains("base64:") { throw Self.notAReference("") }
    switch text[..<colon] {
    case "env":
      guard isVariableName(rest) else { throw Malformed(reason: "env: takes the name of an environment variable") }
      self = .environment(name: rest)
    case "dotenv":
      guard let hash = rest.lastIndex(of: "#"), hash > rest.startIndex,
        isVariableName(rest[rest.index(after: hash)...], dotsAllowed: true)
      else { throw Malformed(reason: "dotenv: takes a file and a name in it, as in dotenv:.env#APP_KEY") }
      self = .dotenv(path: String(rest[..<hash]), name: String(rest[rest.index(after: hash)...]))
    case "file":
      guard !rest.isEmpty else { throw Malformed(reason: "file: takes the path of a file that holds the key") }
      self = .file(path: rest)
    case "fd":
      guard let number = Int32(rest), number >= 0, rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw Malformed(reason: "fd: takes the number of an open file descriptor")
      }
      self = .descriptor(number)
    case "credential":
      guard !rest.isEmpty, !rest.contains("/"), rest != ".", rest != ".." else {
        throw Malformed(reason: "credential: takes the name of a file in $CREDENTIALS_DIRECTORY")
      }
      self = .credential(name: rest)
    default: throw Self.notAReference(String(text[..<colon]))
    }
  }

  private static func notAReference(_ scheme: String) -> Malformed {
    if let near = nearestName(to: scheme, among: ["env", "dotenv", "file", "credential"]), scheme.count < 12 {
      return Malformed(reason: "not a reference to a key; did you mean '\(near):'?")
    }
    return Malformed(reason: "expected a reference to a key, never the key itself; write \(forms)")
  }
}

/// Whether the text can name a variable: letters, digits and underscores, and no digit first.
func isVariableName(_ text: some StringProtocol, dotsAllowed: Bool = false) -> Bool {
  guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
  return text.utf8.allSatisfy { byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
    case 0x2E: dotsAllowed
    default: false
    }
  }
}
