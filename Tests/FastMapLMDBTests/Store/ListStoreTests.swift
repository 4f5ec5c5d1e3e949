import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

/// To-many relationships against a model: arrays.
@Suite struct ListStoreTests {
  let scratch = Scratch()

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("assigned", item, policy: .assign)
    ToMany("merged", item, policy: .merge)
  }

  private func makeStore(_ perSegment: Int, step: UInt64) throws -> LMDBStore {
    var configuration = LMDBStore.Configuration()
    configuration.lists = ListShape(perSegment: perSegment, step: step)
    return try LMDBStore(at: scratch.store, configuration: configuration)
  }

  private func lists(_ store: LMDBStore, _ plan: Plan) throws -> [Int64: [[Int64]]] {
    var found: [Int64: [[Int64]]] = [:]
    try store.read(plan.schema) { reader in
      var keys: [ObjectID: Int64] = [:]
      try reader.forEachObject(of: 0, keys: nil, isDescending: false) { _, id, key in
        if case .integer(let key)? = key { keys[id] = key }
        return true
      }
      for (id, key) in keys {
        let lists = try (1...2).map { try reader.targets(of: [id], entity: 0, field: $0)[0] }
        if lists != [[], []] { found[key] = lists.map { $0.map { keys[$0] ?? -1 } } }
      }
    }
    return found
  }

  @Test(arguments: [(1, 1), (2, 4), (5, 1 << 32), (8, 1 << 62), (240, 1 << 32)] as [(Int, UInt64)])
  func editScriptsMatchArrays(_ perSegment: Int, _ step: UInt64) throws {
    let store = try makeStore(perSegment, step: step)
    let plan = try Plan(Self.item)
    var random = Random(for: "ListStoreTests")
    var model: [Int64: [[Int64]]] = [:]
    for round in 0..<TestSize.rounds(small: 5, whole: 20) {
      var payload: [String] = []
      for owner in 1...3 as ClosedRange<Int64> where random.next(3) > 0 {
        var lists = model[owner] ?? [[], []]
        let count = random.next(4 * perSegment + 2)
        let some = (0..<count).map { _ in Int64(random.next(400)) + 1 }
        let place = random.next(lists[0].count + 1)
        let end = min(lists[0].count, place + random.next(2 * perSegment))
        switch random.next(6) {
        case 0: lists[0] = some
        case 1: lists[0].insert(contentsOf: some, at: place)
        case 2: lists[0].removeSubrange(place..<end)
        case 3: if place < lists[0].count { lists[0][place] = Int64(random.next(400)) + 1 }
        case 4: lists[0].reverse()
        default: lists[0] = lists[0].filter { $0 % 7 != Int64(random.next(7)) }
        }
        payload.append(#"{"id": \#(owner), "assigned": \#(lists[0]), "merged": \#(some)}"#)
        for target in some where !lists[1].contains(target) { lists[1].append(target) }
        model[owner] = lists
      }
      _ = try Mapper(store).importJSON(Array("[\(payload.joined(separator: ","))]".utf8), as: plan)
      if random.next(4) == 0 {
        let gone = Int64(random.next(400)) + 4
        try store.write(plan.schema) { writer in
          guard let id = try writer.reader.find(.integer(gone), of: 0) else { return .rollBack(()) }
          return .commit(_ = try writer.delete(id, of: 0))
        }
        model = model.mapValues { $0.map { $0.filter { $0 != gone } } }
      }
      let found = try lists(store, plan)
      #expect(found == model.filter { $0.value != [[], []] }, "round \(round)")
      try store.expectSound()
    }
  }

  /// The second import of a list finds nothing to write.
  @Test func aLongListIsReadAndLeftAlone() throws {
    let store = try makeStore(240, step: 1 << 32)
    let list = Array(1...5000)
    try store.take(#"{"id": 1, "assigned": \#(list), "merged": \#(list)}"#, as: Self.item)
    let commits = try store.commits
    try store.take(#"{"id": 1, "assigned": \#(list), "merged": \#(Array(list.reversed()))}"#, as: Self.item)
    #expect(try store.commits == commits)
    try store.take(#"{"id": 1, "assigned": \#(Array(list.reversed()))}"#, as: Self.item)
    #expect(try lists(store, Plan(Self.item))[1]?[0] == list.reversed().map(Int64.init))
    try store.expectSound()
  }

  @Test func checkFindsSegmentsThatAreTooLongOrTooShort() throws {
    let list = Array(1...100)
    try makeStore(10, step: 4).take(#"{"id": 1, "assigned": \#(list)}"#, as: Self.item)
    #expect(try makeStore(10, step: 4).check().isSound)
    let short = try makeStore(9, step: 4).check()
    #expect((short.problemCount, short.problems.first?.detail) == (10, "a segment has 10 targets"))
    let long = try makeStore(48, step: 4).check()
    #expect(long.problemCount == 9)
    #expect(long.problems.first?.detail == "the segment before it has only 10 targets")
  }
}
