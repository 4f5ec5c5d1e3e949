import FastMapCore
import FastMapStoreTesting
import Synchronization
import TestSupport
import Testing

/// A transaction of an import in several transactions that runs again, because its objects are not unique or because it conflicts
/// with another write. Values that earlier transactions kept for later are there again.
@Suite struct ImportRunAgainTests {
  enum Cause: CaseIterable {
    case nothing, sameValues, conflict, both

    /// Two objects; the second one is skipped if the first one should have the same value.
    var objects: [String] {
      let isSame = self == .sameValues || self == .both
      return [#"{"id":51,"code":"s"}"#, #"{"id":52,"code":"\#(isSame ? "s" : "t")"}"#]
    }

    /// Each transaction conflicts with another write in its first attempt.
    func store(_ base: some Store) -> any Store {
      guard self == .conflict || self == .both else { return base }
      let commits = Atomic<Int>(0)
      return ObservedStore(base) { question in
        guard question.kind == .commit else { return }
        if commits.add(1, ordering: .relaxed).oldValue.isMultiple(of: 2) { throw ConflictError("first") }
      }
    }
  }

  private static func options(every interval: Int, _ delegate: (any ImportDelegate)? = nil) -> ImportOptions {
    ImportOptions(
      faults: .skip, commitInterval: interval, batchSize: 2, retries: RetryPolicy(firstDelay: .zero),
      delegate: delegate)
  }

  private final class Silent: ImportDelegate {}

  private static let other = Mapping("Other", entity: "Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("notes", Mapping("Note") { Attribute("n", .string) })
  }
  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("code", .string)
    Attribute("title", .string)
    ToOne("boss", other, isWeak: true)
    ToMany("friends", other, isWeak: true)
    Index("code", isUnique: true)
  }

