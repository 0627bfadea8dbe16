/// Counts of outcomes, for each column and key; they add up to the sites read.
package struct Tally: Equatable, Sendable {
  package struct Column: Equatable, Sendable {
    /// By `Outcome.index`.
    package var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)
    /// Sites opened by each key: 0 the current one, n previous[n - 1].
    package var openedBy: [Int] = []
    /// Values that changed during the run and open under a previous key: a process still seals with it.
    package var latePrevious = 0

    package init() {}

    package subscript(_ outcome: Outcome) -> Int {
      get { outcomes[outcome.index] }
      set { outcomes[outcome.index] = newValue }
    }

    package mutating func add(_ other: Column) {
      for index in outcomes.indices { outcomes[index] += other.outcomes[index] }
      for (key, count) in other.openedBy.enumerated() { addOpened(by: key, count) }
      latePrevious += other.latePrevious
    }

    package mutating func addOpened(by key: Int, _ count: Int = 1) {
      while openedBy.count <= key { openedBy.append(0) }
      openedBy[key] += count
    }

    package var sites: Int { outcomes.reduce(0, +) }
  }

  package var rows = 0
  /// By the index in the list of chosen columns.
  package var columns: [Column] = []

  package init() {}

  package mutating func add(_ other: Tally) {
    rows += other.rows
    for (index, column) in other.columns.enumerated() {
      while columns.count <= index { columns.append(Column()) }
      columns[index].add(column)
    }
  }

  /// Counts one site.
  package mutating func count(_ site: Site, column: Int) {
    while columns.count <= column { columns.append(Column()) }
    columns[column][site.outcome] += 1
    if site.openedBy >= 0 { columns[column].addOpened(by: site.openedBy) }
  }

  /// The sum over all columns.
  package var total: Column {
    var sum = Column()
    for column in columns { sum.add(column) }
    return sum
  }
}
