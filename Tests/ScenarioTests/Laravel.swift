import Foundation
import Testing

/// Real Laravel, in PHP: opens and seals many values in one process.
enum Laravel {
  struct Opening: Equatable {
    var plaintext: Data?
    /// Which key opened it: 0 the current one, n the n-th previous one.
    var key: Int?
    var error: String?
  }

  static func open(_ payloads: [String], key: String, previous: [String] = [], cipher: String) throws -> [Opening] {
    let lines = try ask(
      "open.php",
      payloads.map { payload in
        ["key": key, "previous_keys": previous, "cipher": cipher, "payload": payload] as [String: Any]
      })
    return lines.map { line in
      Opening(
        plaintext: (line["plaintext_b64"] as? String).flatMap { Data(base64Encoded: $0) }, key: line["key"] as? Int,
        error: line["error"] as? String)
    }
  }

  static func seal(_ plaintexts: [String], key: String, cipher: String) throws -> [String] {
    try ask(
      "seal.php",
      plaintexts.map { text in
        ["key": key, "cipher": cipher, "plaintext_b64": Data(text.utf8).base64EncodedString()] as [String: Any]
      }
    ).map { try #require($0["payload"] as? String) }
  }

  private static func ask(_ script: String, _ requests: [[String: Any]]) throws -> [[String: Any]] {
    var input = Data()
    for request in requests {
      input += try JSONSerialization.data(withJSONObject: request) + Data("\n".utf8)
    }
    let php = Tool(
      path: "/usr/bin/php", arguments: [repository.appendingPathComponent("Tests/Oracle/\(script)").path],
      folder: repository, input: input)
    let ended = try php.run()
    try #require(ended.code == 0, "php: \(ended.err)")
    let answers = try jsonLines(ended.out)
    try #require(answers.count == requests.count)
    return answers
  }
}

func jsonLines(_ data: Data) throws -> [[String: Any]] {
  try data.split(separator: UInt8(ascii: "\n")).map { line in
    try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
  }
}
