/// Puts environment variables in the place of `${NAME}` and `${NAME:-default}`.
///
/// As in a shell, the default stands for a variable that is unset or empty. The result isn't looked at again, so a
/// value can't bring in another variable or any YAML. `$${` stands for `${`; any other `$` stands for itself.
enum Substitution {
  /// A text after substitution.
  struct Result: Equatable {
    var text: String
    /// Whether anything came from the environment or from a default.
    var isSubstituted = false
    /// Variables that are not set and have no default.
    var missing: [String] = []
    /// Whether a `${` isn't closed or holds no name.
    var isMalformed = false
  }

  static func apply(to text: String, environment: (String) -> String?) -> Result {
    var result = Result(text: "")
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result.text += rest[..<dollar]
      rest = rest[dollar...]
      if rest.hasPrefix("$${") {
        result.text += "${"
        rest = rest.dropFirst(3)
      } else if rest.hasPrefix("${") {
        guard let close = rest.firstIndex(of: "}") else {
          result.isMalformed = true
          return result
        }
        substitute(rest[rest.index(dollar, offsetBy: 2)..<close], into: &result, environment)
        rest = rest[rest.index(after: close)...]
      } else {
        result.text += "$"
        rest = rest.dropFirst()
      }
    }
    result.text += rest
    return result
  }

  private static func substitute(
    _ inside: Substring, into result: inout Result, _ environment: (String) -> String?
  ) {
    let colon = inside.firstIndex(of: ":") ?? inside.endIndex
    let name = String(inside[..<colon])
    let afterName = inside[colon...]
    guard isVariableName(name), afterName.isEmpty || afterName.hasPrefix(":-") else {
      result.isMalformed = true
      return
    }
    result.isSubstituted = true
    let value = environment(name)
    if !afterName.isEmpty, value?.isEmpty ?? true {
      result.text += afterName.dropFirst(2)
    } else if let value {
      result.text += value
    } else {
      result.missing.append(name)
    }
  }
}
