import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Every type that a property may have: from JSON, through a store, and back to JSON.
@Suite struct PropertyTypeTests {
  private class Base {
    var id = 0
    var count: Int32 = 0
    var ok = false
  }

  private final class Box: Base {
    enum Sex: Int, AttributeValue { case male, female }

    var bool = true
    var int8: Int8 = 5
    var uint8: UInt8 = 5
    var int16: Int16 = 5
    var uint16: UInt16 = 5
    var int32: Int32 = 5
    var uint32: UInt32 = 5
    var int = 5
    var uint: UInt = 5
    var int64: Int64 = 5
    var uint64: UInt64 = 5
    var float: Float = 5
    var double = 5.0
    var string = "five"
    var sex = Sex.female

    var maybeBool: Bool? = true
    var maybeInt16: Int16? = 5
    var maybeInt32: Int32? = 5
    var maybeInt64: Int64? = 5
    var maybeUInt64: UInt64? = 5
    var maybeFloat: Float? = 5
    var maybeDouble: Double? = 5
    var note: String? = "five"
    var langs: [String]? = ["five"]
    var tags: Set<String>? = ["five"]
    var bytes: [UInt8]? = [5]
    var day: Timestamp? = Timestamp(seconds: 5)

    static let mapping = Mapping(Box.self, "Box", primaryKey: "id", make: Box.init) {
      Attribute("id", \.id)
      Attribute("count", \.count)
      Attribute("ok", \.ok)
      Attribute("bool", \.bool)
      Attribute("int8", \.int8)
      Attribute("uint8", \.uint8)
      Attribute("int16", \.int16)
      Attribute("uint16", \.uint16)
      Attribute("int32", \.int32)
      Attribute("uint32", \.uint32)
      Attribute("int", \.int)
      Attribute("uint", \.uint)
      Attribute("int64", \.int64)
      Attribute("uint64", \.uint64)
      Attribute("float", \.float)
      Attribute("double", \.double)
      Attribute("string", \.string)
      Attribute("sex", \.sex)
      Attribute("maybeBool", \.maybeBool)
      Attribute("maybeInt16", \.maybeInt16)
      Attribute("maybeInt32", \.maybeInt32)
      Attribute("maybeInt64", \.maybeInt64)
      Attribute("maybeUInt64", \.maybeUInt64)
      Attribute("maybeFloat", \.maybeFloat)
      Attribute("maybeDouble", \.maybeDouble)
      Attribute("note", \.note)
      Attribute("langs", \.langs)
      Attribute("tags", \.tags)
      Attribute("bytes", \.bytes)
      Attribute("day", \.day, as: .date(.pattern("%Y-%m-%d")))
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let property: String
    let json: String
    let value: String
    /// Whether null is a value of the property.
    var isOptional = false
    var testDescription: String { "\(property) \(json)" }
  }

