import Pipeline

/// `rekey run`, `rekey run --dry-run` and `rekey audit`.
struct SweepCommand {
  var options: SweepOptions
  var files: [String]
  var json: Bool
  let console: Console
  let environment: ProcessEnvironment

  func run() -> Int32 {
    let pipelines: [OpenPipeline]
    do throws(PipelineLoader.Failed) {
      pipelines = try PipelineLoader(options: options, environment: environment).load(files)
    } catch {
      for message in error.messages { console.err(message) }
      return error.exitCode
    }
    if json, options.mode == .run, pipelines.contains(where: \.writesStandardOutput) {
      console.err("rekey: error: --json and a sink that is standard output would mix; write the CSV to a file")
      return ExitCode.usage
    }
    let stop = StopFlag()
    let signals = StopSignals(stop: stop, console: console)
    defer { signals.end() }
    let sweeps = pipelines.map { Sweep($0, options: options, stop: stop) }
    for pipeline in pipelines { console.err(KeysText.lines(pipeline)) }
    let looked = preflight(sweeps)
    // An audit is there to say what fails, so it reads on.
    if looked == ExitCode.done || (looked == ExitCode.keysDontFit && options.mode == .audit) {
      return finish(sweep(sweeps))
    }
    if looked == ExitCode.keysDontFit { console.err("nothing was written") }
    return looked
  }

  /// All pipelines are looked at before the first one writes.
  private func preflight(_ sweeps: [Sweep]) -> Int32 {
    var codes: [Int32] = []
    for sweep in sweeps {
      do {
        let found = try sweep.preflight()
        for note in found.notes { console.err("note: \(note)") }
        for error in found.errors { console.err("rekey: error: \(error)") }
        if !found.errors.isEmpty { codes.append(ExitCode.keysDontFit) }
      } catch {
        codes.append(console.report(error))
      }
    }
    return ExitCode.worst(codes)
  }

  private func sweep(_ sweeps: [Sweep]) -> [SweepResult] {
    let display = ProgressDisplay(console)
    let results = sweeps.map { sweep in
      sweep.execute { unit, progress in display.show(unit, progress) }
    }
    display.end()
    return results
  }

  private func finish(_ results: [SweepResult]) -> Int32 {
    let summary = Summary(options: options, usesColor: console.usesColor)
    let isQuiet = results.contains { $0.units.contains { $0.error?.kind == .closedPipe } }
    let code = ExitCode.worst(results.map { ExitCode.of($0, options) })
    if !isQuiet {
      for result in results {
        console.err(summary.text(result))
        for line in Closing.lines(result, options) { console.err(line) }
      }
      if let line = Closing.exitLine(results, code) { console.err(line) }
    }
    if json { console.outBytes(summaryJSON(results, command: commandName, exitCode: code)) }
    return code
  }

  private var commandName: String {
    switch options.mode {
    case .run: "run"
    case .dryRun: "dry-run"
    case .audit: "audit"
    }
  }
}
