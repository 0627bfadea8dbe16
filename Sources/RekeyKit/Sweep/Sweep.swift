import FoundationEssentials
import LaravelEncryption
import Pipeline
import Postgres

/// One pipeline's sweep: preflight, then every table or file, then the end of its run.
final class Sweep: @unchecked Sendable {  // one thread drives it; what lanes share is guarded by its own type
  let pipeline: OpenPipeline
  private let options: SweepOptions
  private let stop: StopFlag
  private var run: Run
  private var log: AuditLog?
  private var state: RunState?
  private var doesNotFit = false

  init(_ pipeline: OpenPipeline, options: SweepOptions, stop: StopFlag) {
    self.pipeline = pipeline
    self.options = options
    self.stop = stop
    run = Run(id: newRunID(), isResumed: false)
  }

  private var purpose: RekeyStage.Purpose {
    switch options.mode {
    case .run: .run(pipeline.config.operation)
    case .dryRun: .dryRun(pipeline.config.operation)
    case .audit: .audit
    }
  }

  /// What a look at some values says, before anything is written.
  func preflight() throws -> Preflight {
    var all = Preflight()
    var samples: [UnitSample] = []
    for unit in pipeline.units {
      let sample = try unit.sample(makeStage(unit, purpose: .audit))
      samples.append(sample)
      let one = Preflight(
        sample, unit: unit.label, columns: unit.columns, operation: pipeline.config.operation)
      all.errors += one.errors
      all.notes += one.notes
    }
    if let proof = pipeline.config.keys.proof { all.errors += try check(proof: proof.value) }
    doesNotFit = !all.errors.isEmpty
    // After a run, an audit is expected to find nothing under a previous key.
    if options.mode == .audit { return all }
    all.notes += Preflight.keyNotes(
      samples, previousKeys: pipeline.keys.ring.previous.count, hasProof: pipeline.config.keys.proof != nil,
      operation: pipeline.config.operation)
    return all
  }

  private func check(proof: String) throws -> [String] {
    do {
      let encrypter = try Encrypter(keyRing: KeyRing(current: pipeline.keys.ring.current))
      var (site, plaintext) = try encrypter.decryptString(Array(proof.utf8))
      if plaintext != nil { wipe(&plaintext!) }
      return site.openedBy == 0
        ? [] : ["keys.proof does not open under keys.current: the application seals with another key"]
    } catch {
      throw RekeyError(.fatal, error.description)
    }
  }

  /// Sweeps all units; a unit's failure doesn't stop the others.
  func execute(_ observer: (any SweepUnit, RunProgress) -> Void) -> SweepResult {
    let config = pipeline.config
    var result = SweepResult(
      name: config.name, file: config.file.name, run: run.id,
      keys: pipeline.keys.entries.map { ($0.place, $0.key.fingerprint) }, failuresAllowed: config.limits.failuresAllowed
    )
    result.stopAfterFailures = config.limits.stopAfterFailures
    result.operation = config.operation
    result.doesNotFit = doesNotFit
    result.writesStandardOutput = pipeline.writesStandardOutput
    if case .csv(let path) = config.output {
      if path.value != "-" { result.outputFile = path.value }
    } else {
      result.writesInPlace = true
      if case .csv = config.input { result.readsFileForTable = true }
    }
    guard !stop.isRequested else {
      result.error = RekeyError(.interrupted, "stopped before it began")
      return result
    }
    let started = ContinuousClock.now
    do {
      try begin()
      result.run = run.id
      result.isResumed = run.isResumed
      result.auditLog = log?.path
      for unit in pipeline.units {
        result.units.append(sweep(unit, observer))
      }
      try finishRun(result)
    } catch {
      result.error = rekeyError(error)
    }
    result.seconds = (ContinuousClock.now - started) / .seconds(1)
    do {
      try log?.append(summaryLine(result))
      try log?.sync()
    } catch {
      result.error = result.error ?? rekeyError(error)
    }
    return result
  }

