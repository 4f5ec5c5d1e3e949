import FastMapCore
import TestSupport
import Testing

/// `.lenient` of properties: lists, enums, and mappings of classes.
@Suite struct LenientPropertyTests {
  enum Size: String, AttributeValue { case small = "1", large = "2.0" }
  enum Level: Int, AttributeValue { case low = 1, high = 2 }

  final class Box {
    var id = 0
    var name = "none"
    var note: String?
    var count = 7
    var size = Size.small
    var level: Level?
    var numbers: [Int] = [1]
    var shares: [Double?] = []
    var names: Set<String> = []
    var grid: [[Int8]] = []
    var levels: [Level]?
    var moments: [Timestamp] = []
    var part: Box?
    var parts: [Box] = []

    static let mapping: Mapping<Box> = Mapping(Box.self, "Box", primaryKey: "id", make: Box.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("note", \.note)
      Attribute("count", \.count)
      Attribute("size", \.size)
      Attribute("level", \.level)
      Attribute("numbers", \.numbers)
      Attribute("shares", \.shares)
      Attribute("names", \.names)
      Attribute("grid", \.grid)
      Attribute("levels", \.levels)
      Attribute("moments", \.moments)
      ToOne("part", \.part, Box.mapping)
      ToMany("parts", \.parts, Box.mapping)
    }.lenient
  }

  @Test(arguments: StoreKind.allCases)
  func everyFieldOfALenientMappingIsLenient(_ kind: StoreKind) throws {
    let world = try World(kind, Box.mapping)
    let box = try #require(
      try world.instances(
        #"""
        {"id":"1","name":7.50,"note":true,"count":"5.0","size":2.0,"level":"2","numbers":["1",2.0,3,1e1],
         "shares":["0.5",null,"",2],"names":["a",1.50,true,"1.50"],"grid":[["1"],[],[2.0,"-128"]],"levels":[1.0,"2"],
         "moments":["2020-211"],"part":{"id":"2"},"parts":{}}
        """#, as: Box.mapping
      ).first)
    #expect((box.id, box.name, box.note, box.count) == (1, "7.50", "true", 5))
    #expect(box.size == .large)
    #expect(box.level == .high)
    #expect((box.numbers, box.shares) == ([1, 2, 3, 10], [0.5, nil, nil, 2]))
    #expect((box.names, box.grid) == (["a", "1.50", "true"], [[1], [], [2, -128]]))
    #expect((box.levels, box.moments) == ([.low, .high], [Timestamp(seconds: 1_595_980_800)]))
    #expect(box.part?.id == 2)
    #expect(box.parts.isEmpty)
    try #expect(world.load(world.export()) == "Box =2")
  }

  @Test(arguments: StoreKind.allCases)
  func anEmptyStringIsNoValue(_ kind: StoreKind) throws {
    let world = try World(kind, Box.mapping)
    let text = #"{"id":1,"note":"x","level":1,"numbers":[1,2],"levels":[1],"part":{"id":2}}"#
    try world.load(text)
    let box = try #require(
      try world.instances(
        #"{"id":1,"note":"","count":"","level":"","numbers":"","levels":"","part":""}"#, as: Box.mapping
      ).first)
    #expect((box.note, box.count) == ("", 7))
    #expect(box.level == nil)
    #expect(box.numbers == [1, 2])
    #expect(box.levels == nil)
    #expect(box.part == nil)
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      (#""size":3"#, "$.size: expected a value of Size, found the number 3"),
      (#""size":"""#, #"$.size: expected a value of Size, found the string """#),
      (#""level":"7""#, #"$.level: expected a value of Level, found the string "7""#),
      (#""level":7.0"#, "$.level: expected a value of Level, found the number 7.0"),
      (#""numbers":["1","x"]"#, #"$.numbers[1]: expected an integer, found the string "x""#),
      (#""numbers":["1",1.5]"#, "$.numbers[1]: expected an integer, found the number 1.5"),
      (#""numbers":[""]"#, #"$.numbers[0]: expected an integer, found the string """#),
      (#""numbers":{}"#, "$.numbers: expected an array, found an object"),
      (
        #""grid":[[],["128"]]"#,
        #"$.grid[1][0]: expected an integer from -128 to 127, found the string "128""#
      ),
      (#""levels":["3"]"#, #"$.levels[0]: expected a value of Level, found the string "3""#),
      (#""names":[[]]"#, "$.names[0]: expected a string, found an array"),
      (#""moments":[90]"#, "$.moments[0]: expected a date (ISO 8601), found the number 90"),
    ])
  func aMessageShowsTheValueOfThePayload(_ kind: StoreKind, _ test: (member: String, message: String)) throws
  {
    let world = try World(kind, Box.mapping)
    let message = world.failure(of: #"{"id":1,\#(test.member)}"#)
    #expect(message?.hasPrefix(test.message + " (") == true, "\(message ?? "nothing")")
  }

  @Test(arguments: StoreKind.allCases)
  func oneFieldCanBeLenientAlone(_ kind: StoreKind) throws {
    let tag = Mapping("Tag", primaryKey: "id") { Attribute("id", .integer) }
    let mapping = Mapping("P", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("n", .integer).lenient
      ToOne("one", tag).lenient
      ToMany("many", tag).lenient
    }
    let world = try World(kind, mapping)
    try #expect(world.load(#"{"id":1,"n":"2","one":false,"many":{}}"#) == "P +1")
    #expect(world.failure(of: #"{"id":"1"}"#)?.hasPrefix("$.id: expected an integer") == true)
  }

  /// A transform sees the payload's value.
  @Test func anAttributeWithATransformIsNotChanged() throws {
    let kinds = Transform<String>(reading: { .value("\($0.kind)") })
    let mapping = Mapping(Box.self, "Box", primaryKey: "id", make: Box.init) {
      Attribute("id", \.id)
      Attribute("name", \.name, transform: kinds).lenient
    }
    let world = try World(.memory, mapping)
    for (json, kind) in [("1", "integer"), ("1.5", "number"), (#""""#, "string"), ("true", "boolean")] {
      try #expect(world.instances(#"{"id":1,"name":\#(json)}"#, as: mapping).first?.name == kind)
    }
  }
}
