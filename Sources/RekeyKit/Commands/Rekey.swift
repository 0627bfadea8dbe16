/// The program.
package enum Rekey {
  /// Runs the command that the arguments, without the program's name, ask for; returns the exit code.
  package static func main(_ arguments: [String]) -> Int32 {
    hardenProcess()
    let environment = ProcessEnvironment()
    let console = Console(environment)
    let command: Command
    do throws(UsageError) {
      command = try Arguments.parse(arguments)
    } catch {
      let help = error.topic == .main ? "rekey --help" : "rekey \(error.topic.rawValue) --help"
      console.err("rekey: error: \(error.message); see \(help)")
      return ExitCode.usage
    }
    let code = run(command, console, environment)
    guard let failure = console.failure else { return code }
    if failure.kind != .closedPipe { console.err("rekey: error: \(failure.message)") }
    return ExitCode.worst([code, failure.kind.exitCode])
  }

  private static func run(_ command: Command, _ console: Console, _ environment: ProcessEnvironment) -> Int32 {
    switch command {
    case .sweep(let options, let files, let json):
      return SweepCommand(options: options, files: files, json: json, console: console, environment: environment).run()
    case .check(let files, let force):
      return CheckCommand(files: files, force: force, console: console, environment: environment).run()
    case .clean(let file):
      return CleanCommand(file: file, console: console, environment: environment).run()
    case .inspect(let pipeline, let reveal):
      return InspectCommand(pipeline: pipeline, reveals: reveal, console: console, environment: environment).run()
    case .help(let topic): console.out(Help.text(topic))
    case .version: console.out("rekey \(Version.number)")
    }
    return ExitCode.done
  }
}
