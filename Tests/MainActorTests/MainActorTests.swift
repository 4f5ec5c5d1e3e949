import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Foundation
import Synchronization
import TestSupport
import Testing

nonisolated let people = """
  [{"id": 1, "full_name": "Ada", "age": "36", "height": 1.5, "is_active": true, "role": "analyst", "tags": ["a", "b"],
    "picture": "AQI=", "place": {"city": "London"}, "nick": "al", "phones": [{"number": "12"}, {"number": "13"}],
    "address": {"street": "St James's Square"}, "manager": {"id": 2, "full_name": "Charles"}, "rival_id": 9},
   {"id": 3, "full_name": "Grace", "manager": {"id": 1}, "friends": [{"id": 1}, {"id": 2}], "rival_id": 1}]
  """

nonisolated private final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
  func set() { value.store(true, ordering: .sequentiallyConsistent) }
}

/// Classes of the main actor, in a module whose default isolation is the main actor.
@Suite struct MainActorTests {
  @Test(arguments: StoreKind.allCases)
  func withAwaitInstancesAreMadeWithAllKindsOfFields(_ kind: StoreKind) async throws {
    let mapper = Mapper(try kind.make())
    try expect(try await mapper.roundTrip(people, as: Person.mapping, depth: .max))
    let document = try document(people)
    try expect(try await mapper.roundTrip(document, as: Person.mapping, depth: .max))
  }

  @Test(arguments: StoreKind.allCases)
  func withoutAwaitInstancesAreMadeOnTheSpot(_ kind: StoreKind) throws {
    let mapper = Mapper(try kind.make())
    try expect(try mapper.roundTrip(people, as: Person.mapping, depth: .max))
    try expect(try mapper.roundTrip(try document(people), as: Person.mapping, depth: .max))
  }

