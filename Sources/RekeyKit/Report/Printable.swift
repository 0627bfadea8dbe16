/// Text from a database or a file as a terminal may see it: control characters escaped, long text cut.
func printable(_ text: String, limit: Int = 60) -> String {
  var shown = ""
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
      shown += "\\u{\(String(scalar.value, radix: 16))}"
    default: shown.unicodeScalars.append(scalar)
    }
  }
  return shown.count > limit ? "\(shown.prefix(limit))…" : shown
}
