import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Properties beside the types that the table of FastMapParityTests has.
@Suite struct PropertyTypeTests {
  private class Base {
    var id = 0
    var count: Int32 = 0
    var ok = false
  }

  private final class Box: Base {
    var bool = true
    var int = 5
    var double = 5.0
    var string = "five"
    var note: String? = "five"
    var langs: [String]? = ["five"]

    static let mapping = Mapping(Box.self, "Box", primaryKey: "id", make: Box.init) {
      Attribute("id", \.id)
      Attribute("bool", \.bool)
      Attribute("int", \.int)
      Attribute("double", \.double)
      Attribute("string", \.string)
      Attribute("note", \.note)
      Attribute("langs", \.langs)
    }
  }

  // FEM-18, Q-05
  @Test(arguments: StoreKind.allCases)
  func nullInANewObjectLeavesItsInitialValue(_ kind: StoreKind) throws {
    let world = try World(kind, Box.mapping)
    let payload = #"{"id":1,"int":null,"double":null,"bool":null,"string":null,"note":null,"langs":null}"#
    let box = try #require(try world.instances(payload, as: Box.mapping).first)
    #expect((box.int, box.double, box.bool, box.string) == (5, 5.0, true, "five"))
    #expect(box.note == nil)
    #expect(box.langs == nil)
  }

  // FEM-13: FEM-186 too, as false and 0 are written like any other value
  @Test(arguments: StoreKind.allCases)
  func inheritedPropertiesAreMappedBothWays(_ kind: StoreKind) throws {
    let mapping = Mapping(Box.self, "Small", primaryKey: "id", make: Box.init) {
      Attribute("id", \.id)
      Attribute("count", \.count)
      Attribute("ok", \.ok)
      Attribute("note", \.note)
    }
    let world = try World(kind, mapping)
    let payload = #"[{"id":1,"count":777,"ok":true,"note":"hi"},{"id":2,"count":0,"ok":false}]"#
    let boxes = try world.instances(payload, as: mapping)
    #expect((boxes.map(\.count), boxes.map(\.ok), boxes.first?.note) == ([777, 0], [true, false], "hi"))
    let record = try #require(try world.dump(of: "Small 1"))
    #expect(record == #"Small 1 count=777 ok=true note="hi""#)
    try #expect(
      world.export().hasPrefix(#"[{"id":1,"count":777,"ok":true,"note":"hi"},{"id":2,"count":0,"ok":false"#))
  }

  // FEM-45, Q-27, BUG-17: the values that `.lenient` accepts, for records and for properties
  @Test(arguments: StoreKind.allCases)
  func aLenientAttributeConvertsOtherSpellings(_ kind: StoreKind) throws {
    let mapping = Mapping("Loose", primaryKey: "id") {
      Attribute("id", .integer).lenient
      Attribute("flag", .boolean).lenient
      Attribute("share", .number).lenient
    }
    let world = try World(kind, mapping)
    try #expect(
      world.load(#"[{"id":"7","flag":1,"share":"0.5"},{"id":8.0,"flag":0,"share":2}]"#) == "Loose +2")
    try #expect(world.dump() == "Loose 7 flag=true share=0.5\nLoose 8 flag=false share=2.0")
    #expect(
      world.failure(of: #"{"id":"x"}"#)
        == #"$.id: expected an integer, found the string "x" (line 1, column 7)"#)
  }
}