  /// The first transaction keeps its values for the objects 2 and 3 as text. The second one makes the objects.
  @Test(arguments: StoreKind.allCases, Cause.allCases)
  func weakRepresentationsOfLaterObjectsApply(_ kind: StoreKind, _ cause: Cause) throws {
    for delegate in [nil, Silent()] {
      let world = try World(kind, Self.person)
      let payload = [
        #"{"id":1,"boss":{"id":2,"name":"early","notes":[{"n":"x"}]}}"#,
        #"{"id":4,"friends":[{"id":2,"name":"later"},{"id":3,"name":"only"},{"id":9,"name":"never"}]}"#,
        #"{"id":5}"#, #"{"id":6}"#,
        // The objects of one transaction.
        #"{"id":2,"title":"t"}"#, cause.objects[0], cause.objects[1], #"{"id":3}"#,
        #"{"id":7}"#,
      ].joined(separator: ",")
      let report = try Mapper(cause.store(world.store)).importJSON(
        "[\(payload)]", as: world.plan(), options: Self.options(every: 4, delegate))
      let isLeftOut = cause == .sameValues || cause == .both
      #expect(report["Person"] == .init(inserted: isLeftOut ? 8 : 9, skipped: isLeftOut ? 1 : 0, stubs: 3))
      #expect(report["Note"] == .init(inserted: 1))
      let lines = try world.dump().split(separator: "\n").filter { !$0.hasPrefix("Person 5") }
      #expect(
        lines == [
          "Person 1 boss=2", #"Person 2 title="t" name="later" notes=[#1]"#, #"Person 3 name="only""#,
          "Person 4 friends=[2 3]", "Person 6", "Person 7", #"Note #1 n="x""#,
        ], "\(cause)")
    }
  }

  private static let coded = Mapping("Coded", entity: "Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("code", .string)
  }
  private static let worker = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("code", .string)
    ToOne("boss", coded, isWeak: true)
    Index("code", isUnique: true)
  }

  /// The object that is not unique has its value from an earlier batch, and its fault where it is made.
  @Test(arguments: StoreKind.allCases)
  func aWeakRepresentationCanBeLeftOut(_ kind: StoreKind) throws {
    let world = try World(kind, Self.worker)
    let options = ImportOptions(faults: .skip, batchSize: 1)
    let report = try world.report(
      #"[{"id":1,"boss":{"id":2,"code":"s"}},{"id":3,"code":"s"},{"id":2},{"id":4}]"#, options: options)
    #expect(report["Person"] == .init(inserted: 3, skipped: 1, stubs: 2))
    #expect(report.errors.map { "\($0.path)" } == ["$[2]"])
    try #expect(world.dump() == "Person 1\nPerson 3 code=\"s\"\nPerson 4")
  }

  private static let tag = Mapping("Tag", primaryKey: "name") { Attribute("name", .string) }
  private static let order = Mapping("Order", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("code", .string)
    ToMany("tags", tag, policy: .replace)
    ToMany("lines", Mapping("Line") { Attribute("n", .integer) })
    Index("code", isUnique: true)
  }
  private static let orders = #"""
    [{"id":1,"tags":["a"],"lines":[{"n":1}]},{"id":2,"tags":["b"]},{"id":3,"tags":["c"],"lines":[{"n":3},{"n":4}]},{"id":4,"tags":["d"]}]
    """#.replacing(/"([a-d])"/) { #"{"name":"\#($0.output.1)"}"# }
  /// Two objects in each of three transactions. The second one has the two of `cause` in between.
  private static func released(_ cause: Cause) -> String {
    let objects = [
      #"{"id":1,"tags":[],"lines":[]}"#, #"{"id":2,"tags":[]}"#, #"{"id":11}"#, #"{"id":12}"#,
      #"{"id":3,"tags":[],"lines":[{"n":3}]}"#, cause.objects[0], cause.objects[1], #"{"id":4,"tags":[]}"#,
      #"{"id":13}"#,
    ]
    return "[\(objects.joined(separator: ","))]"
  }

  /// The process seems to end behind the second transaction. The next import deletes the released objects.
  @Test(arguments: StoreKind.allCases, Cause.allCases)
  func anInterruptedImportLeavesItsReleasedObjectsToTheNextOne(_ kind: StoreKind, _ cause: Cause) throws {
    struct Gone: Error {}
    let world = try World(kind, Self.order, holding: Self.orders)
    func ended(_ base: some Store) -> any Store {
      let commits = Atomic<Int>(0)
      return ObservedStore(base) { question in
        if question.isInWrite, commits.load(ordering: .relaxed) == 2 { throw Gone() }
        if question.kind == .commit { commits.add(1, ordering: .relaxed) }
      }
    }
    let store = cause.store(ended(world.store))
    #expect(throws: Gone.self) {
      try Mapper(store).importJSON(Self.released(cause), as: world.plan(), options: Self.options(every: 4))
    }
    let names = ["a", "b", "c", "d"]
    try #expect(names.filter { try world.dump(of: #"Tag "\#($0)""#) == nil } == [])
    try world.load("[]")
    try #expect(names.filter { try world.dump(of: #"Tag "\#($0)""#) != nil } == [])
    try #expect(world.dump(of: "Order 1") == "Order 1")
    try #expect(world.dump().split(separator: "\n").filter { !$0.hasPrefix("Order") } == ["Line #1 n=3"])
  }

  /// Releases in one run do not count for the next run.
  @Test(arguments: StoreKind.allCases)
  func aListThatGrowsAgainIsTheSameInEachRun(_ kind: StoreKind) throws {
    var found: Set<String> = []
    for cause in Cause.allCases {
      let world = try World(kind, Self.order, holding: Self.orders)
      let objects =
        [
          #"{"id":3,"lines":[]}"#, #"{"id":12}"#, #"{"id":3,"lines":[{"n":5}]}"#, #"{"id":13}"#,
          #"{"id":3,"lines":[{"n":6},{},{"n":7}]}"#, #"{"id":1,"lines":[]}"#,
        ] + cause.objects + [#"{"id":1,"lines":[{},{"n":8}]}"#]
      let report = try Mapper(cause.store(world.store)).importJSON(
        "[\(objects.joined(separator: ","))]", as: world.plan(), options: Self.options(every: 8))
      let line = report["Line"] ?? .init()
      found.insert("\(line)\n" + (try world.dump().replacing(/Order 5[12].*\n/, with: "")))
    }
    #expect(found.count == 1, "\(found)")
  }

  /// The report has the most attempts of a transaction, also of one that is not the last.
  @Test(arguments: StoreKind.allCases)
  func theReportHasTheMostAttempts(_ kind: StoreKind) throws {
    func run(_ base: some Store) throws -> Int {
      let commits = Atomic<Int>(0)
      let store = ObservedStore(base) { question in
        guard question.kind == .commit else { return }
        if commits.add(1, ordering: .relaxed).oldValue < 2 { throw ConflictError("first") }
      }
      return try Mapper(store).importJSON(
        #"[{"name":"a"},{"name":"b"},{"name":"c"}]"#, as: Self.tag, options: Self.options(every: 1)
      ).attempts
    }
    #expect(try run(kind.make()) == 3)
  }

  /// The same import to its end: it deletes, and counts, each object once.
  @Test(arguments: StoreKind.allCases, Cause.allCases)
  func releasedObjectsAreDeletedAtTheEnd(_ kind: StoreKind, _ cause: Cause) throws {
    let world = try World(kind, Self.order, holding: Self.orders)
    let report = try Mapper(cause.store(world.store)).importJSON(
      Self.released(cause), as: world.plan(), options: Self.options(every: 4))
    #expect(report["Tag"] == .init(deleted: 4))
    #expect(report["Line"] == .init(unchanged: 1, deleted: 2))
    let isLeftOut = cause == .sameValues || cause == .both
    #expect(
      report["Order"] == .init(inserted: isLeftOut ? 4 : 5, updated: 4, skipped: isLeftOut ? 1 : 0, stubs: 3))
    #expect(report.errors.map { "\($0.path)" } == (isLeftOut ? ["$[6]"] : []))
    try #expect(world.dump().split(separator: "\n").filter { !$0.hasPrefix("Order") } == ["Line #1 n=3"])
    try #expect(world.load("[]") == "")
  }

  private static let shelf = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("code", .string)
    ToMany("tags", tag, policy: .replace(deletesShared: true))
    Index("code", isUnique: true)
  }

  /// The first run lets go of the tag of an object that a later run leaves out: its state stays, and so does the tag.
  @Test(arguments: StoreKind.allCases, [nil, 2] as [Int?])
  func objectsThatALaterRunDoesNotReleaseStay(_ kind: StoreKind, _ interval: Int?) throws {
    let world = try World(kind, Self.shelf)
    try world.load(#"[{"id":1,"code":"s"},{"id":2,"tags":[{"name":"kept"},{"name":"gone"}]}]"#)
    let options = ImportOptions(faults: .skip, commitInterval: interval)
    let report = try world.report(
      #"[{"id":3},{"id":2,"code":"s","tags":[]},{"id":4,"tags":[]},{"id":5}]"#, options: options)
    #expect(report["Shelf"] == .init(inserted: 3, skipped: 1, stubs: 2))
    #expect(report["Tag"] == nil)
    try #expect(world.dump(of: "Shelf 2") == #"Shelf 2 tags=["kept" "gone"]"#)
    try #expect(world.load("[]") == "")
    try #expect(world.keys(of: "Tag") == #""gone" "kept""#)
  }

  private final class Card {
    var id = 0
    static let mapping = Mapping(Card.self, "Card", primaryKey: "id", make: { Card() }) {
      Attribute("id", \.id)
    }
  }

  /// Each run has them, and the answer has them once.
  @Test(arguments: StoreKind.allCases)
  func rootObjectsAreReturnedOnce(_ kind: StoreKind) throws {
    let context = try ObjectContext(Cause.conflict.store(try kind.make()), for: Card.mapping)
    let options = ImportOptions(retries: RetryPolicy(firstDelay: .zero))
    let json = #"[{"id":3},{"id":1},{"id":2},{"id":1},{"id":5}]"#
    let found = try context.objects(from: json, as: Card.mapping, options: options)
    #expect(found.map(\.id) == [3, 1, 2, 1, 5])
  }
}
