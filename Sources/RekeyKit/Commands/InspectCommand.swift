import LaravelEncryption
import Pipeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `rekey inspect`: what one payload on standard input holds, and which key opens it; its plaintext only on demand.
struct InspectCommand {
  var pipeline: String?
  var reveals: Bool
  let console: Console
  let environment: ProcessEnvironment

  func run() -> Int32 {
    do {
      if isatty(STDIN_FILENO) == 1 { console.err("reading a payload from standard input; end it with control-D") }
      let keys = try pipeline.map { try resolveKeys(of: $0) }
      let payload = try readPayload()
      if reveals, let keys { return try reveal(payload, keys) }
      let envelope = Self.envelope(of: payload)
      console.out(envelope.text)
      guard let keys else { return envelope.isFine ? ExitCode.done : ExitCode.failures }
      let opening = try Self.opening(of: payload, by: keys)
      console.out(opening.text)
      return envelope.isFine && opening.isFine ? ExitCode.done : ExitCode.failures
    } catch let error as InvalidConfig {
      console.err(error.description)
      return ExitCode.usage
    } catch let error as EncryptionError {
      console.err("rekey: error: \(error.description)")
      return ExitCode.fatal
    } catch {
      return console.report(error)
    }
  }

  private func readPayload() throws -> [UInt8] {
    var payload = try InputFile(path: "-").readAll(limit: 64 << 20, tooLarge: "more than 64 MiB: give one payload")
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    while let last = payload.last, isSpace(last) { payload.removeLast() }
    payload.removeFirst(payload.prefix(while: isSpace).count)
    guard !payload.isEmpty else { throw RekeyError(.usage, "standard input holds nothing: give one payload") }
    return payload
  }

  /// What the envelope holds, and whether it is well formed.
  static func envelope(of payload: [UInt8]) -> (text: String, isFine: Bool) {
    let report = payload.withUnsafeBytes { EnvelopeReport($0) }
    var table = TextTable()
    table.add(["payload", "\(grouped(payload.count)) bytes"])
    if let fault = report.fault {
      table.add(["fault", fault])
      table.add(["payload-like", report.isPayloadLike ? "yes" : "no"])
    } else {
      table.add(["envelope", "\(grouped(report.jsonLength)) bytes of JSON"])
      table.add(["family", report.family.rawValue])
      table.add(["iv", report.ivLength.map { "\($0) bytes" } ?? "not base64"])
      table.add(["value", "\(grouped(report.ciphertextLength)) bytes of ciphertext"])
      table.add(["mac", report.macLength == 0 ? "none" : "\(report.macLength) characters"])
      table.add(["tag", report.tagLength.map { $0 == 0 ? "empty" : "\($0) bytes" } ?? "none"])
    }
    return (table.rendered(indent: "", leftColumns: 2), report.fault == nil)
  }

  /// Which key opens it, or the outcome and why; and whether one does.
  static func opening(of payload: [UInt8], by keys: ResolvedKeys) throws(EncryptionError) -> (
    text: String, isFine: Bool
  ) {
    var (site, plaintext) = try Encrypter(keyRing: keys.ring).decryptString(payload)
    if plaintext != nil { wipe(&plaintext!) }
    guard site.openedBy >= 0 else {
      return ("opened by no key (\(keys.entries.count) tried), \(failure(of: site))", false)
    }
    let entry = keys.entries[site.openedBy]
    return ("opened by \(entry.place), \(entry.key.cipher.rawValue) key \(entry.key.fingerprint)", true)
  }

  private static func failure(of site: PayloadSite) -> String {
    let outcome = RekeyStage.outcome(of: site, for: .audit)
    let reason = site.reason.map { "\($0)" } ?? "not payload-like"
    return "\(outcome.rawValue): \(reason)"
  }

  private func reveal(_ payload: [UInt8], _ keys: ResolvedKeys) throws -> Int32 {
    var (site, plaintext) = try Encrypter(keyRing: keys.ring).decryptString(payload)
    guard plaintext != nil else {
      console.err("rekey: error: no key opens it, \(Self.failure(of: site))")
      return ExitCode.failures
    }
    defer { wipe(&plaintext!) }
    console.outBytes(plaintext!)
    return ExitCode.done
  }

  private func resolveKeys(of file: String) throws -> ResolvedKeys {
    let config = try PipelineLoader(options: SweepOptions(mode: .audit), environment: environment).read(file).get()
    defer { environment.overwriteKeys() }
    return try config.resolveKeys(environment).get()
  }
}
