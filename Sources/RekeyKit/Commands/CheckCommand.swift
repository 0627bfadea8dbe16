import LaravelEncryption
import Pipeline

/// `rekey check`: everything that comes before the first row, and the plan; it writes nothing.
struct CheckCommand {
  var files: [String]
  var force: Bool
  let console: Console
  let environment: ProcessEnvironment

  func run() -> Int32 {
    // What a run would be refused for is what a dry run's units, opened as for writing, are refused for.
    var options = SweepOptions(mode: .dryRun)
    options.force = force
    let pipelines: [OpenPipeline]
    do throws(PipelineLoader.Failed) {
      pipelines = try PipelineLoader(options: options, environment: environment, onlyChecks: true).load(files)
    } catch {
      for message in error.messages { console.err(message) }
      return error.exitCode
    }
    return ExitCode.worst(pipelines.map { check($0, options) })
  }

  private func check(_ opened: OpenPipeline, _ options: SweepOptions) -> Int32 {
    var pipeline = opened
    pipeline.config.audit = nil
    do {
      let stop = StopFlag()
      let found = try Sweep(pipeline, options: options, stop: stop).preflight()
      let lengths = try mayOutgrow(pipeline) && found.errors.isEmpty ? countTooLong(pipeline, options, stop) : nil
      let tooLong = pipeline.units.indices.map { lengths?[$0] }
      console.out(PlanText(pipeline: opened, notes: found.notes, tooLong: tooLong).text)
      for error in found.errors { console.err("rekey: error: \(error)") }
      if !found.errors.isEmpty { return ExitCode.keysDontFit }
      return tooLong.contains { $0?.contains { $0 > 0 } ?? false } ? ExitCode.failures : ExitCode.done
    } catch {
      return console.report(error)
    }
  }

  /// Within a cipher family a new payload is never longer than the old one, so only other changes need counting.
  private func mayOutgrow(_ pipeline: OpenPipeline) -> Bool {
    let ring = pipeline.keys.ring
    let changesFamily = ring.previous.contains { $0.cipher.isGCM != ring.current.cipher.isGCM }
    return pipeline.units.contains { unit in
      unit.columns.contains { column in
        column.characterLimit != nil
          && (changesFamily || column.plaintext == .encrypt || pipeline.config.operation != .rekey)
      }
    }
  }

  /// Seals every value, writes none of them, and counts those that are too long.
  private func countTooLong(_ pipeline: OpenPipeline, _ options: SweepOptions, _ stop: StopFlag) throws -> [[Int]] {
    let result = Sweep(pipeline, options: options, stop: stop).execute { _, _ in }
    if let error = result.error ?? result.units.compactMap(\.error).first { throw error }
    return result.units.map { unit in unit.tally.columns.map { $0[.tooLong] } }
  }
}
