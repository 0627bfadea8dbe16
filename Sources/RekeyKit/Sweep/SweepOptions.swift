/// What a sweep over a pipeline's tables or file is for.
package enum SweepMode: Sendable {
  case run
  case dryRun
  case audit
}

/// What the command line says of a sweep.
package struct SweepOptions: Equatable, Sendable {
  package var mode: SweepMode
  /// Replace an output file that exists.
  package var force = false
  /// Drop an unfinished run instead of going on with it.
  package var restart = false
  /// Allow `operation: decrypt` in place.
  package var writePlaintext = false
  /// Write an audit line for every site.
  package var auditAll = false
  /// Audit what a run wrote (the sink's file) instead of what it read.
  package var auditsOutput = false
  /// A dry run exits with 4 where values need a previous key.
  package var exitCode = false

  package init(mode: SweepMode) { self.mode = mode }
}
