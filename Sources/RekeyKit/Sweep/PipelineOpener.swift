import CSV
import Pipeline
import Postgres
import YAML

/// Opens what a pipeline names, and collects every problem with it.
struct PipelineOpener {
  let config: Config
  let keys: ResolvedKeys
  let options: SweepOptions
  /// Only look: make no output file (`rekey check`).
  var onlyChecks = false
  private var problems: [Problem] = []
  private var warnings: [Problem] = []

  init(_ config: Config, keys: ResolvedKeys, options: SweepOptions, onlyChecks: Bool = false) {
    self.config = config
    self.keys = keys
    self.options = options
    self.onlyChecks = onlyChecks
  }

  private var writes: Bool { options.mode == .run || onlyChecks }

  /// - Throws: `RekeyError` where a server or a file can't be reached at all.
  mutating func open() throws -> Result<OpenPipeline, InvalidConfig> {
    var opened = OpenPipeline(config: config, keys: keys, units: [])
    refusePlaintextInPlace()
    refuseProtectedTargets()
    guard problems.isEmpty else { return .failure(InvalidConfig(file: config.file, problems: problems)) }
    if options.auditsOutput {
      try openWrittenFile(&opened)
    } else {
      switch config.input {
      case .csv(let input): try openCSV(input, &opened)
      case .postgres(let input): try openTables(input, &opened)
      }
    }
    opened.warnings = keys.warnings + warnings
    return problems.isEmpty ? .success(opened) : .failure(InvalidConfig(file: config.file, problems: problems))
  }

  private mutating func refusePlaintextInPlace() {
    guard config.operation == .decrypt, options.mode == .run, !options.writePlaintext, !onlyChecks else { return }
    if case .csv = config.output { return }
    report(
      "operation: decrypt would write plaintexts into the database", at: config.keys.current.reference.mark,
      hint: "if that is meant, run with --write-plaintext")
  }

  /// With links, files of different names can be one.
  private mutating func refuseProtectedTargets() {
    let protected = ProtectedFiles(config)
    if let audit = config.audit {
      var what = protected.role(of: audit.value)
      if what == nil, case .csv(let path) = config.output, let log = FileStatus(following: audit.value),
        FileStatus(following: path.value)?.isSameFile(as: log) == true
      {
        what = "the sink"
      }
      if let what { report("the audit log is \(what)", at: audit.mark, hint: "name a file of its own") }
    }
    if let audit = config.audit, problems.isEmpty { _ = attempt(at: audit.mark) { try AuditLog.check(audit.value) } }
    if case .csv(let path) = config.output, let what = protected.role(of: path.value), what != "the source" {
      report("the sink is \(what)", at: path.mark, hint: "name a file of its own")
    }
  }

  // MARK: CSV

  private mutating func openCSV(_ input: Config.CSVInput, _ opened: inout OpenPipeline) throws {
    guard let file = attempt(at: input.path.mark, { try InputFile(path: input.path.value) }) else { return }
    let source = try source(of: file, input)
    guard let indexes = indexes(of: input.columns, in: source.header) else { return }
    var limits: [Int?] = input.columns.map { _ in nil }
    var end = CSVUnit.End.report
    var target: String?
    var keyIndexes: [Int] = []
    switch config.output {
    case .csv(let path):
      end = openOutput(path, input: file)
      target = path.value
    case .postgres(let output):
      guard let writer = try openTarget(output, input, source.header, &opened) else { return }
      limits = writer.table.columns.map(\.characterLimit)
      keyIndexes = writer.keyIndexes
      target = writer.table.table.description
      if options.mode == .run && !onlyChecks { end = .sink(writer.makeSink) }
    case .inPlace: break  // a CSV source with it is refused when the file is read
    }
    try source.choose(columns: indexes, keys: keyIndexes)
    opened.units.append(
      CSVUnit(
        place: .file(shown(input.path)), columns: rules(input.columns, limits: limits),
        size: file.size.map { .bytes($0) } ?? .unknown, source: source, format: format(of: input), end: end,
        target: target))
  }

