#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process that holds a lease, so named that another on the same machine can tell whether it still lives.
package struct LeaseOwner: Equatable, Sendable {
  /// `host pid` and, on Linux, `boot-id pid-namespace start-time`: process numbers are used again, and two containers
  /// have the same ones.
  package let text: String

  package init(text: String) { self.text = text }

  /// This process.
  package static func current() -> LeaseOwner {
    let pid = getpid()
    var words = [hostName(), String(pid)]
    if let place = machine(), let start = startTime(of: pid) { words += [place.boot, place.namespace, start] }
    return LeaseOwner(text: words.joined(separator: " "))
  }

  /// Whether it ran on this machine and has ended. False where that can't be known: then its lease has to expire.
  package var isDead: Bool {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 5, let pid = Int32(words[1]), let here = LeaseOwner.machine(),
      words[2] == here.boot, words[3] == here.namespace
    else { return false }
    return LeaseOwner.startTime(of: pid) != words[4]
  }

  /// `host, process pid`, for messages.
  package var place: String {
    let words = text.split(separator: " ")
    return words.count >= 2 ? "\(words[0]), process \(words[1])" : text
  }

  /// This machine's name; `unknown` where it has none.
  static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func machine() -> (boot: String, namespace: String)? {
    guard let boot = contents("/proc/sys/kernel/random/boot_id") else { return nil }
    var link = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/self/ns/pid", &link, link.count)
    guard count > 0 else { return nil }
    let namespace = String(decoding: link.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (boot.filter { !$0.isWhitespace }, namespace)
  }

  /// The 22nd field of `/proc/PID/stat`; the second, a name in parentheses, can hold blanks. A process that has
  /// ended but wasn't waited for has none.
  private static func startTime(of pid: Int32) -> String? {
    guard let stat = contents("/proc/\(pid)/stat"), let name = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: name)...].split(separator: " ")
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
    return String(fields[19])
  }

  private static func contents(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