  private func expect(_ found: [Person]) throws {
    #expect(found.map(\.id) == [1, 2, 3])
    let (ada, grace) = (found[0], found[2])
    #expect(ada.name == "Ada" && ada.age == 36 && ada.height == 1.5 && ada.isActive && ada.role == .analyst)
    #expect(
      ada.tags == ["a", "b"] && ada.picture == [1, 2] && ada.city == "London" && ada.shoutedName == "AL")
    #expect(ada.phones.map(\.number) == ["12", "13"] && ada.address?.street == "St James's Square")
    #expect(ada.manager?.name == "Charles" && ada.rival == nil)
    #expect(grace.manager === ada && grace.rival === ada)
    let charles = try #require(ada.manager)
    #expect(grace.friends == [ada, charles])
  }

  /// A transaction that waits does not hold the main actor.
  @Test func aWriteThatConflictsWaitsApartFromTheMainActor() async throws {
    let hadTime = Flag()
    let attempts = Mutex(0)
    let store = ObservedStore(MemoryStore()) { question in
      guard question.kind == .commit else { return }
      let attempt = attempts.withLock { count in
        count += 1
        return count
      }
      if attempt == 1 {
        Task { @MainActor in hadTime.set() }
        throw ConflictError("once")
      }
      let end = ContinuousClock.now + .seconds(60)
      while !hadTime.isSet, ContinuousClock.now < end { usleep(1000) }
    }
    let options = ImportOptions(retries: RetryPolicy(firstDelay: .milliseconds(1)))
    let found = try await Mapper(store).roundTrip(people, as: Person.mapping, depth: .max, options: options)
    try expect(found)
    #expect(attempts.withLock(\.self) == 2 && hadTime.isSet)
  }

  @Test(arguments: StoreKind.allCases)
  func aStoreAnswersWithInstancesByKeyByRangeAndByKeys(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let made = try await Mapper(store).roundTrip(people, as: Person.mapping, depth: .max)
    try reading(store) { reader in
      let grace = try reader.object(Person.mapping, key: 3, depth: .max)
      #expect(grace?.manager?.manager?.id == 2)
      #expect(grace !== made[1])
      #expect(try reader.objects(Person.mapping.keys(1..<3), depth: .max).map(\.id) == [1, 2])
      #expect(try reader.objects(Person.mapping.keys([3, 1]), depth: .max).map(\.id) == [1, 3])
      #expect(try reader.objects(Phone.mapping, depth: .max).map(\.number) == ["12", "13"])
      #expect(try reader.count(Person.mapping) == 3 && reader.exists(Person.mapping.keys([2])))
    }
    let all = try await store.objects(Person.mapping, depth: .max)
    #expect(all.map(\.name) == ["Ada", "Charles", "Grace"] && all[2].manager === all[0])
    #expect(all[0] !== made[0])
    #expect(all[0].phones.map(\.number) == ["12", "13"] && all[0].tags == ["a", "b"])
    let last = try await store.objects(Person.mapping.keys(2...).sorted(by: \.id, descending: true).limit(1))
    #expect(last.map(\.id) == [3] && last[0].manager == nil)
    let next = try await store.objects(Person.mapping.keys(3...3), depth: 1)
    #expect(next[0].manager?.name == "Ada" && next[0].manager?.manager == nil)
    #expect(try store.delete(Person.mapping, key: 3).total == 1)
    #expect(try reading(store) { try $0.count(Person.mapping) } == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func anImportAnswersWithAReportFromTextAFileATreeAndAStream(_ kind: StoreKind) async throws {
    let scratch = Scratch()
    let path = scratch.path("people.json")
    try Data(people.utf8).write(to: URL(fileURLWithPath: path))
    let chunks = AsyncStream { continuation in
      for byte in people.utf8 { continuation.yield([byte]) }
      continuation.finish()
    }
    let bytes = AsyncStream { continuation in
      for byte in people.utf8 { continuation.yield(byte) }
      continuation.finish()
    }
    let store = try kind.make()
    let mapper = Mapper(store)
    let mapping = Person.mapping
    let first = try await mapper.importJSON(people, as: mapping)
    #expect(
      first["Person"]?.inserted == 3 && first["Phone"]?.inserted == 2 && first["Address"]?.inserted == 1)
    let document = try document(people)
    for report in [
      try await mapper.importJSON(.file(path), as: mapping),
      try await mapper.importJSON(document, as: mapping),
      try await mapper.importJSON(chunks, as: mapping), try await mapper.importJSON(bytes, as: mapping),
      try await mapper.importJSON(people, as: mapping.plan()), try importAtOnce(mapper),
    ] {
      #expect(report["Person"]?.unchanged == 3 && report["Phone"]?.unchanged == 2 && report.rootObjects == 2)
    }
    #expect(try reading(store) { try $0.count(Person.mapping) } == 3)
  }

  private func importAtOnce(_ mapper: Mapper) throws -> ImportReport {
    try mapper.importJSON(people, as: Person.mapping)
  }

  @Test(arguments: StoreKind.allCases)
  func oneObjectIsImported(_ kind: StoreKind) async throws {
    let mapper = Mapper(try kind.make())
    let ada = try await mapper.roundTrip(#"{"id": 1, "full_name": "Ada"}"#, as: Person.mapping, depth: .max)
      .first
    #expect(ada?.name == "Ada")
    let tree = try document(#"{"id": 7, "is_active": true}"#)
    let stored = try await mapper.roundTrip(tree, as: Person.mapping, depth: .max).last
    #expect(stored?.isActive == true)
    #expect(try objectAtOnce(mapper)?.name == "Ada")
  }

  private func objectAtOnce(_ mapper: Mapper) throws -> Person? {
    try mapper.roundTrip(#"{"id": 1}"#, as: Person.mapping, depth: .max).first
  }

  @Test(arguments: StoreKind.allCases)
  func instancesAreWrittenAsJSON(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let found = try await Mapper(store).roundTrip(people, as: Person.mapping, depth: .max)
    let serializer = try Serializer(Person.mapping)
    let text = try serializer.json(of: found[0])
    #expect(
      text.hasPrefix(#"{"id":1,"full_name":"Ada","age":36,"height":1.5,"is_active":true,"role":"analyst","#))
    #expect(text.contains(#""nick":"al""#) && text.contains(#""place":{"city":"London"}"#))
    let copies = try await Person.mapping.objects(from: text)
    #expect(try serializer.json(of: copies) == serializer.json(of: [found[0]]))
    var exported: [UInt8] = []
    try export(serializer, store) { exported += $0 }
    #expect(String(decoding: exported, as: UTF8.self).contains(#""full_name":"Grace""#))
    let scratch = Scratch()
    let path = scratch.path("people.json")
    #expect(try await serializer.exportFile(path, from: store).objects == 3)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(exported))
  }

  @Test(arguments: StoreKind.allCases)
  func severalTransactionsAndBatchesMatchOneCall(_ kind: StoreKind) async throws {
    let count = TestSize.count(small: 500, whole: 10_000)
    let many = "[" + (1...count).map { #"{"id":\#($0),"age":\#($0)}"# }.joined(separator: ",") + "]"
    let mapper = Mapper(try kind.make())
    let options = ImportOptions(commitInterval: count / 3, batchSize: count / 10)
    let found = try await mapper.roundTrip(many, as: Person.mapping, depth: .max, options: options)
    #expect(found.map(\.id) == Array(1...count) && found.allSatisfy { $0.id == $0.age })
    let report = try await mapper.importJSON(many, as: Person.mapping)
    #expect(report["Person"]?.unchanged == count && report.bytes == many.utf8.count)
  }

  @Test(arguments: StoreKind.allCases)
  func aFaultEndsTheImportAndPropertiesAreAsTheyWere(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let mapper = Mapper(store)
    let ada = try #require(try await mapper.roundTrip(people, as: Person.mapping, depth: .max).first)
    let count = TestSize.count(small: 600, whole: 6000)
    let many = (10...count).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    for (text, message) in [
      (#"[{"id": 1, "age": 7}, \#(many), {"id": "x"}]"#, "$[\(count - 8)].id: expected an integer"),
      (#"[{"id": 1, "age": 7}, \#(many), {"id": 1 2}]"#, "expected"),
    ] {
      let error = await #expect(throws: (any Error).self) {
        try await mapper.roundTrip(text, as: Person.mapping, depth: .max)
      }
      #expect("\(error.map { "\($0)" } ?? "")".contains(message))
      #expect(ada.age == 36)
      #expect(try reading(store) { try $0.count(Person.mapping) } == 3)
    }
    let skipped = try await mapper.importJSON(
      #"[{"id": 1, "age": 8}, {"id": "x"}]"#, as: Person.mapping, options: ImportOptions(faults: .skip))
    #expect(skipped.errors.count == 1 && skipped["Person"]?.updated == 1)
    #expect(ada.age == 36)
  }

  @Test func aMappersTransformsAreUsed() async throws {
    var transforms = Transforms()
    transforms.use(Transform<Bool>(reading: { .value($0.string == "yes") }))
    let mapper = Mapper(MemoryStore(), transforms: transforms)
    let found = try await mapper.roundTrip(
      #"[{"id": 1, "is_active": "yes"}]"#, as: Person.mapping, depth: .max)
    #expect(found.first?.isActive == true)
  }

  @Test func theFaultsOfAMappingAndItsTargetsAreFound() async throws {
    let faulty = MainActorMapping(Phone.self, "Faulty", primaryKey: "id", make: Phone.init) {
      Attribute("number", \.number)
    }
    let outer = MainActorMapping(Person.self, "Outer", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      ToMany("phones", \.phones, faulty)
    }
    #expect(throws: MappingDefinitionError.self) { try outer.plan() }
  }
}

func document(_ text: String) throws -> JSONDocument {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
  defer { bytes.deallocate() }
  bytes.copyBytes(from: text.utf8)
  return try JSONDocument(parsing: UnsafeRawBufferPointer(bytes))
}

private func export(
  _ serializer: Serializer, _ store: some Store, _ sink: (UnsafeRawBufferPointer) -> Void
) throws {
  try store.read(serializer.plan.schema) { reader in _ = try serializer.export(from: &reader, to: sink) }
}
