import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Payloads made at random, from a seed that a failure names.
@Suite struct ImportFuzzTests {
  /// More than the first batch has.
  private static let many = TestSize.count(small: 70, whole: 100)

  /// An import must not depend on how the payload is cut: all at once, in batches, or an import for each object.
  @Test(arguments: TestSize.onStores(Array(0..<16), small: 7, on: .memory, others: 1))
  func aPayloadGivesTheSameStoreHoweverItIsCut(_ kind: StoreKind, _ seed: Int) throws {
    var generator = PayloadGenerator(seed: seed, isWithFaults: seed % 2 == 0)
    // An import for each object ends its payload there: its weak relationships see no later object.
    generator.fields.removeAll { PayloadGenerator.isOwned($0) || $0.hasPrefix("boss") }
    let roots = (0..<(seed % 3 == 0 ? Self.many : 5)).map { _ in generator.object(depth: 2) }
    let whole = try World(kind, FuzzFixture.thing(.assign))
    let committed = try World(kind, FuzzFixture.thing(.assign))
    let single = try World(kind, FuzzFixture.thing(.assign))
    try whole.load("[\(roots.joined(separator: ","))]", options: .skipping)
    let options = ImportOptions(faults: .skip, commitInterval: 3)
    try committed.load("[\(roots.joined(separator: ","))]", options: options)
    for root in roots { try single.load(root, options: .skipping) }
    let expected = try FuzzFixture.lines(of: single)
    try #expect(FuzzFixture.lines(of: whole) == expected)
    try #expect(FuzzFixture.lines(of: committed) == expected)
  }

  /// The same with owned objects, identified by their positions: a payload has the same effect wherever batches and
  /// transactions end, and as the one batch of a single root object.
  @Test(arguments: TestSize.onStores(Array(100..<112), small: 5, on: .memory, others: 1))
  func ownedObjectsAreTheSameWhereverABatchEnds(_ kind: StoreKind, _ seed: Int) throws {
    var generator = PayloadGenerator(seed: seed, isWithFaults: seed % 2 == 0)
    generator.hasFixedLengths = true
    try checkBatches(kind, seed, &generator)
  }

  /// The same with lists that are longer at one place of the payload and shorter at another.
  @Test(arguments: TestSize.onStores(Array(100..<112), small: 5, on: .memory, others: 1))
  func ownedObjectsThatComeAndGoAreTheSameWhereverABatchEnds(_ kind: StoreKind, _ seed: Int) throws {
    var generator = PayloadGenerator(seed: seed, isWithFaults: seed % 2 == 0)
    try checkBatches(kind, seed, &generator)
  }

  private func checkBatches(_ kind: StoreKind, _ seed: Int, _ generator: inout PayloadGenerator) throws {
    let roots = (0..<(seed % 3 == 0 ? Self.many : 5)).map { _ in generator.object(depth: 2) }.joined(
      separator: ",")
    let worlds = try (0..<3).map { _ in try World(kind, FuzzFixture.thing(.assign)) }
    try worlds[0].load("{\"id\":100,\"kids\":[\(roots)]}", options: .skipping)
    try worlds[1].load("[\(roots)]", options: .skipping)
    try worlds[2].load("[\(roots)]", options: ImportOptions(faults: .skip, commitInterval: 3))
    let expected = try FuzzFixture.lines(of: worlds[0]).filter { !$0.hasPrefix("Thing 100") }
    let inBatches = try FuzzFixture.lines(of: worlds[1])
    let inTransactions = try FuzzFixture.lines(of: worlds[2])
    #expect(inBatches.difference(from: expected).isEmpty)
    #expect(inTransactions.difference(from: expected).isEmpty)
  }

  /// `replace` deletes, and does nothing else that `assign` does not do.
  @Test(arguments: TestSize.onStores(Array(0..<12), small: 5, on: .memory, others: 1))
  func replaceDeletesOnlyUnreferencedTargets(_ kind: StoreKind, _ seed: Int) throws {
    var generator = PayloadGenerator(seed: 1000 + seed, isWithFaults: false)
    let replacing = try World(kind, FuzzFixture.thing(.replace))
    let assigning = try World(kind, FuzzFixture.thing(.assign))
    for _ in 0..<4 {
      let payload = "[" + (0..<4).map { _ in generator.object(depth: 2) }.joined(separator: ",") + "]"
      let report = try replacing.report(payload)
      try assigning.load(payload)
      let left = try FuzzFixture.lines(of: replacing)
      let all = try FuzzFixture.lines(of: assigning)
      #expect(!left.contains { $0.contains("?") }, "a link that leads nowhere")
      // Once something is gone, it may come back with fewer values: the two worlds part.
      guard report.entities.allSatisfy({ $0.counts.deleted == 0 }) else {
        #expect(Set(left.filter { $0.hasPrefix("Thing") }).isSubset(of: all))
        return
      }
      #expect(left == all)
    }
  }

  /// The same payload twice: nothing is written the second time, however often it contradicts itself.
  @Test(arguments: TestSize.onStores(Array(0..<12), small: 5, on: .memory, others: 1))
  func thePayloadAgainChangesNothing(_ kind: StoreKind, _ seed: Int) throws {
    var generator = PayloadGenerator(seed: 2000 + seed, isWithFaults: false)
    generator.hasFixedLengths = true
    try checkAgain(kind, seed, &generator)
  }

