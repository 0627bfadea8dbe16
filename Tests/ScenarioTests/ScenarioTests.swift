import Testing

/// The folders of `Tests/Scenarios` (see `Scenario`).
struct ScenarioTests {
  @Test(arguments: Scenario.names)
  func folder(name: String) throws {
    try Scenario(name: name).run()
  }

  @Test func thereAreScenarios() {
    #expect(Scenario.names.count > 20)
  }
}
