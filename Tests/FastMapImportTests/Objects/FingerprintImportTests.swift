import FastMapCore
import TestSupport
import Testing

/// Objects that an import leaves out because their fields were last written as they are.
@Suite struct FingerprintImportTests {
  private static let x = Mapping("X", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }
  private static let y = Mapping("Y", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("x", x)
  }
  private static let root = Mapping("Root", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("boss", y, isWeak: true)
    ToOne("y", y)
    ToOne("x", x)
  }

  @Test func aStoreThatRefusesKeysIsAskedAgainWithoutItsEarlierAnswers() throws {
    let named = Mapping("Named", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("name", .string)
    }
    let store = FingerprintStore(try ScratchStore())
    let long = String(repeating: "a", count: 600)
    _ = try Mapper(store).importJSON(#"[{"id":"b","name":"B"},{"id":"c","name":"C"}]"#, as: named)
    let report = try Mapper(store).importJSON(
      #"[{"id":"\#(long)"},{"id":"b","name":"B"},{"id":"c","name":"D"},{"id":"d","name":"D"}]"#, as: named,
      options: ImportOptions(faults: .skip))
    #expect(summary(report) == "Named +1 ~1 =1 !1")
  }

  // The text of the missed boss is read when its object is made, after the keys of that batch were looked up.
  @Test(arguments: StoreKind.allCases)
  func laterRepresentationsOverwriteWeakOnes(_ kind: StoreKind) throws {
    let world = try World(kind, Self.root, holding: #"{"id":7,"x":{"id":1,"name":"A"}}"#)
    try world.load(
      #"[{"id":8,"boss":{"id":2,"x":{"id":1,"name":"B"}}},{"id":9,"y":{"id":2},"x":{"id":1,"name":"A"}}]"#,
      options: ImportOptions(batchSize: 1))
    #expect(try world.dump(of: "X 1") == #"X 1 name="A""#)
  }
}
