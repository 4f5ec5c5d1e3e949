import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// An import in several transactions that fails between two of them leaves nothing for good. It deletes at once the
/// objects that nobody would find again, and the next import looks at the rest.
@Suite struct ImportFailureTests {
  private static let order = Mapping("Order", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("lines", line)
    ToMany("tags", tag, policy: .replace)
  }
  private static let line = Mapping("Line") {
    Attribute("n", .integer)
    ToMany("parts", Mapping("Part") { ToOne("tag", tag, policy: .replace) })
    ToOne("tag", tag, policy: .replace)
  }
  private static let tag: Mapping<Record> = Mapping("Tag", primaryKey: "name") {
    Attribute("name", .string)
    Attribute("color", .string)
    ToOne("inner", tag, policy: .replace)
  }

  private static let start = #"""
    {"id":1,"lines":[{"n":1,"tag":{"name":"x","color":"red"},"parts":[{"tag":{"name":"p","inner":"q"}}]}],
    "tags":[{"name":"t","color":"blue"}]}
    """#
  private static let faulty = #"[{"id":1,"lines":[],"tags":[]},{"id":2},{"id":"?"}]"#

  @Test(arguments: StoreKind.allCases)
  func theNextImportDeletesLeftoversOfAFailedOne(_ kind: StoreKind) throws {
    for next in ["[]", #"{"id":1,"lines":[],"tags":[]}"#] {
      let world = try World(kind, Self.order, holding: Self.start)
      #expect(throws: MappingError.self) { try world.load(Self.faulty, options: .committing(every: 1)) }
      try #expect(
        world.dump() == """
          Order 1
          Order 2
          Tag "p" inner="q"
          Tag "q"
          Tag "t" color="blue"
          Tag "x" color="red"
          """)
      _ = try world.load(next, options: .dry)
      try #expect(world.dump(of: #"Tag "x""#) != nil)
      try world.load(next)
      try #expect(world.dump() == "Order 1\nOrder 2")
      #expect(try world.report(next).entities.allSatisfy { $0.counts.deleted == 0 })
    }
  }

  /// The counts of the committed transactions, and of the clean-up that follows them.
  @Test(arguments: StoreKind.allCases)
  func aFailedImportReportsCommittedObjects(_ kind: StoreKind) throws {
    for (interval, expected) in [
      (1, "Order +1 ~1, Line -1, Part -1"), (2, "Order +1 ~1, Line -1, Part -1"), (3, ""),
    ] {
      let world = try World(kind, Self.order, holding: Self.start)
      let aborted = Collector<String>()
      var options = ImportOptions.committing(every: interval)
      options.onAbort = { report, error in
        aborted.add(summary(report))
        aborted.add("\(report.rootObjects): \(error)")
      }
      #expect(throws: MappingError.self) { try world.load(Self.faulty, options: options) }
      let committed = interval < 3 ? 2 : 0
      #expect(
        aborted.all == [
          expected, "\(committed): $[2].id: expected an integer, found the string \"?\" (line 1, column 47)",
        ])
      try #expect(world.dump(of: "Order 2") == (interval < 3 ? "Order 2" : nil))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func leftoversInTheNextPayloadStay(_ kind: StoreKind) throws {
    let world = try World(kind, Self.order, holding: Self.start)
    #expect(throws: MappingError.self) { try world.load(Self.faulty, options: .committing(every: 1)) }
    try world.load(#"[{"id":2,"tags":["x"]},{"id":3,"tags":["t"]},{"id":3,"tags":[]}]"#)
    try #expect(
      world.dump() == """
        Order 1
        Order 2 tags=["x"]
        Order 3
        Tag "t" color="blue"
        Tag "x" color="red"
        """)
  }

  /// A deletion takes it away, too; and who does not know the entities leaves it.
  @Test(arguments: StoreKind.allCases)
  func aDeletionDeletesIt(_ kind: StoreKind) throws {
    let other = Mapping("Other", primaryKey: "id") { Attribute("id", .integer) }
    let world = try World(kind, Self.order, other, holding: Self.start)
    #expect(throws: MappingError.self) { try world.load(Self.faulty, options: .committing(every: 1)) }
    try world.load(#"{"id":1}"#, as: "Other")
    try #expect(world.dump(of: #"Tag "x""#) != nil)
    try world.store.delete(world.plan().query(of: "Order").keys([2]))
    try #expect(world.dump() == "Order 1")
  }

  /// Imports that fail at any place, and then come whole: the store is as if none had failed.
  @Test(arguments: TestSize.onStores(Array(0..<12), small: 3, on: .memory, others: 1))
  func theStoreIsAsIfNothingHadFailed(_ kind: StoreKind, _ seed: Int) throws {
    var random = Random(seed: UInt64(seed))
    func tag() -> String { #"{"name":"\#(random.next(60))"}"# }
    func orders() -> [String] {
      (0..<30).map { id in
        let lines = (0..<random.next(4)).map { _ in
          let parts = (0..<random.next(3)).map { _ in #"{"tag":\#(tag())}"# }.joined(separator: ",")
          return
            #"{"n":\#(random.next(9)),"tag":\#(random.next(3) == 0 ? "null" : tag()),"parts":[\#(parts)]}"#
        }
        let tags = (0..<random.next(4)).map { _ in tag() }.joined(separator: ",")
        return #"{"id":\#(id),"lines":[\#(lines.joined(separator: ","))],"tags":[\#(tags)]}"#
      }
    }
    let (first, second) = (orders(), orders())
    let (world, reference) = (try World(kind, Self.order), try World(kind, Self.order))
    for world in [world, reference] { try world.load("[\(first.joined(separator: ","))]") }
    for _ in 0..<2 {
      var some = second
      some.insert(#"{"id":"?"}"#, at: 1 + random.next(29))
      let interval = [1, 2, 5, 17][random.next(4)]
      #expect(throws: MappingError.self) {
        try world.load("[\(some.joined(separator: ","))]", options: .committing(every: interval))
      }
    }
    for world in [world, reference] { try world.load("[\(second.joined(separator: ","))]") }
    try #expect(world.export() == reference.export())
    try #expect(Self.counts(world) == Self.counts(reference))
  }

  private static func counts(_ world: World) throws -> [Substring: Int] {
    try world.dump().split(separator: "\n").reduce(into: [:]) {
      $0[$1.prefix { $0 != " " }, default: 0] += 1
    }
  }
}
