/// The help texts, one for each command.
enum Help {
  enum Topic: String, CaseIterable, Sendable {
    case main, run, audit, check, clean, inspect

    /// The options, and whether each takes a value.
    var options: [String: Bool] {
      switch self {
      case .main: [:]
      case .run:
        [
          "--dry-run": false, "--force": false, "--restart": false, "--write-plaintext": false, "--audit-all": false,
          "--exit-code": false, "--json": false,
        ]
      case .audit: ["--output": false, "--audit-all": false, "--json": false]
      case .check: ["--force": false]
      case .clean: [:]
      case .inspect: ["--pipeline": true, "--reveal": false]
      }
    }
  }

  static func text(_ topic: Topic) -> String {
    switch topic {
    case .main:
      """
      rekey \(Version.number): move what Laravel encrypted from one APP_KEY to another

      Usage:
        rekey check FILE…           check pipeline files, keys, source and privileges; print the plan
        rekey run --dry-run FILE…   count what a run would do; write nothing
        rekey run FILE…             re-key; run again after a stop to go on
        rekey audit FILE…           say which values fail, and which still need a previous key
        rekey inspect               look at one payload on standard input
        rekey clean FILE            drop what runs keep in the database
        rekey help COMMAND          more on a command, with an example

      A pipeline FILE is YAML: keys, source, columns, sink. Keys are named by reference (env:APP_KEY), never written.

      Exit codes:
        0 done   1 fatal   2 usage or pipeline file   3 more failures than allowed   4 values need a previous key
        5 another run is under way   6 the keys don't fit the data   75 interrupted, run again to go on
        130, 143 after a second signal   141 standard output was closed
      """
    case .run:
      """
      Usage: rekey run [options] FILE…

      Opens each payload under the keys of the pipeline, seals it under the current one, checks the result and writes
      it. What no key opens is left as it is and reported. A second run changes nothing.

      Options:
        --dry-run           count what a run would do; write nothing but the audit log
        --exit-code         with --dry-run: exit with 4 where values need a previous key
        --force             replace an output file that exists
        --restart           drop an unfinished run instead of going on with it
        --write-plaintext   allow operation: decrypt to write plaintexts into a database
        --audit-all         write an audit line for every value
        --json              print a summary for machines on standard output

      Example: rekey run --dry-run rotate.yaml && rekey run rotate.yaml
      """
    case .audit:
      """
      Usage: rekey audit [options] FILE…

      Reads the pipeline's source, verifies every payload, and says which values fail, why, and whether any still needs
      a previous key (exit 4). It writes nothing but the audit log.

      Options:
        --output      read the CSV file that a run wrote (the sink's path) instead of the source
        --audit-all   write an audit line for every value
        --json        print a summary for machines on standard output

      Example: rekey audit rotate.yaml
      """
    case .check:
      """
      Usage: rekey check [--force] FILE…

      Reads pipeline files, resolves keys, opens the source, checks columns, key, privileges and lengths, looks at some
      values, and prints the plan. It writes nothing.

      Options:
        --force   an output file that exists is no error

      Example: rekey check rotate.yaml
      """
    case .clean:
      """
      Usage: rekey clean FILE

      Drops the pipeline's runs from the database, and the schema rekey when no other pipeline has any.

      Example: rekey clean rotate.yaml
      """
    case .inspect:
      """
      Usage: rekey inspect [--pipeline FILE [--reveal]]

      Reads one payload from standard input and prints what its envelope holds: sizes, cipher family, MAC and tag.

      Options:
        --pipeline FILE   also say which of this pipeline's keys opens it
        --reveal          print its plaintext, and nothing else

      Example: rekey inspect --pipeline rotate.yaml < payload.txt
      """
    }
  }
}
