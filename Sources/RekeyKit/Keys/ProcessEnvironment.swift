#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The block of `NAME=value` strings that a process is started with, read in place.
///
/// Made and used before the program starts a second thread.
package final class ProcessEnvironment {
  package typealias Block = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  private let block: Block?
  /// The variables that keys were read from.
  private var keyNames: Set<String> = []

  /// - Parameter block: ends with nil, as `environ` does.
  package init(block: Block? = environ) {
    self.block = block
  }

  /// The value as text, for `${NAME}`; nil if it isn't set.
  package subscript(name: String) -> String? {
    withValue(of: name) { value in value.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Overwrites the values that keys were read from, as the system shows them in `/proc/PID/environ`.
  ///
  /// Called once the keys of all pipelines are read, since two may name the same variable.
  package func overwriteKeys() {
    for name in keyNames {
      withValue(of: name) { value in
        guard let value, let start = value.baseAddress else { return }
        clear(UnsafeMutableRawPointer(mutating: start), value.count)
      }
    }
    keyNames.removeAll()
  }

  /// A key's bytes, which `overwriteKeys` will overwrite; nil if the variable isn't set.
  func key(_ name: String) -> SecretBuffer? {
    let key = value(name)
    if key != nil { keyNames.insert(name) }
    return key
  }

  /// The bytes of a variable that is no key by itself.
  func value(_ name: String) -> SecretBuffer? {
    withValue(of: name) { value in value.map { SecretBuffer($0) } }
  }

  private func withValue<Result>(of name: String, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
    var at = block
    while let entry = at?.pointee {
      let text = UnsafeRawBufferPointer(start: entry, count: strlen(entry))
      let nameCount = name.utf8.count
      if text.count > nameCount, text[nameCount] == UInt8(ascii: "="), text[..<nameCount].elementsEqual(name.utf8) {
        return body(UnsafeRawBufferPointer(rebasing: text[(nameCount + 1)...]))
      }
      at = at?.advanced(by: 1)
    }
    return body(nil)
  }
}
