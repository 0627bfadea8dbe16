extension RekeyError.Kind {
  var exitCode: Int32 {
    switch self {
    case .fatal: ExitCode.fatal
    case .usage: ExitCode.usage
    case .busy: ExitCode.busy
    case .keysDontFit: ExitCode.keysDontFit
    case .interrupted: ExitCode.interrupted
    case .closedPipe: ExitCode.closedPipe
    }
  }
}
