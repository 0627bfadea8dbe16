import LaravelEncryption
import YAML

/// Turns references into keys and collects every problem on the way.
struct KeyResolver {
  let fetcher: KeyFetcher
  private(set) var problems: [Problem] = []
  private var warnings: [Problem] = []

  init(fetcher: KeyFetcher) {
    self.fetcher = fetcher
  }

  mutating func resolve(_ keys: Config.Keys) -> ResolvedKeys? {
    let current = resolveOne(keys.current).map { key in
      ResolvedKeys.Entry(key: key, place: "current", reference: keys.current.reference)
    }
    var previous: [ResolvedKeys.Entry] = []
    var place = 0
    for key in keys.previous {
      for appKey in resolveList(key, place: place) {
        if let appKey {
          previous.append(ResolvedKeys.Entry(key: appKey, place: "previous[\(place)]", reference: key.reference))
        }
        place += 1
      }
    }
    guard let current, problems.isEmpty else { return nil }
    checkEqual(current, previous)
    let entries = [current] + previous
    if let entry = entries.first(where: { !$0.key.isLocked }) {
      warn("the keys can't be locked in memory and may be swapped out; raise `ulimit -l`", at: entry.reference.mark)
    }
    do throws(EncryptionError) {
      let ring = try KeyRing(current: current.key, previous: previous.map(\.key))
      return ResolvedKeys(ring: ring, entries: entries, warnings: warnings)
    } catch {
      report("keys.current: \(error)", at: current.reference.mark)
      return nil
    }
  }

  /// The current key: a comma in it separates nothing, as in Laravel's `APP_KEY`.
  private mutating func resolveOne(_ key: Config.Key) -> AppKey? {
    guard let text = read(key, "keys.current") else { return nil }
    return text.withBytes { parse($0, key, "keys.current") }
  }

  /// A previous key, or as many as the text lists (Laravel 11, `config/app.php`: `array_filter(explode(',', …))`).
  ///
  /// - Returns: nil in the place of a key that was reported.
  private mutating func resolveList(_ key: Config.Key, place: Int) -> [AppKey?] {
    let what = "keys.previous[\(place)]"
    guard let text = read(key, what) else { return [nil] }
    return text.withBytes { bytes in
      let comma = UInt8(ascii: ",")
      // A raw key may hold a comma, but base64 doesn't.
      let isRaw = key.cipher.keyLengths.contains(bytes.count) && !bytes.starts(with: "base64:".utf8)
      if isRaw || !bytes.contains(comma) { return [parse(bytes, key, what)] }
      var keys: [AppKey?] = []
      for (index, part) in bytes.split(separator: comma).enumerated() {
        // PHP's array_filter drops what is empty and "0".
        if part.count == 1, part.first == UInt8(ascii: "0") { continue }
        let entry = UnsafeRawBufferPointer(rebasing: part)
        keys.append(parse(entry, key, "keys.previous[\(place + keys.count)] (number \(index + 1) in the list)"))
      }
      if keys.isEmpty { report("\(what): the list names no key", at: key.reference.mark) }
      return keys
    }
  }

  private mutating func read(_ key: Config.Key, _ what: String) -> SecretBuffer? {
    do throws(KeyFetcher.Failure) {
      return try fetcher.fetch(key.reference.value)
    } catch {
      report("\(what): \(error.reason)", at: key.reference.mark)
      return nil
    }
  }

  private mutating func parse(_ bytes: UnsafeRawBufferPointer, _ key: Config.Key, _ what: String) -> AppKey? {
    let mark = key.reference.mark
    do throws(EncryptionError) {
      let appKey = try AppKey.parse(bytes, cipher: key.cipher)
      if hasSpaceAround(bytes) {
        warn("\(what): white space stands around the key, which Laravel takes as part of it; remove it", at: mark)
      }
      return appKey
    } catch {
      report("\(what): \(error)", at: mark)
      return nil
    }
  }

  /// White space that isn't the line end of a key file, around a key that is written as base64.
  private func hasSpaceAround(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.starts(with: "base64:".utf8), let last = bytes.last else { return false }
    return isSpace(last) && last != UInt8(ascii: "\n")
  }

  private mutating func checkEqual(_ current: ResolvedKeys.Entry, _ previous: [ResolvedKeys.Entry]) {
    for (index, entry) in previous.enumerated() {
      let what = "keys.\(entry.place) (\(entry.key.fingerprint))"
      if isSame(entry.key, current.key) {
        report(
          "\(what) is the current key with the same cipher; remove it, or check what changed", at: entry.reference.mark)
      } else if let other = previous[..<index].first(where: { isSame(entry.key, $0.key) }) {
        warn("\(what) is the same as keys.\(other.place); remove it", at: entry.reference.mark)
      }
    }
  }

  private func isSame(_ a: AppKey, _ b: AppKey) -> Bool {
    a.cipher == b.cipher && a.hasSameBytes(as: b)
  }

  private mutating func report(_ message: String, at mark: Mark) {
    problems.append(Problem(message, at: mark))
  }

  private mutating func warn(_ message: String, at mark: Mark) {
    warnings.append(Problem(message, at: mark, severity: .warning))
  }
}