  /// The file that a run wrote, under the sink's path.
  private mutating func openWrittenFile(_ opened: inout OpenPipeline) throws {
    guard case .csv(let path) = config.output, path.value != "-" else {
      report(
        "--output needs a pipeline that writes a CSV file", at: config.keys.current.reference.mark,
        hint: "without it the audit reads the source, which a run in place has written")
      return
    }
    var input: Config.CSVInput
    switch config.input {
    case .csv(let known): input = known
    case .postgres(let database):
      input = Config.CSVInput(
        path: path, delimiter: UInt8(ascii: ","), quote: UInt8(ascii: "\""), hasHeader: true, ragged: .error,
        columns: database.tables[0].columns)
    }
    input.path = path
    guard let file = attempt(at: path.mark, { try InputFile(path: path.value) }) else { return }
    let source = try source(of: file, input)
    guard let indexes = indexes(of: input.columns, in: source.header) else { return }
    try source.choose(columns: indexes)
    opened.units.append(
      CSVUnit(
        place: .file(shown(path)), columns: rules(input.columns, limits: []),
        size: file.size.map { .bytes($0) } ?? .unknown, source: source, format: format(of: input), end: .report,
        target: nil))
  }

  private func source(of file: InputFile, _ input: Config.CSVInput) throws -> CSVSource {
    try CSVSource(
      path: shown(input.path), read: { try file.read(into: $0) }, format: format(of: input),
      hasHeader: input.hasHeader, ragged: input.ragged == .pass ? .pass : .error,
      batchRows: config.limits.batchRows, batchBytes: config.limits.batchBytes)
  }

  private mutating func openOutput(_ path: Located<String>, input: InputFile?) -> CSVUnit.End {
    let force = options.force
    if options.mode == .audit { return .report }
    if options.mode == .dryRun || onlyChecks {
      _ = attempt(at: path.mark) { try OutputFile.check(path: path.value, input: input, force: force) }
      return .report
    }
    let output = attempt(at: path.mark) {
      try OutputFile(path: path.value, input: input, force: force)
    }
    return output.map { .file($0) } ?? .report
  }

  private mutating func indexes(of columns: [Config.Column], in header: CSVHeader) -> [Int]? {
    let before = problems.count
    let indexes = columns.compactMap { column in
      attempt(at: column.reference.mark) {
        do throws(RekeyError) {
          return try header.index(of: column.reference.value)
        } catch  where column.reference.isSubstituted {
          throw RekeyError(.usage, "there is no such column; its name comes from the environment, and isn't shown")
        }
      }
    }
    return problems.count == before ? indexes : nil
  }

  // MARK: PostgreSQL

  private mutating func openTables(_ input: Config.PostgresInput, _ opened: inout OpenPipeline) throws {
    let connections = LaneConnections(url: input.url.value)
    let connection = try connections.reader(0)
    opened.database = try identify(connection)
    var check = TableCheck(connection)
    var isInPlace = false
    if case .inPlace = config.output { isInPlace = true }
    for table in input.tables {
      let found = try check.find(
        table.name, columns: table.columns, filter: table.filter?.value, writes: writes && isInPlace)
      guard let found else { continue }
      if opened.units.contains(where: { $0.label == found.table.description }) {
        report("\(found.table.description) is named twice", at: table.name.mark, hint: "put its columns together")
        continue
      }
      if let filter = table.filter, !(try isValid(found, connection)) {
        report("the server can't evaluate `where` on \(found.table.description)", at: filter.mark)
        continue
      }
      if !found.table.children.isEmpty {
        warnings.append(
          Problem(
            "tables inherit from \(found.table.description) (\(found.table.children.joined(separator: ", "))): "
              + "their rows are not read with it", at: table.name.mark, severity: .warning))
      }
      let rules = rules(table.columns, limits: isInPlace ? found.columns.map(\.characterLimit) : [])
      if case .csv(let path) = config.output, options.mode == .run || onlyChecks {
        opened.units.append(
          contentsOf: try copyToFile(found, table, path, rules, connection).map { [$0] } ?? [])
      } else {
        opened.units.append(
          TableUnit(
            found, columns: rules, connections: connections, limits: config.limits,
            isInPlace: isInPlace && options.mode == .run))
      }
    }
    problems += check.problems
    if problems.isEmpty, isInPlace, writes { try checkState(connection) }
  }

  private mutating func copyToFile(
    _ found: PostgresTable, _ table: Config.Table, _ path: Located<String>, _ rules: [ColumnRule],
    _ connection: Connection
  ) throws -> CSVUnit? {
    let end = openOutput(path, input: nil)
    guard problems.isEmpty else { return nil }
    let stream = try PostgresCSVStream(connection, table: found)
    let source = try CSVSource(
      path: found.table.description, read: { try stream.read(into: $0) }, format: CSVFormat(), hasHeader: true,
      batchRows: config.limits.batchRows, batchBytes: config.limits.batchBytes, maxRecordBytes: 2 << 30)
    let keys = try found.table.key.map { try source.header.index(of: .name($0.name)) }
    guard let indexes = indexes(of: table.columns, in: source.header) else { return nil }
    try source.choose(columns: indexes, keys: keys)
    return CSVUnit(
      place: .table(found.table.description, key: found.table.key.map(\.name)), columns: rules,
      size: found.table.estimatedRows.map { .rows($0) } ?? .unknown, source: source, format: CSVFormat(), end: end,
      target: path.value, filters: table.filter == nil ? [] : ["`where` leaves rows out"])
  }

