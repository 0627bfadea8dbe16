import LaravelEncryption

/// Which keys a pipeline uses, by fingerprint, and what is to be known of them.
enum KeysText {
  static func lines(_ pipeline: OpenPipeline) -> String {
    var table = TextTable()
    for entry in pipeline.keys.entries {
      table.add([
        entry.place, entry.key.fingerprint, entry.key.cipher.rawValue, entry.reference.value.description,
      ])
    }
    var lines = ["\(pipeline.config.name): keys", table.rendered(indent: "  ", leftColumns: 4)]
    lines += pipeline.warnings.map { pipeline.config.file.render($0) }
    lines += cipherWarnings(pipeline).map { "warning: \($0)" }
    return lines.joined(separator: "\n")
  }

  /// The application reads with one cipher at a time.
  private static func cipherWarnings(_ pipeline: OpenPipeline) -> [String] {
    let current = pipeline.keys.ring.current.cipher
    return pipeline.keys.entries.dropFirst().filter { $0.key.cipher != current }.map { entry in
      "\(entry.place) has the cipher \(entry.key.cipher.rawValue), keys.current \(current.rawValue): the application "
        + "can't read both at once, so stop it while this runs"
    }
  }
}
