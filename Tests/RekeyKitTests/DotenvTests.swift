import Testing

@testable import RekeyKit

@Suite struct ReadingDotenv {
  /// `NAME=value` for each variable, by name, or the failure.
  private func variables(_ text: String, environment: [String: String] = [:]) -> String {
    let file = buffer(Array(text.utf8))
    return withEnvironment(environment) { environment in
      do throws(Dotenv.Failure) {
        let dotenv = try Dotenv(file, environment: environment)
        return dotenv.variables.sorted { $0.key < $1.key }.map { "\($0.key)=\(string($0.value))" }
          .joined(separator: "|")
      } catch {
        return "line \(error.line): \(error.reason)"
      }
    }
  }

  @Test(arguments: [
    ("A=b", "A=b"),
    ("A = b \nC=\n", "A=b|C="),
    ("\u{FEFF}A=b\r\nC=d\rE=f", "A=b|C=d|E=f"),
    ("# A=b\n\n  # x\nC=d", "C=d"),
    ("export LONG=c\nexport\tOTHER=d", "LONG=c|OTHER=d"),
    ("A=b # c\nC=d#e\nE=#f", "A=b|C=d|E="),
    ("A='b # $c \\n'\nC='d' # e", "A=b # $c \\n|C=d"),
    ("A=\"b\\tc\\\"d\\\\e\\$f\" # g", "A=b\tc\"d\\e$f"),
    ("A=b\"c'd\\n", "A=b\"c'd\\n"),
    ("A==b=", "A==b="),
    ("'A'=b\n\"C\"=d", "A=b|C=d"),
    ("A.B_1=c\nÄ=d", "A.B_1=c|Ä=d"),
    ("A=b\nA=c", "A=c"),
    ("A=b\nA", ""),
    ("A=\"b\nc\n\nd\"\nE=f", "A=b\nc\n\nd|E=f"),
    ("A=\"b\n\"\nE=f", "A=b\n|E=f"),
    ("# A=\"b\nC=d\nE=\"\nF=g", "F=g"),
    ("A=\"b\nC=d", ""),
    ("A=base64:xyz+/=", "A=base64:xyz+/="),
    ("A=\"\"\nB=''", "A=|B="),
  ])
  func `as phpdotenv does`(text: String, expected: String) {
    #expect(variables(text) == expected)
  }

  @Test(arguments: [
    ("A=b\nC=${A}${A}x", "A=b|C=bbx"),
    ("A=b\nC=\"<${A}>\"", "A=b|C=<b>"),
    ("A=b\nC='${A}'", "A=b|C=${A}"),
    ("A=b\nC=\"\\${A}\"", "A=b|C=${A}"),
    ("C=${A}\nA=b", "A=b|C=${A}"),
    ("C=${HOME_KEY}!", "C=from outside!"),
    ("HOME_KEY=inside\nC=${HOME_KEY}", "C=inside|HOME_KEY=inside"),
    ("A='${B}'\nB=x\nC=${A}", "A=${B}|B=x|C=${B}"),
    ("A=x\nBx=y\nC=${B${A}}", "A=x|Bx=y|C=y"),
    ("A=b\nC=$A ", "A=b|C=$A"),
    ("A=b\nC=${}${A B", "line 2: text follows white space or a closing quote; put the whole value in quotes"),
    ("A=b\nC=${}${A", "A=b|C=${}${A"),
  ])
  func `with variables in it`(text: String, expected: String) {
    #expect(variables(text, environment: ["HOME_KEY": "from outside"]) == expected)
  }

  @Test(arguments: [
    ("A=b\nC=d e", "line 2: text follows white space or a closing quote; put the whole value in quotes"),
    ("A='b'c", "line 1: text follows white space or a closing quote; put the whole value in quotes"),
    ("A='b", "line 1: a quote is not closed"),
    ("A= \"b", "line 1: a quote is not closed"),
    ("A=\"\\x\"", "line 1: a backslash in double quotes stands before a character that it can't escape"),
    ("\n\n=b", "line 3: a name is missing before '='"),
    ("export A=b", "line 1: no name and '=' stand here; a value of several lines needs double quotes"),
    ("export export ", "line 1: no name and '=' stand here; a value of several lines needs double quotes"),
    ("A B=c", "line 1: no name and '=' stand here; a value of several lines needs double quotes"),
    ("A=\"x\ny\"\nz z", "line 3: no name and '=' stand here; a value of several lines needs double quotes"),
    ("A=\"x\ny\" z\n", "line 1: text follows white space or a closing quote; put the whole value in quotes"),
  ])
  func `refuses what Laravel refuses`(text: String, expected: String) {
    #expect(variables(text) == expected)
  }

  @Test func `survives whatever the bytes are`() {
    let seedText = Array("export A=\"b\\n${C}\"\nC='d' # e\nF=g${A}\n".utf8)
    var random = Seeded(state: 7)
    var read = 0
    for _ in 0..<3000 {
      var bytes = seedText
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(Array("\"'\\$#={} \n".utf8).randomElement(using: &random) ?? 0, at: at)
        default: bytes.remove(at: at)
        }
      }
      withEnvironment([:]) { environment in
        if (try? Dotenv(buffer(bytes), environment: environment)) != nil { read += 1 }
      }
    }
    #expect(read > 0 && read < 3000)
  }
}