  // FEM-44, FEM-46…FEM-58, FEM-60, Q-26
  private static let values: [Case] = [
    Case(property: "bool", json: "true", value: "true"),
    Case(property: "bool", json: "false", value: "false"),
    Case(property: "int8", json: "127", value: "127"),
    Case(property: "int8", json: "99", value: "99"),
    Case(property: "int8", json: "-128", value: "-128"),
    Case(property: "uint8", json: "255", value: "255"),
    Case(property: "uint8", json: "117", value: "117"),
    Case(property: "int16", json: "32767", value: "32767"),
    Case(property: "int16", json: "1", value: "1"),
    Case(property: "uint16", json: "65535", value: "65535"),
    Case(property: "uint16", json: "2", value: "2"),
    Case(property: "int32", json: "2147483647", value: "2147483647"),
    Case(property: "int32", json: "3", value: "3"),
    Case(property: "uint32", json: "4294967295", value: "4294967295"),
    Case(property: "uint32", json: "4", value: "4"),
    Case(property: "int", json: "2147483647", value: "2147483647"),
    Case(property: "int", json: "7", value: "7"),
    Case(property: "uint", json: "4294967295", value: "4294967295"),
    Case(property: "uint", json: "8", value: "8"),
    Case(property: "int64", json: "9223372036854775807", value: "9223372036854775807"),
    Case(property: "int64", json: "-9223372036854775808", value: "-9223372036854775808"),
    Case(property: "int64", json: "9", value: "9"),
    Case(property: "uint64", json: "18446744073709551615", value: "18446744073709551615"),
    Case(property: "uint64", json: "9223372036854775808", value: "9223372036854775808"),
    Case(property: "uint64", json: "10", value: "10"),
    Case(property: "float", json: "11.1", value: "11.1"),
    Case(property: "double", json: "12.2", value: "12.2"),
    Case(property: "double", json: "13.3", value: "13.3"),
    Case(property: "string", json: #""text""#, value: "text"),
    Case(property: "sex", json: "0", value: "male"),
  ]

  // FEM-11, FEM-12, FEM-59, FEM-64, FEM-65, FEM-67, BUG-24, Q-34
  private static let optionals: [Case] = [
    Case(property: "maybeBool", json: "false", value: "Optional(false)", isOptional: true),
    Case(property: "maybeInt16", json: "-32768", value: "Optional(-32768)", isOptional: true),
    Case(property: "maybeInt32", json: "2147483647", value: "Optional(2147483647)", isOptional: true),
    Case(
      property: "maybeInt64", json: "9223372036854775807", value: "Optional(9223372036854775807)",
      isOptional: true),
    Case(
      property: "maybeUInt64", json: "18446744073709551615", value: "Optional(18446744073709551615)",
      isOptional: true),
    Case(property: "maybeFloat", json: "11.1", value: "Optional(11.1)", isOptional: true),
    Case(property: "maybeDouble", json: "12.2", value: "Optional(12.2)", isOptional: true),
    Case(property: "note", json: #""text""#, value: #"Optional("text")"#, isOptional: true),
    Case(property: "langs", json: #"["fr","en"]"#, value: #"Optional(["fr", "en"])"#, isOptional: true),
    Case(property: "tags", json: #"["one"]"#, value: #"Optional(Set(["one"]))"#, isOptional: true),
    Case(property: "bytes", json: #""AP8=""#, value: "Optional([0, 255])", isOptional: true),
    Case(
      property: "day", json: #""2012-07-01""#,
      value: "Optional(FastMapStoreKit.Timestamp(seconds: 1341100800, nanoseconds: 0))", isOptional: true),
  ]

  static let cases = values + optionals

  // FEM-186, FEM-32, FEM-179 and FEM-196 for the way back; WAM-136: any class will do
  @Test(arguments: TestSize.onStores(cases, others: 2))
  func aValueOfEveryTypeGoesInAndComesBack(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Box.mapping)
    let payload = #"{"id":1,"\#(test.property)":\#(test.json)}"#
    let box = try #require(try world.instances(payload, as: Box.mapping).first)
    #expect(Self.text(test.property, of: box) == test.value)
    try #expect(world.report(payload).isUnchanged)
    let text = try world.export()
    #expect([",", "}"].contains { text.contains(#""\#(test.property)":\#(test.json)\#($0)"#) }, "\(text)")
  }

  // FEM-16…FEM-19, FEM-67, BUG-19, BUG-20, Q-05
  @Test(arguments: TestSize.onStores(cases, others: 2))
  func nullClearsAnOptionalPropertyAndLeavesAnyOtherAlone(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Box.mapping)
    try world.load(#"{"id":1,"\#(test.property)":\#(test.json)}"#)
    let report = try world.load(#"{"id":1,"\#(test.property)":null}"#)
    let box = try #require(try world.instance(Box.mapping, 1))
    #expect(Self.text(test.property, of: box) == (test.isOptional ? "nil" : test.value))
    #expect(report == (test.isOptional ? "Box ~1" : "Box =1"))
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
    #expect(boxes.map(\.count) == [777, 0])
    #expect(boxes.map(\.ok) == [true, false])
    #expect(boxes.first?.note == "hi")
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

  private static func text(_ property: String, of box: Box) -> String? {
    Mirror(reflecting: box).children.first { $0.label == property }.map { "\($0.value)" }
  }
}
