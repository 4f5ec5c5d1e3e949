import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Values of `kinds` of which one is the beginning of another.
@Suite struct KindValueTests {
  private static let kinds = [
    "a": "A", "ab": "AB", "abc": "ABC", "abd": "ABD", "b": "B", "ba": "BA", "ä": "AE", "äb": "AEB",
  ]

  private static let file = Result {
    let values = kinds.map { #""\#($0)": "\#($1)""# }.sorted().joined(separator: ", ")
    let mappings = kinds.values.sorted().map {
      #""\#($0)": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer"}}"#
    }
    return try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Any": {"entity": "Event", "primaryKey": "id", "kinds": {"keyPath": "t", "values": {\#(values)}}},
          \#(mappings.joined(separator: ", "))}}
        """#)
  }

  @Test(arguments: StoreKind.allCases)
  func aValueNamesItsOwnMappingOnly(_ kind: StoreKind) throws {
    let world = try World(kind, Self.file.get().plan(for: "Any"))
    for (place, (value, name)) in Self.kinds.sorted(by: { $0.key < $1.key }).enumerated() {
      try world.load(#"{"id":\#(place),"t":"\#(value)"}"#)
      let line = try #require(try world.dump(of: "Event \(place)"))
      #expect(line.contains(#"kind="\#(name)""#), "\(value): \(line)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aValueThatBeginsAsAnotherNamesNoMapping(_ kind: StoreKind) throws {
    let world = try World(kind, Self.file.get().plan(for: "Any"))
    for value in ["", "aa", "abca", "abe", "ac", "bab", "bb", "c", "äbc", "A", "a "] {
      let found = world.failure(of: #"{"id":1,"t":"\#(value)"}"#)
      #expect(found?.contains("expected one of") == true, "\(value): \(found ?? "no error")")
    }
    try #expect(world.dump() == "")
  }
}
