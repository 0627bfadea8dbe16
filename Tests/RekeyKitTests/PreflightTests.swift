import Pipeline
import Testing

@testable import RekeyKit

@Suite struct PreflightTests {
  private func sample(_ counts: [Outcome: Int], filled: Bool = true) -> UnitSample {
    var column = UnitSample.Column()
    for (outcome, count) in counts { column.counts[outcome] = count }
    column.isAnyFilled = filled
    return UnitSample(hasRows: true, hasMatches: true, columns: [column])
  }

  private func judge(
    _ sample: UnitSample, plaintext: Config.PlaintextRule = .leave, operation: Config.Operation = .rekey
  ) -> Preflight {
    Preflight(
      sample, unit: "public.users",
      columns: [ColumnRule(name: "secret", plaintext: plaintext, characterLimit: nil)], operation: operation)
  }

  @Test func payloadsThatOpenPass() {
    #expect(judge(sample([.previous: 3, .macInvalid: 5])).errors.isEmpty)
    #expect(judge(sample([.current: 1])).errors.isEmpty)
  }

  @Test func payloadsOfWhichNoneOpensAreRefused() {
    let found = judge(sample([.macInvalid: 7, .payloadInvalid: 2]))
    #expect(
      found.errors == [
        "public.users, column secret: no key opens any of 9 sampled payloads (mac_invalid: 7): check keys.current, "
          + "keys.previous and cipher against the application's"
      ])
  }

  @Test(arguments: [true, false])
  func aColumnWithoutPayloadsIsRefused(filled: Bool) {
    let found = judge(sample(filled ? [.plaintext: 4] : [.empty: 4], filled: filled))
    #expect(found.errors.count == 1)
    #expect(found.errors[0].contains("is this the right column?"))
  }

  @Test func aColumnToSealNeedsNoPayloads() {
    #expect(judge(sample([.plaintext: 4]), operation: .encrypt).errors.isEmpty)
    #expect(judge(sample([.plaintext: 4]), plaintext: .encrypt).errors.isEmpty)
  }

  @Test func anEmptyTableIsFineAndSaysSo() {
    let empty = UnitSample(hasRows: false, hasMatches: false, columns: [UnitSample.Column()])
    let found = judge(empty)
    #expect(found.errors.isEmpty)
    #expect(found.notes == ["public.users is empty: there is nothing to do"])
  }

  @Test func aConditionThatMatchesNothingIsRefused() {
    let none = UnitSample(hasRows: true, hasMatches: false, columns: [UnitSample.Column()])
    #expect(judge(none).errors == ["public.users has rows, but `where` matches none of them: check the condition"])
  }

  @Test func rowsThatAreAllRaggedAreRefusedEvenWhereNoPayloadIsNeeded() {
    var ragged = sample([:], filled: false)
    ragged.isAllRagged = true
    #expect(judge(ragged, operation: .encrypt).errors.count == 1)
    #expect(judge(ragged).errors == judge(ragged, plaintext: .encrypt).errors)
  }

  @Test func keysThatMayBeSwappedAreNoted() {
    let notes = Preflight.keyNotes(
      [sample([.current: 3])], previousKeys: 1, hasProof: true, operation: .rekey)
    #expect(notes.count == 1 && notes[0].contains("swapped"))
    let unproven = Preflight.keyNotes(
      [sample([.previous: 3])], previousKeys: 1, hasProof: false, operation: .rekey)
    #expect(unproven.count == 1 && unproven[0].contains("keys.proof"))
    #expect(
      Preflight.keyNotes([sample([.previous: 3])], previousKeys: 1, hasProof: true, operation: .rekey).isEmpty)
  }
}

@Suite struct ExitCodeTests {
  private func result(
    _ counts: [Outcome: Int] = [:], failures: Int = 0, openedBy: [Int] = [], complete: Bool = true,
    error: RekeyError? = nil, stopAfter: Int? = nil
  ) -> SweepResult {
    var tally = Tally()
    var column = Tally.Column()
    for (outcome, count) in counts { column[outcome] = count }
    column.openedBy = openedBy
    tally.columns = [column]
    let unit = UnitResult(
      label: "t", place: .file("t"), columns: [], tally: tally, failures: [], failureCount: failures,
      isComplete: complete, error: error, unseen: [], target: nil)
    var result = SweepResult(
      name: "p", file: "p.yaml", run: "r", keys: [("current", "a"), ("previous[0]", "b")], failuresAllowed: 1,
      stopAfterFailures: stopAfter)
    result.units = [unit]
    return result
  }

  @Test func theWorstCounts() {
    let run = SweepOptions(mode: .run)
    #expect(ExitCode.of(result(), run) == 0)
    #expect(ExitCode.of(result(failures: 1), run) == 0)
    #expect(ExitCode.of(result(failures: 2), run) == 3)
    #expect(ExitCode.of(result(failures: 2, complete: false), run) == 75)
    #expect(ExitCode.of(result(failures: 2, complete: false, stopAfter: 1), run) == 3)
    #expect(ExitCode.of(result(complete: false, error: RekeyError(.fatal, "")), run) == 1)
    #expect(ExitCode.of(result(complete: false, error: RekeyError(.busy, "")), run) == 5)
    #expect(ExitCode.worst([4, 3, 75, 6, 1]) == 1)
    #expect(ExitCode.worst([4, 3, 75, 6]) == 6)
    #expect(ExitCode.worst([4, 3, 75]) == 75)
    #expect(ExitCode.worst([4, 3]) == 3)
    #expect(ExitCode.worst([]) == 0)
  }

  @Test func onlyAnAuditSpeaksOfPreviousKeys() {
    let needing = result([.previous: 2], openedBy: [5, 2])
    #expect(ExitCode.of(needing, SweepOptions(mode: .audit)) == 4)
    #expect(ExitCode.of(needing, SweepOptions(mode: .run)) == 0)
    var dry = SweepOptions(mode: .dryRun)
    #expect(ExitCode.of(needing, dry) == 0)
    dry.exitCode = true
    #expect(ExitCode.of(needing, dry) == 4)
    #expect(ExitCode.of(result(openedBy: [5]), SweepOptions(mode: .audit)) == 0)
  }

  @Test func verdictsNameEachPreviousKey() {
    #expect(Verdict.lines(result(openedBy: [5, 2]))[0] == "2 values still need previous[0] (b)")
    #expect(Verdict.lines(result(openedBy: [5]))[0] == "no value in these tables needs previous[0] (b)")
    #expect(
      Verdict.lines(result(openedBy: [5], complete: false))[0]
        == "not known whether a value needs previous[0] (b): t was not read to its end")
  }
}
