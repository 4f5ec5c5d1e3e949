import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

private final class Person {
  var id = 0
  var name: String?
  var friends: [Person] = []
  static let mapping: Mapping<Person> = Mapping(
    Person.self, "Person", primaryKey: "id", make: { Person() }
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToMany("friends", \.friends, mapping, policy: .replace)
  }
}

/// Work for the thread sanitizer: plans, trees and stores that several threads use at once.
@Suite struct ConcurrentImportTests {
  private static let people = TestSize.count(small: 100, whole: 300)

  private static func payload(_ seed: Int) -> [UInt8] {
    let objects = (0..<people).map { index in
      let friends = (1...3).map { #"{"id": \#((index * $0 + seed) % people), "name": "n\#(seed)"}"# }
      return #"{"id": \#(index), "name": "n\#(index)", "friends": [\#(friends.joined(separator: ","))]}"#
    }
    return Array("[\(objects.joined(separator: ","))]".utf8)
  }

  @Test(arguments: StoreKind.allCases)
  func importsIntoStoresOfTheirOwnDoNotDisturbEachOther(_ kind: StoreKind) async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for seed in 0..<6 {
        group.addTask {
          let store = try kind.make()
          let mapper = Mapper(store)
          let people = try mapper.roundTrip(Self.payload(seed), as: Person.mapping)
          _ = try mapper.importJSON(Self.payload(seed + 1), as: Person.mapping)
          return try store.read { try $0.objects(Person.mapping) }.count + people.count
        }
      }
      for try await count in group { #expect(count == 2 * Self.people) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func readersSeeTheImportsOfAnotherThreadWhole(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let tag = Mapping("Tag", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("round", .integer)
    }
    let plan = try Plan(tag)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<TestSize.rounds(small: 8, whole: 20) {
          let tags = (0..<100).map { #"{"id": \#($0), "round": \#(round)}"# }
          _ = try await Mapper(store).importJSON(Array("[\(tags.joined(separator: ","))]".utf8), as: plan)
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<30 {
            let rounds = try await store.read(plan) { reader in
              Set(try reader.records("Tag").map { $0["round"] })
            }
            #expect(rounds.count <= 1)
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
