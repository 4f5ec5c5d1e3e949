import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Long strings in a unique index. LMDB keeps their first bytes and a hash of the rest, so two that differ may look the same.
@Suite struct UniqueLongValueTests {
  private static let item = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("code", .string)
    Index("code", isUnique: true)
  }

  /// The bytes of a string that an index of one field keeps. Behind them, the two texts have the same hash: FNV-1a with 64 bits.
  private static let start = String(repeating: "c", count: 341)
  private static let first = start + "8yn0iYCKYHlIj4-BwPqk"
  private static let second = start + "GReLUrM4wMqfg9yzV3KQ"

  private static func object(_ id: Int, _ code: String?) -> String {
    #"{"id":\#(id),"code":\#(code.map { "\"\($0)\"" } ?? "null")}"#
  }

  private static func array(_ objects: [(id: Int, code: String?)]) -> String {
    "[" + objects.map { object($0.id, $0.code) }.joined(separator: ",") + "]"
  }

  private func expectRefused(
    _ world: World, _ objects: [(id: Int, code: String?)], _ comment: Comment
  ) throws {
    let before = try world.dump()
    let payload = Self.array(objects)
    let failure = world.failure(of: payload)
    #expect(failure?.contains(#"that is unique in "code", found one with the key"#) == true, comment)
    try #expect(world.dump() == before, comment)
    // The last one is left out, and the others are stored.
    let report = try world.report(payload, options: .skipping)
    #expect(report.errors.map { "\($0.path)" } == ["$[\(objects.count - 1)]"], comment)
  }

  @Test(arguments: StoreKind.allCases)
  func stringsThatDifferBehindTheirHashAreTwo(_ kind: StoreKind) throws {
    let world = try World(kind, Self.item)
    try #expect(world.load(Self.array([(1, Self.first), (2, Self.second)])) == "Item +2")
    try #expect(world.load(Self.array([(1, Self.second), (2, Self.first)])) == "Item ~2")
    try #expect(world.load(Self.array([(3, Self.start), (4, Self.start + "x")])) == "Item +2")
    try expectRefused(world, [(5, Self.first)], "a third object")
  }

  /// The entry of the object stays as it is.
  @Test(arguments: StoreKind.allCases)
  func aChangeFromOneToTheOtherIsSeen(_ kind: StoreKind) throws {
    for changed in [1, 2] {
      let world = try World(kind, Self.item, holding: Self.array([(1, Self.first), (2, Self.second)]))
      try expectRefused(world, [(changed, changed == 1 ? Self.second : Self.first)], "the object \(changed)")
    }
  }

  /// Equal values come to lie at both sides of an edge between two blocks of the index, wherever that is.
  @Test(arguments: StoreKind.allCases)
  func equalValuesMeetAtAnyEdgeOfABlock(_ kind: StoreKind) throws {
    // A block of LMDB has about five of these entries.
    for fill in kind == .postgres ? [4] : Array(0..<TestSize.count(kind, small: 5, others: 1, whole: 9)) {
      let world = try World(kind, Self.item)
      let before = (0..<fill).map { (id: $0, code: Self.start.dropLast() + "a\($0)" as String?) }
      let behind = (0..<9).map { (id: 900 + $0, code: "d" + Self.start.dropLast() + "\($0)" as String?) }
      try world.load(Self.array(before + [(100, Self.first), (200, Self.second)] + behind))
      // The object in between goes. The other entries stay where they are.
      try expectRefused(world, [(200, nil), (300, Self.first)], "changed, \(fill)")
      let (other, plan) = (try World(kind, Self.item), world.plan())
      try other.load(Self.array(before + [(100, Self.first), (200, Self.second)] + behind))
      try other.store.delete(plan.where(try Filter("@.id == 200")))
      try expectRefused(other, [(300, Self.first)], "deleted, \(fill)")
      try #expect(other.load(Self.array([(300, Self.second)])) == "Item +1")
      try expectRefused(other, [(50, Self.second)], "in front, \(fill)")
      try expectRefused(other, [(901, behind[0].code)], "an update, \(fill)")
    }
  }
}
