import LaravelEncryption
import YAML

extension ConfigReader {
  mutating func keys(_ node: Node, cipher: Cipher?) -> Config.Keys? {
    let what = "keys"
    guard let fields = fields(node, of: what, known: ["current", "previous", "proof"]) else { return nil }
    let current = required("current", in: fields, of: what).flatMap { reference($0, "keys.current") }
    let previous = fields["previous"].map { previousKeys($0, cipher: cipher) } ?? []
    let proof = optional(fields["proof"]) { text($0, "keys.proof") }
    if operation == .rekey, previous?.isEmpty ?? false {
      report(
        "'rekey' needs an old key to open values with", at: fields.keyMark("previous"), hint: "list it in keys.previous"
      )
    }
    guard let current, let previous, let proof, let cipher else { return nil }
    return Config.Keys(current: Config.Key(reference: current, cipher: cipher), previous: previous, proof: proof)
  }

  private mutating func previousKeys(_ node: Node, cipher: Cipher?) -> [Config.Key]? {
    guard let items = sequence(node, "keys.previous") else { return nil }
    let keys = items.enumerated().map { index, item in previousKey(item, "keys.previous[\(index)]", cipher: cipher) }
    return keys.contains { $0 == nil } ? nil : keys.compactMap(\.self)
  }

  private mutating func previousKey(_ node: Node, _ what: String, cipher: Cipher?) -> Config.Key? {
    guard case .mapping = node.content else {
      guard let reference = reference(node, what), let cipher else { return nil }
      return Config.Key(reference: reference, cipher: cipher)
    }
    guard let fields = fields(node, of: what, known: ["key", "cipher"]) else { return nil }
    let reference = required("key", in: fields, of: what).flatMap { self.reference($0, "\(what).key") }
    let own = fields["cipher"].map { self.cipher($0, "\(what).cipher", among: Cipher.allCases) } ?? cipher
    guard let reference, let own else { return nil }
    return Config.Key(reference: reference, cipher: own)
  }

  private mutating func reference(_ node: Node, _ what: String) -> Located<KeyReference>? {
    guard case .scalar(let scalar) = node.content, !scalar.isNull else {
      mismatch(node, "\(what) must be a reference to a key", hint: "write \(KeyReference.forms)")
      return nil
    }
    if scalar.text.contains("${") {
      let name = variableName(scalar.text) ?? "NAME"
      report("\(what) takes no variable, lest the key be text in memory", at: node.start, hint: "write env:\(name)")
      return nil
    }
    do throws(KeyReference.Malformed) {
      return Located(try KeyReference(parsing: scalar.text), at: node.start)
    } catch {
      report("\(what): \(error.reason)", at: node.start)
      return nil
    }
  }

  /// A cipher by its name in `config/app.php`, in any case.
  mutating func cipher(_ node: Node, _ what: String, among ciphers: [Cipher]) -> Cipher? {
    let names = ciphers.map(\.rawValue)
    guard let name = text(node, what) else { return nil }
    if let cipher = Cipher(name: name.value) {
      if ciphers.contains(cipher) { return cipher }
      report("\(what): Laravel no longer seals with this cipher", at: node.start, hint: "it is for keys.previous only")
    } else {
      let hint = name.isSubstituted ? nil : suggestion(for: name.value, among: names)
      mismatch(node, "\(what) must be one of \(names.joined(separator: ", "))", hint: hint)
    }
    return nil
  }

  /// Keeps what stands below `keys` and is neither a reference nor a cipher's name out of every message.
  mutating func hideKeys(_ node: Node) {
    switch node.content {
    case .scalar(let scalar):
      let isReference = (try? KeyReference(parsing: scalar.text)) != nil
      if !isReference, Cipher(name: scalar.text) == nil, variableName(scalar.text) == nil {
        file.hide(node.start, node.end)
      }
    case .sequence(let items):
      for item in items { hideKeys(item) }
    case .mapping(let pairs):
      for pair in pairs {
        if pair.key.text.count >= 16 { file.hide(pair.key.start, pair.key.end) }
        hideKeys(pair.value)
      }
    }
  }

  /// The name in a text that is `${NAME}` and no more.
  private func variableName(_ text: String) -> String? {
    guard text.hasPrefix("${"), text.hasSuffix("}") else { return nil }
    let name = text.dropFirst(2).dropLast()
    return isVariableName(name) ? String(name) : nil
  }
}
