import Testing

@testable import FastMapCore

@Suite struct SerializerGraphTests {
  @Test func deepObjectsNeedNoStack() throws {
    let depth: ObjectID = 100_000
    var deep = Graph()
    for id in 1...depth { deep.add(id, "Part", one: id < depth ? ["inner": id + 1] : [:]) }
    let text = try serialized(Graph.part, deep)
    let levels = Int(depth) - 1
    #expect(
      text == String(repeating: #"{"inner":"#, count: levels) + "{}" + String(repeating: "}", count: levels))

    var friends = Graph()
    for id in 1...depth { friends.add(id, "Member", ["id": "m"], one: ["friend": id % depth + 1]) }
    let all = try serialized(Graph.member, friends) { $0.cycles = .ancestorAsKey }
    #expect(all.utf8.count == Int(depth) * 20 + 10)
  }

  /// Rows give way to those of deeper objects, and are read again.
  @Test func fieldsAfterADeepRelationshipAreWritten() throws {
    let depth: ObjectID = 100
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
    var random = SplitMix(state: 42)
    let root = Mapping("Root") {
      ToOne("member", Graph.member)
      ToMany("parts", Graph.part)
      ToOne("book", Graph.shelvedBook, at: nil)
    }
    for round in 0..<100 {
      let count = ObjectID.random(in: 2...7, using: &random)
      var stored = Graph()
      func some() -> ObjectID { .random(in: 1...count + 1, using: &random) }
      func key() -> [String: Graph.Content] { Bool.random(using: &random) ? ["id": 7] : [:] }
      stored.add(1, "Root", one: ["member": some(), "book": some()], many: ["parts": [some()]])
      for id in 2...count {
        switch ObjectID.random(in: 0..<5, using: &random) {
        case 0: stored.add(id, "Part", ["n": 1], one: ["inner": some()], many: ["parts": [some(), some()]])
        case 1: stored.add(id, "Member", key(), one: ["club": some(), "friend": some()])
        case 2: stored.add(id, "Club", key(), many: ["members": [some(), some()]])
        case 3: stored.add(id, "Book", key(), one: ["shelf": some(), "author": some()])
        default: stored.add(id, "Shelf", key(), one: ["keeper": some()], many: ["books": [some(), some()]])
        }
      }
      let text = try serialized(root, stored) {
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