  private mutating func openTarget(
    _ output: Config.PostgresOutput, _ input: Config.CSVInput, _ header: CSVHeader, _ opened: inout OpenPipeline
  ) throws -> TableWriter? {
    let connection = try connect(output.url.value)
    opened.database = try identify(connection)
    var check = TableCheck(connection)
    let columns = input.columns.map { column in
      var named = column
      if case .number(let number) = column.reference.value, header.names.indices.contains(number - 1) {
        named.reference.value = .name(header.names[number - 1])
      }
      return named
    }
    let found = try check.find(output.table, columns: columns, filter: nil, writes: writes)
    problems += check.problems
    guard let table = found else { return nil }
    let wanted = Set(output.key.map(\.value))
    guard wanted == Set(table.table.key.map(\.name)) else {
      let names = table.table.key.map(\.name).joined(separator: ", ")
      report(
        "the key of \(table.table.description) is (\(names))", at: output.key[0].mark, hint: "write key: [\(names)]")
      return nil
    }
    for (column, place) in zip(table.columns, columns) where column.isBytes {
      report("bytea columns can't be updated from a CSV yet", at: place.reference.mark)
    }
    let keyIndexes = table.table.key.compactMap { key in
      attempt(at: output.key[0].mark) { try header.index(of: .name(key.name)) }
    }
    guard problems.isEmpty else { return nil }
    return TableWriter(
      connection: connection, table: table, keyIndexes: keyIndexes, header: header, format: format(of: input),
      insertsMissing: output.insertsMissing)
  }

  /// Whether the server can plan the table's `where`; what the planner says of it may hold values, so it isn't shown.
  ///
  /// Within brackets too: what closes a parenthesis that it didn't open would otherwise escape from its own.
  private func isValid(_ table: PostgresTable, _ connection: Connection) throws -> Bool {
    let predicate = table.predicate ?? "true"
    for condition in ["(\(predicate)\n)", "(ARRAY[\(predicate)\n])[1]"] {
      do {
        try connection.transaction(.snapshot) {
          _ = try connection.query("EXPLAIN SELECT FROM \(table.table.onlySQL) WHERE \(condition)")
        }
      } catch let error as PostgresError where !error.sqlState.isEmpty && !connection.isLost {
        return false
      }
    }
    return true
  }

  private mutating func checkState(_ connection: Connection) throws {
    guard case .schema(let schema) = config.state else {
      warnings.append(
        Problem(
          "state: none keeps no checkpoint: a broken run starts over, which is safe",
          at: config.keys.current.reference.mark,
          severity: .warning))
      return
    }
    let state = RunState(connection, schema: schema.value)
    guard onlyChecks, (try? state.isUsable()) != true else { return }
    warnings.append(
      Problem(
        "the role may not make the schema \(schema.value), which keeps where a run stands; let a DBA run:\n"
          + state.statements, at: schema.mark, severity: .warning))
  }

  private func identify(_ connection: Connection) throws -> OpenPipeline.Database {
    do {
      let identity = try Catalog(connection).databaseIdentity()
      return OpenPipeline.Database(place: connection.place, name: identity.database, role: identity.role)
    } catch let error as PostgresError {
      throw RekeyError(error, while: "opening \(connection.place)")
    }
  }

  // MARK: Helpers

  private func format(of input: Config.CSVInput) -> CSVFormat {
    CSVFormat(delimiter: input.delimiter, quote: input.quote) ?? CSVFormat()
  }

  private func rules(_ columns: [Config.Column], limits: [Int?]) -> [ColumnRule] {
    columns.enumerated().map { index, column in
      ColumnRule(
        name: column.reference.value.description, plaintext: column.plaintext,
        characterLimit: limits.indices.contains(index) ? limits[index] : nil)
    }
  }

  private func shown(_ path: Located<String>) -> String { path.value == "-" ? "standard input" : path.value }

  private mutating func report(_ message: String, at mark: Mark, hint: String? = nil) {
    problems.append(Problem(message, at: mark, hint: hint))
  }

  /// What ends one part's opening is a problem at its place in the pipeline file.
  private mutating func attempt<Value>(
    at mark: Mark, _ body: () throws -> Value
  ) -> Value? {
    do {
      return try body()
    } catch {
      report((error as? RekeyError)?.message ?? "\(error)", at: mark)
      return nil
    }
  }
}
