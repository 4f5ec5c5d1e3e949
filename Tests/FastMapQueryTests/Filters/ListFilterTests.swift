import FastMapCore
import FastMapMemory
import TestSupport
import Testing

/// Filters over lists of scalars.
@Suite struct ListFilterTests {
  final class Note {
    var id = 0
    var tags: [String] = []
  }

  static let mapping = Mapping(Note.self, "Note", primaryKey: "id", make: Note.init) {
    Attribute("id", \.id)
    Attribute("tags", \.tags)
  }

  static let file = #"""
    {"fastmap": 1, "mappings": {"Note": {"primaryKey": "id", "attributes": {
      "id": "integer", "tags": ["string"], "numbers": ["decimal"], "extra": "json"}}}}
    """#

  static let hint = "use @.tags[?@ == …] to test its elements"

  @Test(arguments: [
    (#"@.tags == "b""#, #"@.tags == "b": expected one value, found the list @.tags; \#(hint)"#),
    (#"@.tags != "b""#, #"@.tags != "b": expected one value, found the list @.tags; \#(hint)"#),
    (#"@.tags < @.id"#, #"@.tags < @.id: expected one value, found the list @.tags; \#(hint)"#),
    (#"match(@.tags, "b")"#, "match(…): expected a string, found a list: @.tags"),
    (#"lower(@.tags) == "b""#, "lower(@.tags): expected a string, found a list"),
    (#"value(@.tags) == "b""#, #"value(@.tags) == "b": expected one value, found the list @.tags; \#(hint)"#),
    (#"@.tags.b"#, "@.tags.b: expected [*], [?…] or an index after the list @.tags"),
  ])
  func aListIsNoScalar(_ text: String, _ fault: String) throws {
    for plan in try [MappingSet(file: Self.file).plan(for: "Note"), Self.mapping.plan()] {
      let found = message { _ = try Filter(text).bound(to: plan) }
      #expect(found?.drop { $0 != ":" }.dropFirst(2) == fault[...])
    }
  }

  @Test(arguments: [
    (
      "@.tags[?@ == 1]",
      "@ == 1: expected values of one kind, found an element of @.tags, a string, and an integer"
    ),
    (
      #"@.id == 1 && @.numbers[?@ > 1 && !("x" == @)]"#,
      #"@ == "x": expected values of one kind, found an element of @.numbers, a decimal, and a string"#
    ),
    (#"@.tags[?@.x == "a"]"#, "@.tags[…].x: a string, an element of @.tags, has no members"),
  ])
  func aComparisonOfElementsThatCannotHoldIsAFault(_ text: String, _ fault: String) throws {
    let plan = try MappingSet(file: Self.file).plan(for: "Note")
    let found = message { _ = try Filter(text).bound(to: plan) }
    #expect(found?.drop { $0 != ":" }.dropFirst(2) == fault[...])
  }

  @Test func aListHasNoOrder() throws {
    let plan = try Self.mapping.plan()
    let store = MemoryStore()
    let found = message { _ = try store.read(plan) { try $0.keys(plan.sorted(by: "tags")) } }
    #expect(found == "@.tags: expected an attribute to sort by, found a list, which has no order")
  }

  @Test(arguments: StoreKind.allCases)
  func elementsAndWholeListsAreCompared(_ kind: StoreKind) throws {
    let world = try World(kind, MappingSet(file: Self.file).plan(for: "Note"))
    try world.load(
      #"[{"id": 1, "tags": ["a", "b"], "numbers": [1.50], "extra": ["a", "b"]}, {"id": 2, "tags": []}, {"id": 3}]"#
    )
    let plan = world.plan()
    let cases: [(String, [Int])] = [
      (#"@.tags[?@ == "b"]"#, [1]), (#"@.tags[0] == "a""#, [1]), ("length(@.tags) == 2", [1]),
      ("@.tags == null", [3]), ("!@.tags", [3]), ("@.tags == @.extra", [1, 3]), ("@.tags != @.tags", []),
      ("count(@.tags[*]) == 0", [2, 3]), ("@.numbers[?@ == 1.5]", [1]),
    ]
    for (text, keys) in cases {
      let query = try plan.where(Filter(text))
      let found = try world.store.read(plan) { try $0.keys(query) }
      #expect(found.map { "\($0)" } == keys.map { "\($0)" }, "\(text)")
    }
  }

  /// An index counts from the beginning of a list, and a negative one from its end.
  @Test(arguments: StoreKind.allCases)
  func anIndexCountsFromEitherEnd(_ kind: StoreKind) throws {
    let friend = Mapping("Person", primaryKey: "id") { Attribute("id", .integer, at: .wholeValue) }
    let person = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("tags", .list(.integer))
      Attribute("extra", .json)
      ToMany("friends", friend)
    }
    let lists = [[], [1], [2, 1], [4, 2, 3]]
    let world = try World(kind, person)
    let objects = lists.enumerated().map {
      #"{"id":\#($0 + 1),"tags":\#($1),"extra":\#($1),"friends":\#($1)}"#
    }
    try world.load("[\(objects.joined(separator: ","))]")
    let plan = world.plan()
    try world.store.read(plan) { snapshot in
      for index in -4...3 {
        for wanted in 1...4 {
          let keys = lists.indices.filter { place in
            let at = index < 0 ? lists[place].count + index : index
            return lists[place].indices.contains(at) && lists[place][at] == wanted
          }.map { PrimaryKey($0 + 1) }
          for path in [
            "@.tags[\(index)]", "@.extra[\(index)]", "@.friends[\(index)]", "@.friends[\(index)].id",
          ] {
            let text = "\(path) == \(wanted)"
            let found = try snapshot.keys(plan.where(Filter(text)))
            #expect(found == keys, "\(text)")
          }
        }
      }
    }
  }
}