  private func begin() throws {
    if let audit = pipeline.config.audit { log = try AuditLog(path: audit.value) }
    if options.mode == .run, let schema = pipeline.stateSchema, let tables = pipeline.units as? [TableUnit] {
      guard case .postgres(let input) = pipeline.config.input else { return }
      let state = RunState(try connect(input.url.value), schema: schema)
      run = try state.begin(
        id: run.id, pipeline: pipeline.config.name, parts: pipeline.meaning, restart: options.restart
      ) {
        try tables.map { TableShards(table: $0.table.table.description, ranges: try $0.cutShards()) }
      }
      self.state = state
      let leases = ShardLeases(state)
      for table in tables { table.state = TableUnit.State(leases: leases, run: run) }
    }
    let command = options.mode == .audit ? "audit" : options.mode == .dryRun ? "run --dry-run" : "run"
    try log?.append(AuditBegin(run: run.id, isResumed: run.isResumed, command: command, pipeline: pipeline).line)
  }

  private func sweep(
    _ unit: any SweepUnit, _ observer: (any SweepUnit, RunProgress) -> Void
  ) -> UnitResult {
    let totals = UnitTotals(columns: unit.columns)
    let progress = RunProgress()
    var result = UnitResult(
      label: unit.label, place: unit.place, columns: unit.columns, tally: Tally(), failures: [], failureCount: 0,
      isComplete: false, error: nil, unseen: [], target: unit.target)
    do {
      if run.isResumed, let state {
        for (table, tally) in try state.counts(run) where table == unit.label { totals.add(tally) }
      }
      observer(unit, progress)
      result.isComplete = try drive(unit, totals, progress)
    } catch {
      result.error = rekeyError(error)
    }
    result.tally = totals.tally
    result.failures = totals.failures
    result.failureCount = totals.failureCount
    result.unseen = unit.unseen
    return result
  }

  private func drive(_ unit: any SweepUnit, _ totals: UnitTotals, _ progress: RunProgress) throws -> Bool {
    let limits = pipeline.config.limits
    let recorder = Recorder(
      scope: AuditScope(
        run: run.id, pipeline: pipeline.config.name, place: unit.place, columns: unit.columns.map(\.name),
        fingerprints: pipeline.fingerprints, writesAll: options.auditAll),
      log: log, totals: totals, syncsEachBatch: options.mode == .run && unit is TableUnit,
      stopAfterFailures: limits.stopAfterFailures, stop: stop)
    let purpose = purpose
    let nextShard = try unit.begin(recorder) { try self.makeStage(unit, purpose: purpose) }
    let runner = Runner(
      limits: RunnerLimits(
        workers: limits.workers ?? coreCount(), lanes: unit.lanes, batchBytes: limits.batchBytes),
      stop: stop, progress: progress)
    return try runner.run(makeStage: { try makeStage(unit, purpose: purpose) }, nextShard: nextShard)
  }

  private func makeStage(_ unit: any SweepUnit, purpose: RekeyStage.Purpose) throws -> RekeyStage {
    try RekeyStage(
      keyRing: pipeline.keys.ring, verify: pipeline.config.verify, purpose: purpose, columns: unit.columns)
  }

  private func finishRun(_ result: SweepResult) throws {
    guard let state else { return }
    if result.isComplete {
      guard try !state.finish(run) else { return }
      throw RekeyError(.interrupted, "some shards are still worked on by another process; run again to go on")
    }
    try state.release(run)
  }

  private func summaryLine(_ result: SweepResult) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("summary")
      json.object { json in
        json.member("run", result.run)
        json.member("pipeline", result.name)
        json.key("tables")
        json.array { json in
          for unit in result.units { json.unit(unit, fingerprints: pipeline.fingerprints) }
        }
        json.member("error", result.error?.message)
        json.member("finished", timestamp())
        json.member("exit_code", Int(ExitCode.of(result, options)))
      }
    }
    json.newline()
    return json.bytes
  }

  private func rekeyError(_ error: any Error) -> RekeyError {
    switch error {
    case let error as RekeyError: error
    case let error as PostgresError: RekeyError(error, while: pipeline.config.name)
    default: RekeyError(.fatal, "\(error)")
    }
  }
}

/// A run's id: when it began, and six letters that tell it from another of the same second.
private func newRunID() -> String {
  let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
  let random = (0..<6).map { _ in letters[Int.random(in: 0..<letters.count)] }
  return timestamp().filter { $0 != "-" && $0 != ":" } + "-" + String(random)
}

/// The processors that this process may use.
private func coreCount() -> Int { ProcessInfo.processInfo.activeProcessorCount }
