import LaravelEncryption
import Postgres

/// What a run means: an unfinished one is only continued by one that means the same.
extension OpenPipeline {
  var meaning: [DigestPart] {
    var parts = [DigestPart(name: "operation", value: config.operation.rawValue)]
    if let database { parts.append(DigestPart(name: "database", value: database.name)) }
    for unit in units {
      let columns = unit.columns.map { column in
        column.plaintext == .leave ? column.name : "\(column.name) (plaintext: \(column.plaintext.rawValue))"
      }
      parts.append(DigestPart(name: "columns of \(unit.label)", value: columns.joined(separator: ", ")))
      if let table = unit as? TableUnit {
        parts.append(DigestPart(name: "identity of \(unit.label)", value: "oid \(table.table.table.oid)"))
        if let filter = table.table.predicate {
          parts.append(DigestPart(name: "where of \(unit.label)", value: digest(of: filter)))
        }
      }
    }
    for entry in keys.entries {
      parts.append(
        DigestPart(name: "keys.\(entry.place)", value: "\(entry.key.cipher.rawValue) \(entry.key.fingerprint)"))
    }
    return parts
  }
}

/// A short mark of a text, to see whether it is the same again; it protects nothing (FNV-1a, 64 bits).
func digest(of text: String) -> String {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in text.utf8 {
    hash ^= UInt64(byte)
    hash &*= 0x100_0000_01b3
  }
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

func digest(of parts: [DigestPart]) -> String {
  digest(of: parts.map { "\($0.name)=\($0.value)\n" }.joined())
}
