/// `rekey clean`: drops what the pipeline's runs keep in the database.
struct CleanCommand {
  var file: String
  let console: Console
  let environment: ProcessEnvironment

  func run() -> Int32 {
    do {
      let config = try PipelineLoader(options: SweepOptions(mode: .run), environment: environment).read(file).get()
      guard case .postgres(let input) = config.input, case .schema(let schema) = config.state,
        case .inPlace = config.output
      else {
        throw RekeyError(.usage, "\(file): this pipeline keeps no state: there is nothing to clean")
      }
      console.out(try RunState(try connect(input.url.value), schema: schema.value).clean(pipeline: config.name))
      return ExitCode.done
    } catch let error as InvalidConfig {
      console.err(error.description)
      return ExitCode.usage
    } catch {
      return console.report(error)
    }
  }
}
