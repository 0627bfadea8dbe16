/// How a pipeline file says which column it means.
package enum ColumnReference: Hashable, Sendable, CustomStringConvertible {
  case name(String)
  /// Counted from 1; CSV only.
  case number(Int)

  package var description: String {
    switch self {
    case .name(let name): name
    case .number(let number): "#\(number)"
    }
  }
}
