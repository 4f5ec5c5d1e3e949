import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// Where messages say that an object without a key is.
@Suite struct ContextPlaceTests {
  private final class Whole {
    var id = 0
    var part: Part?
    var parts: [Part] = []

    static let mapping = Mapping(Whole.self, "Whole", primaryKey: "id", make: { Whole() }) {
      Attribute("id", \.id)
      ToOne("part", \.part, Part.mapping)
      ToMany("parts", \.parts, Part.mapping)
    }
  }

  private final class Part {
    var text = ""
    var sub: Part?
    var notes: [Part] = []

    static let mapping: Mapping<Part> = Mapping(Part.self, "Part", make: { Part() }) {
      Attribute("text", \.text)
      ToOne("sub", \.sub, Part.mapping)
      ToMany("notes", \.notes, Part.mapping)
    }
  }

  private static let values = StoreKind.allCases

  /// A context with a chain of parts below one object, which another writer has edited.
  private static func chain(
    _ kind: StoreKind, _ count: Int
  ) throws -> (store: any Store, context: ObjectContext, whole: Whole, parts: [Part]) {
    let store = try kind.make()
    let context = try ObjectContext(store, for: Whole.mapping)
    let whole = Whole()
    whole.id = 4
    let chain = (0..<count).map { _ in Part() }
    for (part, sub) in zip(chain, chain.dropFirst()) { part.sub = sub }
    whole.part = chain.first
    try context.insert(whole, as: Whole.mapping)
    try context.save()
    try store.withContext(for: Part.mapping) { other in
      for part in try other.objects(Part.mapping) { part.text = "theirs" }
      try other.save()
    }
    for part in chain { part.text = "mine" }
    return (store, context, whole, chain)
  }

  @Test(arguments: values)
  func aLongWayHasItsFirstAndItsLastSteps(_ kind: StoreKind) throws {
    let (_, context, _, _) = try Self.chain(kind, 8)
    defer { context.end() }
    let error = #expect(throws: SaveConflictError.self) { try context.save() }
    #expect(
      error?.conflicts.map(\.title).sorted() == [
        "Whole 4.part", "Whole 4.part.sub", "Whole 4.part.sub.sub",
        "Whole 4.part.sub.sub.(1 more).sub.sub.sub", "Whole 4.part.sub.sub.(2 more).sub.sub.sub",
        "Whole 4.part.sub.sub.sub", "Whole 4.part.sub.sub.sub.sub", "Whole 4.part.sub.sub.sub.sub.sub",
      ])
  }

  @Test(arguments: values)
  func aListThatIsNotLoadedHasThePlaceOfItsOwner(_ kind: StoreKind) throws {
    let store = try kind.make(#"{"id": 4, "parts": [{}, {"notes": [{}]}]}"#, as: Whole.mapping)
    try store.withContext(for: Whole.mapping) { context in
      let whole = try #require(try context.object(Whole.mapping, key: 4, including: \.parts))
      whole.parts[1].notes.append(Part())
      let error = #expect(throws: ContextError.self) { try context.save() }
      #expect(
        error?.description == "Whole 4.parts[1].notes is not loaded; load it before you read or change it")
    }
  }

  /// The time grows with the length of a chain, and not with its square.
  @Test(arguments: values)
  func conflictsInADeepChainTakeTheTimeOfThoseInAList(_ kind: StoreKind) throws {
    if kind != .lmdb { return try conflictInAChain(kind, 20) { try $0() } }
    let large = TestSize.count(small: 400, whole: 4000)
    let times = try growth(from: large / 8, to: large) { count, measure in
      try conflictInAChain(kind, count, measure)
    }
    #expect(times < 24)
  }

  private func conflictInAChain(
    _ kind: StoreKind, _ count: Int, _ measure: (() throws -> Void) throws -> Void
  ) throws {
    let (store, context, _, parts) = try Self.chain(kind, count)
    defer { context.end() }
    var error: SaveConflictError?
    try measure { error = #expect(throws: SaveConflictError.self) { try context.save() } }
    #expect(error?.conflicts.count == count)
    let longest = error?.conflicts.map(\.title.utf8.count).max() ?? 0
    #expect(longest < 60)
    #expect(try summary(context.save(onConflict: .mine)) == "Part ~\(count)")
    // Deleted objects have titles, too.
    try store.delete(Whole.mapping, key: 4)
    for part in parts { part.text = "again" }
    let gone = #expect(throws: SaveConflictError.self) { try context.save() }
    #expect((gone?.deleted.count, gone?.deleted.contains("Whole 4.part.sub")) == (count, true))
  }

  @Test(arguments: StoreKind.allCases)
  func aPlaceThatIsLeftIsNamedAfterARefresh(_ kind: StoreKind) throws {
    let world = try World(kind, Whole.mapping)
    try world.load(#"{"id":1,"part":{"text":"a"},"parts":[{"text":"b"},{"text":"c"}]}"#)
    let context = try ObjectContext(world.store, for: Whole.mapping)
    let whole = try #require(try context.object(Whole.mapping, key: 1, including: \.part, \.parts))
    whole.part?.text = "mine"
    whole.parts[1].text = "mine"
    try world.load(#"{"id":1,"part":null,"parts":[{"text":"b"}]}"#)
    let expected = "Whole 1.part: not stored any more\nWhole 1.parts[1]: not stored any more"
    #expect(message { _ = try context.save() } == expected)
    try context.refreshAll()
    #expect(whole.parts.count == 1)
    #expect(message { _ = try context.save() } == expected)
  }
}
