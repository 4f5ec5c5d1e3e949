import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Imports that replace stored objects match roots without a key by their values.
@Suite struct KeylessRootTests {
  private static func options(
    _ filter: String? = nil, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportOptions {
    var options = ImportOptions(replaces: try filter.map { .matching(try Filter($0)) } ?? .all)
    change(&options)
    return options
  }

  /// The roots, sorted: stores differ in the order of objects without a key.
  private static func roots(_ world: World, _ name: String? = nil) throws -> [String] {
    try world.store.exported(world.plan(name), as: .ndjson).split(separator: "\n").map(String.init).sorted()
  }

  struct Case: CustomTestStringConvertible {
    let name: String
    var before = #"{"a":1,"b":"x"},{"a":2}"#
    let after: String
    let report: String
    var left: [String]?
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "a value differs", after: #"{"a":1,"b":"y"},{"a":2}"#, report: "Line +1 =1 -1"),
    Case(name: "a member is missing", after: #"{"a":1},{"a":2}"#, report: "Line +1 =1 -1"),
    Case(
      name: "null and an empty list are as missing", after: #"{"a":2,"b":null,"parts":[]},{"a":1,"b":"x"}"#,
      report: "Line =2", left: [#"{"a":1,"b":"x"}"#, #"{"a":2}"#]),
    Case(
      name: "an object inside differs", before: #"{"head":{"n":1,"m":2}},{"head":{"n":3}}"#,
      after: #"{"head":{"n":1}},{"head":{"n":3}}"#, report: "Line +1 =1 -1, Part +1 =1 -1"),
    Case(
      name: "a target with a key counts by its key", before: #"{"tag":{"id":1}},{"tag":{"id":2}}"#,
      after: #"{"tag":{"id":2}},{"tag":{"id":3}}"#, report: "Line +1 =1 -1, Tag +1 =1"),
    Case(
      name: "a list of keys counts in its order", before: #"{"tags":[{"id":1},{"id":2}]}"#,
      after: #"{"tags":[{"id":2},{"id":1}]}"#, report: "Line +1 -1, Tag =2"),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aRootWithoutAKeyIsAValue(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, ElementValueTests.line, holding: "[\(test.before)]")
    let json = "[\(test.after)]"
    try #expect(world.load(json, options: Self.options { $0.isDryRun = true }) == test.report)
    try #expect(world.load(json, options: Self.options()) == test.report)
    let fresh = try World(kind, ElementValueTests.line, holding: json)
    try #expect(Self.roots(world) == test.left ?? Self.roots(fresh))
    let before = try world.dump()
    try #expect(world.report(json, options: Self.options()).isUnchanged)
    try #expect(world.dump() == before)
    // Its export is the same payload.
    let text = try world.store.exported(world.plan(), as: .ndjson)
    if !text.isEmpty {
      try #expect(world.report(text, options: Self.options { $0.format = .ndjson }).isUnchanged)
    }
  }

  private final class Silent: ImportDelegate {}

  /// A model that knows values and how many there are of each.
  @Test(arguments: StoreKind.allCases)
  func historiesMatchTheModel(_ kind: StoreKind) throws {
    var random = Random(for: "KeylessRootTests")
    let values =
      (0..<3).map { #"{"a":\#($0)}"# } + (0..<2).map { #"{"a":1,"parts":[{"n":\#($0)},{"n":1}]}"# }
      + (0..<2).map { #"{"head":{"n":\#($0)},"tag":{"id":\#($0)}}"# }
    let world = try World(kind, ElementValueTests.line)
    var stored: [String] = []
    for step in 0..<TestSize.rounds(small: 15, whole: 80) {
      let list = (0..<random.next(9)).map { _ in values[random.next(values.count)] }
      let isLines = random.next(2) == 0 && !list.isEmpty
      let json = isLines ? list.joined(separator: "\n") : "[\(list.joined(separator: ","))]"
      let options = try Self.options {
        if isLines { $0.format = .ndjson }
        $0.batchSize = [1, 3, 4096][random.next(3)]
        $0.commitInterval = [1, 2, nil][random.next(3)]
        $0.isDryRun = random.next(5) == 0
        $0.delegate = random.next(4) == 0 ? Silent() : nil
      }
      let counts = try world.report(
        json, inChunksOf: random.next(2) == 0 ? 7 : nil, options: options)["Line"]
      var left = stored
      let kept = list.count { value in
        guard let place = left.firstIndex(of: value) else { return false }
        left.remove(at: place)
        return true
      }
      #expect(counts?.inserted ?? 0 == list.count - kept, "step \(step)")
      #expect(counts?.unchanged ?? 0 == kept, "step \(step)")
      #expect(counts?.deleted ?? 0 == left.count, "step \(step)")
      #expect(counts?.updated ?? 0 == 0, "step \(step)")
      if !options.isDryRun { stored = list }
      try #expect(Self.roots(world) == stored.sorted(), "step \(step)")
    }
  }

  /// A transaction that runs again gives back the roots that it has taken.
  @Test(arguments: StoreKind.allCases)
  func aTransactionThatRunsAgainMatchesTheSame(_ kind: StoreKind) throws {
    let json = #"[{"a":1},{"a":1},{"a":2},{"a":1},{"a":3}]"#
    func run(_ base: some Store) throws {
      let plan = try Plan(ElementValueTests.line)
      _ = try Mapper(base).importJSON(json, as: plan)
      let store = Conflicts.store(base)
      let options = try Self.options {
        ($0.commitInterval, $0.batchSize, $0.retries) = (2, 1, RetryPolicy(firstDelay: .zero))
      }
      let changed = #"[{"a":1},{"a":4},{"a":1},{"a":5},{"a":2},{"a":6},{"a":1},{"a":1}]"#
      try #expect(summary(Mapper(store).importJSON(changed, as: plan, options: options)) == "Line +4 =4 -1")
      try #expect(summary(Mapper(store).importJSON(changed, as: plan, options: options)) == "Line =8")
    }
    try run(kind.make())
  }

  private enum Conflicts {
    /// Each transaction that commits conflicts in its first attempt.
    static func store(_ base: some Store) -> any Store {
      let commits = Collector<Int>()
      return ObservedStore(base) { question in
        guard question.kind == .commit else { return }
        commits.add(1)
        if commits.all.count.isMultiple(of: 2) == false { throw ConflictError("first") }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func nothingIsDeletedIfARootCannotBeRead(_ kind: StoreKind) throws {
    for (json, report) in [
      (#"[{"a":1},{"a":"x"}]"#, "Line =1 !1"), (#"[{"a":1},null]"#, "Line =1 !1"),
      (#"[{"a":1},5]"#, "Line =1 !1"), (#"[{"a":1},{"a":3},{"parts":[{"n":1},{"n":"x"}]}]"#, "Line +1 =1 !1"),
      (#"[{"a":1},{"head":{"n":"x"}}]"#, "Line =1 !1"),
    ] {
      let world = try World(kind, ElementValueTests.line, holding: #"[{"a":1},{"a":2}]"#)
      let options = try Self.options { $0.faults = .skip }
      let found = try world.report(json, options: options)
      #expect(summary(found) == report, "\(json)")
      #expect(found.notes == ["no missing objects were deleted, because 1 root object could not be read"])
      try #expect(world.report(json, options: options).entities.allSatisfy { $0.counts.inserted == 0 })
      try #expect(Self.roots(world).contains(#"{"a":2}"#))
      #expect(world.failure(of: json, options: try Self.options()) != nil)
    }
    let world = try World(kind, ElementValueTests.line, holding: #"[{"a":1},{"a":2}]"#)
    let lines = try world.report(
      "{\"a\":1}\n{\"a\":", options: Self.options { ($0.faults, $0.format) = (.skip, .ndjson) })
    #expect(summary(lines) == "Line =1 !1")
    #expect(lines.notes.count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func aConditionChoosesTheRootsToMatch(_ kind: StoreKind) throws {
    let world = try World(kind, ElementValueTests.line)
    try world.load(#"[{"a":1,"b":"x"},{"a":2,"b":"x"},{"a":3,"b":"y"}]"#)
    let options = try Self.options(#"@.b == "x""#)
    let json = #"[{"a":2,"b":"x"},{"a":4,"b":"x"}]"#
    try #expect(world.load(json, options: options) == "Line +1 =1 -1")
    try #expect(world.load(json, options: options) == "Line =2")
    try #expect(Self.roots(world) == [#"{"a":2,"b":"x"}"#, #"{"a":3,"b":"y"}"#, #"{"a":4,"b":"x"}"#])
  }

  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Item": {
            "primaryKey": "id", "missingPrimaryKey": "owned", "attributes": {"id": "integer", "a": "integer"},
            "relationships": {"children": {"mapping": "Item", "toMany": true}}},
          "Box": {"primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {"items": {"mapping": "Item", "toMany": true}}},
          "Node": {"attributes": {"n": "integer"}, "relationships": {"nodes": {"mapping": "Node", "toMany": true}}},
          "Any": {"entity": "Event", "kinds": {"keyPath": "type", "values": {"p": "Push", "w": "Watch"}, "otherwise": "skip"}},
          "Push": {"entity": "Event", "attributes": {"size": "integer"}},
          "Watch": {"entity": "Event", "attributes": {"action": "string"}}}}
        """#)
  }

  /// Roots with a key are matched by it. An object that belongs to another one is no root.
  @Test(arguments: StoreKind.allCases)
  func rootsWithAndWithoutAKeyAreMatchedInTheirWays(_ kind: StoreKind) throws {
    let file = try Self.file.get()
    let world = try World(kind, file.plan(for: "Item"), file.plan(for: "Box"))
    let first = #"[{"id":1,"a":1,"children":[{"a":5}]},{"a":5},{"a":6,"children":[{"a":6},{"id":2}]}]"#
    try world.load(first)
    try world.load(#"[{"id":1,"items":[{"a":7},{"a":8}]}]"#, as: "Box")
    try #expect(world.load(first, options: Self.options()) == "Item =6")
    // The box keeps its own.
    try #expect(
      world.load(#"[{"a":7},{"id":1,"a":2,"children":[{"a":5}]},{"a":5}]"#, options: Self.options())
        == "Item +1 ~1 =2 -3")
    try #expect(world.export("Box") == #"[{"id":1,"items":[{"a":7},{"a":8}]}]"#)
    try #expect(world.load("[]", options: Self.options()) == "Item -4")
    try #expect(world.export("Box") == #"[{"id":1,"items":[{"a":7},{"a":8}]}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func aTreeOfOneEntityIsARootWithAllInside(_ kind: StoreKind) throws {
    let world = try World(kind, Self.file.get().plan(for: "Node"))
    let tree = #"{"n":1,"nodes":[{"n":2},{"n":2,"nodes":[{"n":1}]}]}"#
    try world.load("[\(tree),{\"n\":2}]")
    try #expect(world.load("[\(tree),{\"n\":2}]", options: Self.options()) == "Node =5")
    try #expect(world.load("[\(tree),{\"n\":1}]", options: Self.options()) == "Node +1 =4 -1")
    try #expect(world.load(#"[{"n":1}]"#, options: Self.options()) == "Node =1 -4")
  }

  @Test(arguments: StoreKind.allCases)
  func rootsOfSeveralKindsAreMatched(_ kind: StoreKind) throws {
    let file = try Self.file.get()
    let world = try World(kind, file.plan(for: "Any"), file.plan(for: "Push"))
    let json = #"[{"type":"p","size":1},{"type":"w","action":"a"},{"type":"other"}]"#
    try world.load(json)
    try #expect(world.load(json, options: Self.options()) == "Event =2 !1")
    try #expect(
      world.load(
        #"[{"type":"w","action":"a"},{"type":"p","size":2}]"#, options: Self.options()) == "Event +1 =1 -1")
    try #expect(world.load(#"[{"size":2},{"size":3}]"#, as: "Push", options: Self.options()) == "Event +1 =1")
    try #expect(world.load("[]", as: "Push", options: Self.options()) == "Event -2")
    try #expect(world.report(#"[{"type":"w","action":"a"}]"#, options: Self.options()).isUnchanged)
  }

  /// 6000 roots take as many questions as 600, and two values at most for each object.
  @Test(arguments: StoreKind.allCases)
  func theWorkIsLinear(_ kind: StoreKind) throws {
    func work(_ base: some Store, _ count: Int) throws -> Int {
      let store = WatchedStore(base)
      let plan = try Plan(ElementValueTests.line)
      let json = "[\((0..<count).map { #"{"a":\#($0 % 700),"parts":[{"n":1}]}"# }.joined(separator: ","))]"
      _ = try Mapper(store).importJSON(json, as: plan)
      _ = store.takeCalls()
      let report = try Mapper(store).importJSON(json, as: plan, options: Self.options())
      #expect(summary(report) == "Line =\(count), Part =\(count)")
      return store.takeCalls().reduce(0) { $0 + $1.count }
    }
    let (small, large) = try (work(kind.make(), 600), work(kind.make(), 6000))
    #expect(large < small * 11, "\(small) \(large)")
    #expect(large < 120_000, "\(large)")
  }
}
