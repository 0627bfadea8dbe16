/// The candidate that a misspelt name most likely means: at most a third of its letters differ.
///
/// Counts what typing gets wrong: a letter missing, added, replaced, or two exchanged (optimal string alignment).
package func nearestName<Names: Sequence<String>>(to name: String, among candidates: Names) -> String? {
  var best: (name: String, distance: Int)?
  for candidate in candidates {
    let limit = max(1, max(name.count, candidate.count) / 3)
    let distance = editDistance(Array(name.lowercased()), Array(candidate.lowercased()), limit: limit)
    // With no letter in common the candidate says nothing, and may be anything.
    guard distance < min(name.count, candidate.count) else { continue }
    if distance <= limit, distance < best?.distance ?? Int.max { best = (candidate, distance) }
  }
  return best?.name
}

/// `, did you mean 'x'?` and the like read best as a problem's hint.
package func suggestion<Names: Sequence<String>>(for name: String, among candidates: Names) -> String? {
  nearestName(to: name, among: candidates).map { "did you mean '\($0)'?" }
}

private func editDistance(_ a: [Character], _ b: [Character], limit: Int) -> Int {
  if abs(a.count - b.count) > limit { return limit + 1 }
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
      row.append(cost)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
