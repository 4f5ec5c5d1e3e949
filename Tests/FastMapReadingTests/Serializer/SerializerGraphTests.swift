import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapReading

@Suite struct SerializerGraphTests {
  @Test func deepObjectsNeedNoStack() throws {
    let depth = UInt64(TestSize.count(small: 1000, whole: 4000, long: 10_000))
    var deep = Graph()
    for id in 1...depth { deep.add(id, "Part", one: id < depth ? ["inner": id + 1] : [:]) }
    // On a server each level is a round trip.
    let kinds = StoreKind.allCases.filter { $0 != .postgres }
    let text = try onSmallStack { [deep] in try serialized(Graph.part, deep, in: kinds) }
    let levels = Int(depth) - 1
    #expect(
      text == String(repeating: #"{"inner":"#, count: levels) + "{}" + String(repeating: "}", count: levels))

    var friends = Graph()
    for id in 1...depth {
      friends.add(id, "Member", ["id": .init(.string("\(id + depth)"))], one: ["friend": id % depth + 1])
    }
    let all = try onSmallStack { [friends] in
      try serialized(Graph.member, friends, in: kinds) { $0.cycles = .ancestorAsKey }
    }
    let digits = "\(2 * depth)".count
    #expect(all.utf8.count == Int(depth) * (19 + digits) + 9 + digits)
  }

  /// Rows give way to rows of deeper objects, and are read again.
  @Test func fieldsAfterADeepRelationshipAreWritten() throws {
    let depth: UInt64 = 100
    var deep = Graph()
    for id in 1...depth {
      deep.add(
        id, "Node", ["id": .init(.integer(Int64(id)))], one: ["child": id + 1, "tail": depth + 1 - id])
    }
    let expected = (1...depth).reversed().reduce("") { inner, id in
      let child = inner.isEmpty ? "" : #""child":\#(inner),"#
      return #"{"id":\#(id),\#(child)"tail":\#(depth + 1 - id)}"#
    }
    #expect(try serialized(Graph.node, deep) { $0.cycles = .ancestorAsKey } == expected)
  }

  /// BUG-55, BUG-62: whatever refers to whatever. No member is written twice, or the copy would lose it.
  @Test(arguments: SerializerOptions.Cycles.allCases)
  func writingEndsForAnyGraph(_ cycles: SerializerOptions.Cycles) throws {
    var random = Random(seed: 42)
    let root = Mapping("Root") {
      ToOne("member", Graph.member)
      ToMany("parts", Graph.part)
      ToOne("book", Graph.shelvedBook, at: .wholeValue)
    }
    for round in 0..<TestSize.rounds(small: 8, whole: 40) {
      let count = UInt64.random(in: 2...4, using: &random)
      var stored = Graph()
      // The number says the kind, so that every target is of the right one; some are not there.
      let kinds = ["Part", "Member", "Club", "Book", "Shelf", "Author"]
      func some(_ kind: String) -> UInt64 {
        6 * .random(in: 1...count, using: &random) + UInt64(kinds.firstIndex(of: kind) ?? 0)
      }
      func key(_ key: Value) -> [String: Graph.Content] {
        Bool.random(using: &random) ? ["id": .init(key)] : [:]
      }
      stored.add(
        1, "Root", one: ["member": some("Member"), "book": some("Book")], many: ["parts": [some("Part")]])
      for id in 6..<6 * count {
        let number = key(.integer(Int64(id)))
        switch kinds[Int(id % 6)] {
        case "Part":
          stored.add(
            id, "Part", ["n": 1], one: ["inner": some("Part")],
            many: ["parts": [some("Part"), some("Part")]])
        case "Member":
          stored.add(
            id, "Member", key(.string("\(id)")), one: ["club": some("Club"), "friend": some("Member")])
        case "Club": stored.add(id, "Club", number, many: ["members": [some("Member"), some("Member")]])
        case "Book": stored.add(id, "Book", number, one: ["shelf": some("Shelf"), "author": some("Author")])
        case "Author": stored.add(id, "Author", number)
        default:
          stored.add(
            id, "Shelf", number, one: ["keeper": some("Author")],
            many: ["books": [some("Book"), some("Book")]])
        }
      }
      let text = try serialized(root, stored, in: round % 4 == 0 ? StoreKind.allCases : []) {
        $0.cycles = cycles
        $0.includesNulls = round % 2 == 0
        $0.depth = round % 3 == 0 ? 2 : nil
      }
      var copy = JSONWriter()
      let bytes = Array(text.utf8)
      try bytes.withUnsafeBytes { try JSONDocument(parsing: $0).withRoot { copy.append($0) } }
      #expect(copy.bytes == bytes)
    }
  }
}
