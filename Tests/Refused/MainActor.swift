// Uses of main-actor classes that the compiler must refuse: each by itself, with its error. See scripts/check-refused.
import FastMapCore
import FastMapMemory

@globalActor actor OtherActor { static let shared = OtherActor() }

@MainActor final class Person {
  var id = 0
  var boss: Person?

  static let mapping: MainActorMapping<Person> = MainActorMapping(
    Person.self, "Person", primaryKey: "id", make: Person.init
  ) {
    Attribute("id", \.id)
    ToOne("boss", \.boss, Person.mapping)
  }
}

@OtherActor final class Other {
  var id = 0
}

@MainActor func isAccepted(_ mapper: Mapper) async throws {
  _ = try await Person.mapping.objects(from: "[]")
  _ = try await mapper.importJSON("[]", as: Person.mapping)
  _ = try await mapper.store.objects(Person.mapping.limit(1))
}

@MainActor func isAcceptedAtOnce(_ store: any Store) throws {
  _ = try store.read { try $0.objects(Person.mapping) }
}

func isAcceptedElsewhere(_ mapper: Mapper) async throws {
  try await isAccepted(mapper)
  _ = try await mapper.importJSON("[]", as: Person.mapping)
  let plan = try await Task { @MainActor in try Person.mapping.plan() }.value
  _ = try await mapper.importJSON("[]", as: plan)
}

#if CASE_1  // refused: does not conform to the 'Sendable' protocol
  @MainActor func ordinary() {
    _ = Mapping(Person.self, "Person", primaryKey: "id", make: { Person() }) { Attribute("id", \.id) }
  }
#elseif CASE_2  // refused: cannot form key path to global actor 'OtherActor'-isolated property
  @MainActor func others() {
    _ = MainActorMapping(Other.self, "Other", primaryKey: "id", make: { Other() }) { Attribute("id", \.id) }
  }
#elseif CASE_3  // refused: does not conform to the 'Sendable' protocol
  @OtherActor func theirOwn() {
    _ = Mapping(Other.self, "Other", primaryKey: "id", make: { Other() }) { Attribute("id", \.id) }
  }
#elseif CASE_4  // refused: call to main actor-isolated initializer
  @OtherActor func madeElsewhere() {
    _ = MainActorMapping(Other.self, "Other", primaryKey: "id", make: { Other() }) { Attribute("id", \.id) }
  }
#elseif CASE_5  // refused: call to main actor-isolated initializer
  func line() {
    _ = Attribute<MainActorMapping<Person>>("id", \.id)
  }
#elseif CASE_6  // refused: cannot be used in nonisolated context
  func compiled(_ mapping: MainActorMapping<Person>) throws {
    _ = try mapping.plan()
  }
#elseif CASE_7  // refused: cannot be used in nonisolated context
  func objects(_ mapping: MainActorMapping<Person>) throws {
    _ = try mapping.objects(from: "[]")
  }
#elseif CASE_8  // refused: cannot be used in nonisolated context
  func read(_ store: MemoryStore, _ mapping: MainActorMapping<Person>) async throws {
    _ = try await store.read { try $0.count(mapping) }
  }
#elseif CASE_9  // refused: cannot be used in nonisolated context
  func object(_ mapping: MainActorMapping<Person>) throws {
    _ = try mapping.object(from: "[]")
  }
#elseif CASE_10  // refused: cannot be used in global actor 'OtherActor'-isolated context
  @OtherActor func filled(_ person: Person, _ mapping: MainActorMapping<Person>) throws {
    try mapping.fill(person, from: "{}")
  }
#elseif CASE_11  // refused: cannot be used in nonisolated context
  func filled(_ person: Person, _ tree: JSONDocument, _ mapping: MainActorMapping<Person>) throws {
    try mapping.fill(person, from: tree)
  }
#elseif CASE_12  // refused: cannot be used in nonisolated context
  func imported(_ mapper: Mapper, _ mapping: MainActorMapping<Person>) throws {
    _ = try mapper.importJSON("[]", as: mapping)
  }
#elseif CASE_14  // refused: cannot be used in nonisolated context
  func imported(_ mapper: Mapper, _ chunks: AsyncStream<[UInt8]>, _ mapping: MainActorMapping<Person>)
    async throws
  {
    _ = try await mapper.importJSON(chunks, as: mapping)
  }
#elseif CASE_15  // refused: cannot be used in nonisolated context
  func imported(_ mapper: Mapper, _ bytes: AsyncStream<UInt8>, _ mapping: MainActorMapping<Person>)
    async throws
  {
    _ = try await mapper.importJSON(bytes, as: mapping)
  }
#elseif CASE_16  // refused: cannot be used in nonisolated context
  func imported(_ mapper: Mapper, _ mapping: MainActorMapping<Person>) throws {
    _ = try mapper.importJSON(.file("people.json"), as: mapping)
  }
#elseif CASE_17  // refused: cannot be used in nonisolated context
  func imported(_ mapper: Mapper, _ mapping: MainActorMapping<Person>) throws {
    _ = try mapper.importJSON(.descriptor(0), as: mapping)
  }
#elseif CASE_18  // refused: cannot be used in nonisolated context
  func imported(_ mapper: Mapper, _ tree: JSONDocument, _ mapping: MainActorMapping<Person>) throws {
    _ = try mapper.importJSON(tree, as: mapping)
  }
#elseif CASE_19  // refused: cannot be used in nonisolated context
  func read(_ store: MemoryStore, _ mapping: MainActorMapping<Person>) throws {
    _ = try store.read { try $0.object(mapping, key: 1) }
  }
#elseif CASE_20  // refused: cannot be used in nonisolated context
  func read(_ store: MemoryStore, _ mapping: MainActorMapping<Person>) throws {
    _ = try store.read { try $0.objects(mapping.keys(1..<3)) }
  }
#elseif CASE_21  // refused: cannot be used in nonisolated context
  func counted(_ store: MemoryStore, _ mapping: MainActorMapping<Person>) throws {
    _ = try store.read { try $0.count(mapping) }
  }
#elseif CASE_22  // refused: cannot be used in nonisolated context
  func deleted(_ store: MemoryStore, _ mapping: MainActorMapping<Person>) throws {
    _ = try store.delete(mapping, key: 1)
  }
#elseif CASE_23  // refused: cannot be used in nonisolated context
  func deleted(_ store: MemoryStore, _ mapping: MainActorMapping<Person>) throws {
    _ = try store.delete(mapping.keys(1..<3))
  }
#elseif CASE_24  // refused: cannot be used in nonisolated context
  func written(_ mapping: MainActorMapping<Person>) throws {
    _ = try Serializer(mapping)
  }
#elseif CASE_25  // refused: cannot be used in nonisolated context
  func read(_ store: MemoryStore, _ mapping: MainActorMapping<Person>) throws {
    _ = try store.read(mapping) { try $0.records("Person") }
  }
#elseif CASE_26  // refused: cannot be used in nonisolated context
  func deleted(_ store: MemoryStore, _ mapping: MainActorMapping<Person>) throws {
    _ = try store.delete(mapping.query(of: "Person"))
  }
#endif
