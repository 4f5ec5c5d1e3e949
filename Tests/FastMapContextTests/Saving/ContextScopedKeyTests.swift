import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects of contexts whose keys are in the scope of an owner.
@Suite struct ContextScopedKeyTests {
  typealias Desk = Orders.Desk

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var edit: @Sendable (Desk) throws -> Void
    /// The orders afterwards, or the message.
    var found: String
    var report = ""

    init(
      _ name: String, _ found: String, _ report: String = "",
      _ edit: @escaping @Sendable (Desk) throws -> Void
    ) {
      (testDescription, self.found, self.report, self.edit) = (name, found, report, edit)
    }
  }

  static let saved = [
    Case(
      "a new line behind the others",
      #"[{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2},{"nr":3,"text":"n","notes":[{"at":"y"}]}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":1}}]"#,
      "Order ~1, Line +1, Note +1"
    ) { desk in
      try desk.add("lines", desk.order(1), desk.line(3, "n", notes: [desk.note("y")]))
    },
    Case(
      "a new line that the context is told of",
      #"[{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2}],"gifts":[{"nr":1,"text":"g"},{"nr":2,"text":"n"}]},{"id":2,"first":{"nr":1}}]"#,
      "Order ~1, Line +1"
    ) { desk in
      try desk.add("gifts", desk.order(1), desk.line(2, "n", insert: true))
    },
    Case(
      "a new order with lines of the same numbers",
      #"[{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":1}},{"id":3,"lines":[{"nr":1},{"nr":2,"notes":[{"at":"z"}]}],"gifts":[{"nr":1,"text":"h"}],"first":{"nr":1,"text":"f"}}]"#,
      "Order +1, Line +4, Note +1"
    ) { desk in
      let order = try desk.insertOrder(3)
      try desk.set("lines", order, [desk.line(1), desk.line(2, notes: [desk.note("z")])])
      try desk.set("gifts", order, [desk.line(1, "h")])
      try desk.set("first", order, [desk.line(1, "f")])
    },
    Case(
      "a new line in place of an old one",
      #"[{"id":1,"lines":[{"nr":2},{"nr":3}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":1}}]"#,
      "Order ~1, Line +1 -1, Note -1"
    ) { desk in
      let order = try desk.order(1)
      try desk.set("lines", order, [desk.targets("lines", order)[1], desk.line(3)])
    },
    Case(
      "no lines",
      #"[{"id":1,"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":1}}]"#, "Order ~1, Line -2, Note -1"
    ) { desk in
      try desk.set("lines", desk.order(1), [])
    },
    Case(
      "another first line",
      #"[{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":5}}]"#,
      "Order ~1, Line +1 -1"
    ) { desk in
      try desk.set("first", desk.order(2), [desk.line(5)])
    },
    Case(
      "a new note and a changed text of a stored line",
      #"[{"id":1,"lines":[{"nr":1,"text":"b","notes":[{"at":"x","by":"me"},{"at":"y"}]},{"nr":2}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":1}}]"#,
      "Line ~1, Note +1"
    ) { desk in
      let line = try desk.targets("lines", desk.order(1)).first
      desk.setText(line, "b")
      try desk.add("notes", line, desk.note("y"))
    },
    Case(
      "the same number in two orders",
      #"[{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2},{"nr":7}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"lines":[{"nr":7}],"first":{"nr":1}}]"#,
      "Order ~2, Line +2"
    ) { desk in
      try desk.add("lines", desk.order(1), desk.line(7))
      try desk.add("lines", desk.order(2), desk.line(7))
    },
    Case("a deleted order", #"[{"id":2,"first":{"nr":1}}]"#, "Order -1, Line -3, Note -1") { desk in
      if let order = try desk.order(1) { try desk.context.delete(order) }
    },
    Case(
      "a deleted line",
      #"[{"id":1,"lines":[{"nr":2}],"gifts":[{"nr":1,"text":"g"}]},{"id":2,"first":{"nr":1}}]"#,
      "Line -1, Note -1"
    ) { desk in
      try desk.context.delete(desk.targets("lines", desk.order(1))[0])
    },
  ]

  @Test(arguments: TestSize.onStores(saved, others: 4))
  func aSaveTakesTheKeyOfTheOwner(_ kind: StoreKind, _ example: Case) throws {
    for form in Form.allCases { try save(kind, example, form) }
  }

  private func save(_ kind: StoreKind, _ example: Case, _ form: Form) throws {
    let world = try Orders.world(kind, form)
    let desk = try Desk(world, form)
    try example.edit(desk)
    let report = try desk.context.save()
    let summary = summary(report)
    try #expect(!desk.context.hasChanges())
    let export = try world.export()
    #expect(export == example.found)
    #expect(summary == example.report)
    // A second save has nothing to write, and a refresh finds nothing else.
    try #expect(desk.context.save().isUnchanged)
    try desk.context.refreshAll()
    try #expect(!desk.context.hasChanges())
    // The export is the same objects.
    let again = try world.report(export)
    #expect(again.isUnchanged, "\(again)")
    let copy = try World(kind, world.plan(), holding: export)
    try #expect(copy.dump() == world.dump())
  }

  static let refused = [
    Case(
      "a line without an owner",
      "a new object of Line: expected an owner of 3, found none; add it to Order.lines, Order.gifts or Order.first"
    ) { desk in
      _ = try desk.line(3, insert: true)
    },
    Case(
      "a line of two orders",
      "Order 1.lines[2], a new object of Line: expected one owner, found another at Order 2.lines[0]; make an object for each"
    ) { desk in
      let line = try desk.line(3)
      try desk.add("lines", desk.order(1), line)
      try desk.add("lines", desk.order(2), line)
    },
    Case(
      "a line of two relationships",
      "Order 1.lines[2], a new object of Line: expected one owner, found another at Order 1.gifts[1]; make an object for each"
    ) { desk in
      let line = try desk.line(3)
      try desk.add("lines", desk.order(1), line)
      try desk.add("gifts", desk.order(1), line)
    },
    Case(
      "a line of another order",
      #"Order 2.lines[0]: Line [1, 2] belongs to another owner or relationship, which its key begins with; insert a new object instead"#
    ) { desk in
      try desk.add("lines", desk.order(2), desk.targets("lines", desk.order(1))[1])
    },
    Case(
      "a line of another relationship",
      #"Order 1.first: Line [1, 2] belongs to another owner or relationship, which its key begins with; insert a new object instead"#
    ) { desk in
      let order = try desk.order(1)
      try desk.set("first", order, [desk.targets("lines", order)[1]])
    },
    Case(
      "a taken number",
      "Order 1.lines[2], a new object of Line: expected a new key, [1, 1] is taken; read that object and change it"
    ) { desk in
      try desk.add("lines", desk.order(1), desk.line(1))
    },
    Case("a number twice", "two new objects of Line have the key [1, 3]") { desk in
      let order = try desk.order(1)
      try desk.add("lines", order, desk.line(3))
      try desk.add("lines", order, desk.line(3))
    },
    Case("a changed number", "the primary key of Line [1, 1] was changed; insert a new object instead") {
      desk in
      try desk.setNumber(desk.targets("lines", desk.order(1))[0], 9)
    },
    Case(
      "a note of a line without an owner",
      "a new object of Line: expected an owner of 3, found none; add it to Order.lines, Order.gifts or Order.first"
    ) { desk in
      _ = try desk.line(3, notes: [desk.note("y")], insert: true)
    },
    Case(
      "a line of a deleted order",
      "a new object of Line: expected an owner of 3, found none; add it to Order.lines, Order.gifts or Order.first"
    ) { desk in
      let order = try desk.order(1)
      try desk.add("lines", order, desk.line(3, insert: true))
      if let order { try desk.context.delete(order) }
    },
  ]

  @Test(arguments: TestSize.onStores(refused, others: 3))
  func aLineWithoutOneOwnerIsRefused(_ kind: StoreKind, _ example: Case) throws {
    for form in Form.allCases { try refuse(kind, example, form) }
  }

  private func refuse(_ kind: StoreKind, _ example: Case, _ form: Form) throws {
    let world = try Orders.world(kind, form)
    let before = try world.dump()
    let desk = try Desk(world, form)
    try example.edit(desk)
    #expect(message { try desk.context.save() } == example.found)
    try #expect(world.dump() == before)
    // After a rollback the context saves again.
    try desk.context.rollBack()
    try #expect(!desk.context.hasChanges())
    try desk.add("lines", desk.order(2), desk.line(4))
    try #expect(summary(desk.context.save()) == "Order ~1, Line +1")
  }

  @Test(arguments: StoreKind.allCases, Form.allCases)
  func aLineWithoutANumberOrAnOrderWithoutAKeyIsRefused(_ kind: StoreKind, _ form: Form) throws {
    let world = try Orders.world(kind, form)
    let desk = try Desk(world, form)
    let line = try desk.line(nil)
    try desk.add("lines", desk.order(1), line)
    let unset =
      form == .records
      ? #"expected a key, found no value for its part "nr""#
      : "expected a key, found 0, which every new instance has; set another one, or make the property optional"
    #expect(message { try desk.context.save() } == "Order 1.lines[2], a new object of Line: \(unset)")
    desk.setNumber(line, 3)
    let order = try desk.insertOrder(nil)
    try desk.add("lines", order, desk.line(1))
    let found = message { try desk.context.save() }
    #expect(found?.hasPrefix("a new object of Order: expected a key, found ") == true, "\(found ?? "none")")
  }

  // MARK: Owners in a scope

  final class Folder {
    var name: String?
    var folders: [Folder] = []
    static let mapping: Mapping<Folder> = Mapping(
      Folder.self, "Folder", primaryKey: .scoped("name"), make: { Folder() }
    ) {
      Attribute("name", \.name)
      ToMany("folders", \.folders, Folder.mapping)
    }

    static func make(_ name: String, _ folders: [Folder] = []) -> Folder {
      let folder = Folder()
      (folder.name, folder.folders) = (name, folders)
      return folder
    }
  }
  final class Disk {
    var id = 0
    var folders: [Folder] = []
    static let mapping = Mapping(Disk.self, "Disk", primaryKey: "id", make: { Disk() }) {
      Attribute("id", \.id)
      ToMany("folders", \.folders, Folder.mapping)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aKeyBeginsWithTheKeysOfAllOwners(_ kind: StoreKind) throws {
    let world = try World(kind, Disk.mapping)
    try world.load(#"{"id":1,"folders":[{"name":"a","folders":[{"name":"b"}]}]}"#)
    let context = try ObjectContext(world.store, for: Disk.mapping)
    let disk = try #require(try context.object(Disk.mapping, key: 1, including: \.folders.folders.folders))
    let inner = disk.folders[0].folders[0]
    inner.folders = [.make("b", [.make("b"), .make("c")])]
    try #expect(summary(context.save()) == "Folder +3 ~1")
    let export = try world.export()
    #expect(
      export
        == #"[{"id":1,"folders":[{"name":"a","folders":[{"name":"b","folders":[{"name":"b","folders":[{"name":"b"},{"name":"c"}]}]}]}]}]"#
    )
    try #expect(world.report(export).isUnchanged)
    // Two folders that have each other have no owner with a key.
    let (one, two) = (Folder.make("1"), Folder.make("2"))
    (one.folders, two.folders) = ([two], [one])
    try context.insert(one, as: Folder.mapping)
    #expect(
      message { try context.save() }?.contains("expected an owner with a key, found a new Folder") == true)
    try #expect(world.export() == export)
    (one.folders, two.folders) = ([], [])
  }
}
