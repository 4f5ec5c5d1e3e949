import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// Messages are for people: names and values are cut, lists have the first few and a count, and so have faults.
@Suite struct MessageLengthTests {
  private let name = String(repeating: "n", count: 10_000)

  @Test func listsHaveTheFirstNamesAndTheNumberOfTheOthers() {
    let names = (1...20).map { "\($0)" }
    #expect(list([]) == "")
    #expect(list(["a"]) == "a")
    #expect(list(["a", "b", "c"], conjunction: "or") == "a, b or c")
    #expect(list(Array(names.prefix(12))) == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 12")
    #expect(list(Array(names.prefix(13)), conjunction: "or") == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 or 2 more")
    #expect(list(names, most: 3) == "1, 2 and 18 more")
  }

  @Test func namesAndValuesAreCut() {
    #expect(escaped(name).count == 101)
    #expect(escaped(String(name.prefix(100))) == String(name.prefix(100)))
    #expect(quoted(name).count == 43)
    #expect(shortened(name) == String(name.prefix(40)) + "…")
    #expect(shortened("a\u{1B}") == "a\\u001b")
    #expect(PrimaryKey.string(name).description.count == 43)
  }

  @Test func pathsAreCut() {
    let path = JSONPath((0..<1000).map { .index($0) })
    #expect(path.description.hasPrefix("$[0][1][2]"))
    #expect(path.description.contains("[31]…[968]"))
    #expect(path.description.hasSuffix("[999]"))
    #expect(JSONPath((0..<64).map { .index($0) }).description.contains("[31][32]"))
  }

  @Test func faultsAreCounted() {
    let faults = (0..<500).map {
      MappingDefinitionError.Fault(place: JSONPath([.index($0)]), reason: "wrong")
    }
    let mapping = MappingDefinitionError(faults).description.split(separator: "\n")
    #expect((mapping.count, mapping.last) == (101, "and 400 more"))
    #expect(MappingDefinitionError(Array(faults.prefix(100))).description.split(separator: "\n").count == 100)

    let text = (0..<500).map { "@.x\($0)" }.joined(separator: " && ")
    let filter = message {
      let mapping = Mapping("A") { Attribute("a", .string) }
      _ = try Filter(text).bound(to: mapping.plan())
    }
    #expect(filter?.split(separator: "\n").count == 101)

    let keys = RefusedKeysError([0: Dictionary(uniqueKeysWithValues: (0..<500).map { ($0, "too long") })])
    #expect(keys.description.hasSuffix("and 400 more"))
  }

  @Test func aFaultOfALongPathIsShort() {
    let path = "@" + String(repeating: "." + name.prefix(90), count: 30)
    let error = message {
      let mapping = Mapping("A") { Attribute("a", .string) }
      _ = try Filter(path).bound(to: mapping.plan())
    }
    #expect((error?.utf8.count ?? 0) < 400, "\(error ?? "none")")
  }

  @Test func aConflictOfListsIsShort() {
    let keys = (0..<5000).map { PrimaryKey.integer($0) as PrimaryKey? }
    #expect(
      ObjectConflict.State.targets(keys).description == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 4989 more")
    #expect(ObjectConflict.State.targets(Array(keys.prefix(12))).description.hasSuffix(", 11"))
    #expect(ObjectConflict.State.targets([]).description == "none")
    #expect(ObjectConflict.State.value(.json("[\(name)]")).description.count == 41)
    let object = ObjectConflict(
      entity: "A", key: 1, id: ObjectID(rawValue: 1), field: name, title: "A 1", read: .targets([nil]),
      mine: .targets(keys.map { _ in nil }), theirs: .targets(keys.map { _ in nil }),
      numbers: .init(
        read: [ObjectID(rawValue: 1)], mine: keys.indices.map { ObjectID(rawValue: UInt64($0) + 1) },
        theirs: [ObjectID(rawValue: 1)]))
    #expect(object.description.utf8.count < 400)
    let error = SaveConflictError(
      conflicts: Array(repeating: object, count: 150), deleted: (0..<150).map { "A \($0)" })
    #expect(error.description.split(separator: "\n").count == 101)
    #expect(error.description.hasSuffix("and 200 more"))
  }

  @Test func anUnknownRelationshipAmongManyIsShort() {
    let error = ContextError.noRelationship(
      entity: name, property: "x", among: (0..<5000).map { "relationship\($0)" })
    #expect(error.description.utf8.count < 500)
    #expect(error.description.hasSuffix(" and 4989 more"))
  }

  @Test(arguments: StoreKind.allCases)
  func theErrorsOfAnImportAreShort(_ kind: StoreKind) throws {
    let format = AttributeType.DateFormat.anyOf(
      (0..<40).map { .pattern("%Y\(String(repeating: "x", count: 1000 + $0))") })
    let mapping = Mapping("A", primaryKey: "id") {
      Attribute("id", .string)
      Attribute(name, .date(format))
    }
    let world = try World(kind, mapping)
    for payload in [#"{"id":"\#(name)","\#(name)":"\#(name)"}"#, #"{"id":{"\#(name)":1}}"#] {
      let error = try #require(world.failure(of: payload))
      #expect(error.utf8.count < 1000, "\(error.prefix(2000))")
    }
  }
}