  @Test(arguments: TestSize.onStores(Array(0..<12), small: 5, on: .memory, others: 1))
  func thePayloadAgainChangesNothingWhereOwnedObjectsComeAndGo(_ kind: StoreKind, _ seed: Int) throws {
    var generator = PayloadGenerator(seed: 2000 + seed, isWithFaults: false)
    try checkAgain(kind, seed, &generator)
  }

  private func checkAgain(_ kind: StoreKind, _ seed: Int, _ generator: inout PayloadGenerator) throws {
    generator.fields.removeAll { $0 == "notes" }  // which are appended
    let roots = (0..<(seed % 2 == 0 ? Self.many : 5)).map { _ in generator.object(depth: 2) }
    let world = try World(kind, FuzzFixture.thing(.assign))
    try world.load("[\(roots.joined(separator: ","))]")
    let before = try world.dump()
    let again = try world.report("[\(roots.joined(separator: ","))]")
    try #expect(world.dump() == before)
    let changed = again.entities.filter { $0.counts.inserted + $0.counts.updated + $0.counts.deleted > 0 }
    #expect(changed.isEmpty)
  }
}

/// Things with every sort of relationship.
private enum FuzzFixture {
  static func thing(_ policy: RelationshipPolicy) -> Mapping<Record> {
    policy == .assign ? assigning : replacing
  }

  private static let assigning: Mapping<Record> = make(.assign) { assigning }
  private static let replacing: Mapping<Record> = make(.replace) { replacing }

  private static func make(_ policy: RelationshipPolicy, _ itself: @escaping @Sendable () -> Mapping<Record>)
    -> Mapping<Record>
  {
    Mapping("Thing", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("a", .string)
      Attribute("b", .string)
      ToOne("child", itself(), policy: policy)
      ToMany("kids", itself(), policy: policy)
      ToMany("pals", itself(), policy: .merge)
      ToOne("pal", itself(), policy: .merge)
      ToOne("boss", itself(), isWeak: true)
      ToMany("bosses", itself(), policy: policy, isWeak: true)
      ToMany("lines", line)
      ToOne("mark", line)
      ToMany("notes", line, policy: .merge)
    }
  }

  private static let line = Mapping("Line") {
    Attribute("a", .string)
    Attribute("b", .string)
    ToMany("words", Mapping("Word") { Attribute("a", .string) })
  }

  /// A dump whose owned objects stand inside their owners, as their numbers depend on when they were made; and counts.
  static func lines(of world: World) throws -> [String] {
    let lines = try world.dump().split(separator: "\n").map(String.init)
    var owned: [String: String] = [:]
    for entity in ["Word", "Line"] {
      for line in lines where line.hasPrefix(entity + " ") {
        let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
        owned["\(entity) \(parts[1])"] = "{\(inline(parts.count > 2 ? parts[2] : "", "Word", owned))}"
      }
    }
    let things = lines.filter { $0.hasPrefix("Thing ") }.map { inline($0, "Line", owned) }
    return things
      + ["Line", "Word"].map { entity in "\(entity): \(lines.count { $0.hasPrefix(entity + " ") })" }
  }

  private static func inline(_ text: String, _ entity: String, _ owned: [String: String]) -> String {
    text.replacing(/#\d+/) { owned["\(entity) \($0.output)"] ?? "?" }
  }
}

private struct PayloadGenerator {
  var fields = ["child", "kids", "pals", "pal", "boss", "bosses", "lines", "mark", "notes"]
  /// Whether every list of owned objects is as long as the others of its relationship.
  var hasFixedLengths = false
  private var random: Random
  private let isWithFaults: Bool

  init(seed: Int, isWithFaults: Bool) {
    random = Random(seed: UInt64(seed))
    self.isWithFaults = isWithFaults
  }

  static func isOwned(_ field: String) -> Bool { ["lines", "mark", "notes"].contains(field) }

  mutating func object(depth: Int) -> String {
    var members = ["\"id\":\(random.next(8))"]
    members += attributes()
    for field in fields where depth > 0 && random.next(4) == 0 {
      members.append("\"\(field)\":\(value(of: field, depth: depth - 1))")
    }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func attributes() -> [String] {
    ["a", "b"].filter { _ in random.next(2) == 0 }.map { name in
      if isWithFaults, random.next(12) == 0 { return "\"\(name)\":0" }
      return "\"\(name)\":" + ["null", "\"x\"", "\"y\"", "\"z\""][random.next(4)]
    }
  }

  private mutating func value(of field: String, depth: Int) -> String {
    let isOwned = Self.isOwned(field)
    if random.next(6) == 0, !(isOwned && hasFixedLengths) { return "null" }
    let isMany = field.hasSuffix("s") && field != "boss"
    guard isMany else { return isOwned ? line(depth: 1) : related(depth: depth) }
    let count = isOwned && hasFixedLengths ? 2 : random.next(4)
    return "["
      + (0..<count).map { _ in isOwned ? line(depth: 1) : related(depth: depth) }.joined(separator: ",") + "]"
  }

  private mutating func related(depth: Int) -> String {
    random.next(3) == 0 ? "\(random.next(8))" : object(depth: depth)
  }

  private mutating func line(depth: Int) -> String {
    var members = attributes()
    if random.next(2) == 0 {
      members.append(
        "\"words\":["
          + (0..<(hasFixedLengths ? 2 : random.next(3))).map { _ in "{\"a\":\"\(random.next(3))\"}" }.joined(
            separator: ",") + "]")
    }
    return "{\(members.joined(separator: ","))}"
  }
}
