import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Chains of conflicts: each object that is left out takes back the value that another one was given.
@Suite struct UniqueChainTests {
  /// Accounts whose email, or whose number, equals the value of the account with a number one higher, or `step` higher.
  private func accounts(_ range: some Sequence<Int>, _ step: Int, _ write: (Int, Int) -> String) -> String {
    "[" + range.map { write($0, $0 + step) }.joined(separator: ",") + "]"
  }

  private func email(_ id: Int, _ value: Int) -> String { #"{"id":\#(id),"email":"e\#(value)"}"# }

  private func number(_ id: Int, _ value: Int) -> String {
    #"{"id":\#(id),"team":{"id":\#(value % 7)},"number":\#(value)}"#
  }

  /// A node that is nested in another one.
  private func nested(_ id: Int, _ value: Int) -> String {
    #"{"id":\#(1000 + id),"next":{"id":\#(id),"name":"n\#(value)"}}"#
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aChainIsFollowedToItsEnd(_ kind: StoreKind, _ isOfSeveralFields: Bool) throws {
    let length = TestSize.count(kind, small: 12, others: 5, whole: 40)
    let write = isOfSeveralFields ? number : email
    // The last one of the payload comes first, in its middle, and at its end.
    for order in [Array(0..<length), (0..<length).reversed(), (0..<length).map { $0 * 7 % length }] {
      let world = try World(kind, UniqueImportTests.account, holding: accounts(0..<length + 1, 0, write))
      let before = try world.dump()
      let others = (0..<20).map { #"{"id":\#(length + 10 + $0),"note":"x"}"# }.joined(separator: ",")
      let payload = accounts(order, 1, write).dropLast() + ",\(others)]"
      let report = try world.report(String(payload), options: .skipping)
      #expect(report.errorCount == length)
      let after = try world.dump()
      #expect(Set(before.split(separator: "\n")).isSubset(of: after.split(separator: "\n")))
      #expect(after.split(separator: "\n").count == before.split(separator: "\n").count + 20)
      let first = try #require(report.errors.first { "\($0.path)" == "$[0]" })
      let (id, other) = (order[0], order[0] + 1)
      #expect(first.message.contains("found one with the key \(id) that has "), "\(first)")
      #expect(first.message.hasSuffix("as the one with the key \(other)"), "\(first)")
    }
  }

  /// An object nested in a skipped object is skipped with it, and then conflicts with nothing.
  @Test(arguments: StoreKind.allCases)
  func anObjectInsideOfOneThatIsLeftOutIsNoLinkOfAChain(_ kind: StoreKind) throws {
    let node = Self.node
    let world = try World(kind, node)
    try world.load(#"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"}]"#)
    // 2 takes back "b", which 3 has; but 3 is nested in 2.
    let report = try world.report(
      #"[{"id":2,"name":"a","next":{"id":3,"name":"b"}},{"id":4,"name":"d"},{"id":3,"next":{"id":1}}]"#,
      options: .skipping)
    #expect(report.errors.map { "\($0.path)" } == ["$[0]"])
    try #expect(
      world.dump() == "Node 1 name=\"a\"\nNode 2 name=\"b\"\nNode 3 name=\"c\" next=1\nNode 4 name=\"d\"")
  }

  static let node: Mapping<Record> = Mapping("Node", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToOne("next", node)
    Index("name", isUnique: true)
  }

  @Test(arguments: StoreKind.allCases)
  func aChainThatIsTooLongIsAnErrorThatChangesNothing(_ kind: StoreKind) throws {
    let cases = [(61, false), (70, true)]
    for (length, isGivenUp) in TestSize.cases(cases, small: kind == .memory ? 2 : 0) {
      let world = try World(kind, Self.node, holding: accounts(0..<length + 1, 0, nested))
      let before = try world.dump()
      let payload = accounts(0..<length, 1, nested)
      var options = ImportOptions.skipping
      options.spareConflictWork = 0
      guard isGivenUp else {
        try #expect(world.report(payload, options: options).errorCount == length)
        continue
      }
      let heard = Collector<String>()
      options.onError = { heard.add("\($0)") }
      let error = #expect(throws: ConflictLimitError.self) { try world.report(payload, options: options) }
      #expect(
        error.map { "\($0)" }
          == #"Node: "name" is unique, and more objects conflict after 62 were left out; gave up after "#
          + "64 runs of the transaction. Import the objects in smaller parts")
      #expect(heard.all.isEmpty, "nothing is left out of what is not imported")
      try #expect(world.dump() == before)
    }
  }
}
