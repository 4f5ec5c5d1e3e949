import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// New objects in the scope of an owner that another writer changes meanwhile.
@Suite struct ContextScopedConflictTests {
  typealias Desk = Orders.Desk

  struct Case: Sendable, CustomTestStringConvertible {
    var rule: ConflictRule
    var other: String
    /// The orders afterwards, or the message.
    var found: String
    var lines = [1, 2, 4]
    var testDescription: String { found }
  }

  static let added =
    #"{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2},{"nr":3}]}"#

  static let cases = [
    Case(
      rule: .fail, other: added,
      found: "Order 1.lines: read [1, 1], [1, 2], mine [1, 1], [1, 2], [1, 4], theirs [1, 1], [1, 2], [1, 3]"),
    Case(
      rule: .mine, other: added,
      found:
        #"[{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2},{"nr":4}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":1}}]"#
    ),
    Case(
      rule: .theirs, other: added,
      found:
        #"[{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2},{"nr":3}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":1}}]"#,
      lines: [1, 2, 3]),
    // A list that only the other writer has changed.
    Case(
      rule: .fail, other: #"{"id":1,"gifts":[{"nr":2}]}"#,
      found:
        #"[{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2},{"nr":4}],"gifts":[{"nr":1,"text":"g"},{"nr":2}]},{"id":2,"first":{"nr":1}}]"#
    ),
    Case(
      rule: .mine, other: #"{"id":1,"lines":[{"nr":1}]}"#, found: "Line [1, 2]: not stored any more"),
    Case(
      rule: .theirs, other: #"{"id":1,"lines":[{"nr":1}]}"#,
      found:
        #"[{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":4}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":1}}]"#,
      lines: [1, 4]),
    Case(
      rule: .theirs, other: #"{"id":1,"lines":[{"nr":4,"text":"t"}]}"#,
      found:
        "Order 1.lines[2], a new object of Line: expected a new key, [1, 4] is taken; read that object and change it"
    ),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 3))
  func theRuleDecidesAboutNewLines(_ kind: StoreKind, _ example: Case) throws {
    for form in Form.allCases {
      let world = try Orders.world(kind, form)
      let desk = try Desk(world, form)
      let order = try desk.order(1)
      try desk.add("lines", order, desk.line(4, insert: true))
      try world.load(example.other)
      let before = try world.dump()
      if let found = message({ try desk.context.save(onConflict: example.rule) }) {
        #expect(found == example.found)
        try #expect(world.dump() == before)
        continue
      }
      try #expect(world.export() == example.found)
      let lines = try desk.targets("lines", order).map(Self.number)
      #expect(lines == example.lines)
      try #expect(!desk.context.hasChanges())
      try #expect(world.report(world.export()).isUnchanged)
    }
  }

  private static func number(_ line: AnyObject) -> Int? {
    if let line = line as? Orders.Line { return line.nr }
    return if case .integer(let nr)? = (line as? EditableRecord)?["nr"] { Int(nr) } else { nil }
  }

  @Test(arguments: StoreKind.allCases, Form.allCases)
  func theLinesOfADeletedOrderGoWithIt(_ kind: StoreKind, _ form: Form) throws {
    let world = try Orders.world(kind, form)
    let desk = try Desk(world, form)
    try desk.add("lines", desk.order(1), desk.line(4, notes: [desk.note("n")], insert: true))
    _ = try world.store.delete(world.plan(), key: 1)
    let before = try world.dump()
    for rule in [ConflictRule.fail, .mine] {
      #expect(message { try desk.context.save(onConflict: rule) } == "Order 1: not stored any more")
    }
    try desk.context.save(onConflict: .theirs)
    try #expect(world.dump() == before)
    try #expect(!desk.context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func anEditOfAStoredLineKeepsAnotherWritersValue(_ kind: StoreKind) throws {
    for form in Form.allCases {
      let world = try Orders.world(kind, form)
      let desk = try Desk(world, form)
      let line = try desk.targets("lines", desk.order(1))[0]
      desk.setText(line, "mine")
      try world.load(#"{"id":1,"lines":[{"nr":1,"text":"theirs"},{"nr":2}]}"#)
      #expect(
        message { try desk.context.save() } == #"Line [1, 1].text: read "a", mine "mine", theirs "theirs""#)
      try #expect(desk.context.save(onConflict: .theirs).conflicts.count == 1)
      try #expect(world.export().contains(#"{"nr":1,"text":"theirs","notes""#))
    }
  }
}
