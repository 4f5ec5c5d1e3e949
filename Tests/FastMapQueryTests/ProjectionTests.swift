import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Members that no mapping asks for are checked and left out of the tree. Nothing but time may show it: an
/// import with a delegate, for which everything is built, is the same import.
@Suite struct ProjectionTests {
  private struct Silent: ImportDelegate {}

  private func outcome(_ plan: Plan, _ text: String, builds: Bool, _ options: ImportOptions) throws -> String
  {
    var options = options
    if builds { options.delegate = Silent() }
    let world = try World(.memory, plan)
    var said: String
    do {
      let report = try world.report(text, options: options)
      said = "\(summary(report)): \(report.errors)"
    } catch {
      said = "\(error)"
    }
    said += try "\n" + world.dump()
    return said
  }

  private func compare(_ plan: Plan, _ text: String, _ options: ImportOptions = ImportOptions()) throws {
    let expected = try outcome(plan, text, builds: true, options)
    let found = try outcome(plan, text, builds: false, options)
    #expect(found == expected, "\(text)")
  }

  private static let address = Mapping("Address", primaryKey: "street") {
    Attribute("street", .string)
    Attribute("city", .string, at: "in.city")
  }

  /// Everything that a mapping can ask for.
  private static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string, at: "names.first")
    Attribute("second", .string, at: "names.others[1].text")
    Attribute("extra", .json)
    Attribute("bossAsJSON", .json, at: "boss")
    Attribute("big", .number)
    ToOne("address", address, at: .wholeValue)
    ToOne("boss", person)
    ToMany("friends", person, at: "circle.friends")
    ToMany("colleagues", person, at: "work[].people.head")
  }

  private static let texts = [
    #"[{"id":1,"names":{"first":"a","x":{"first":2},"others":[{"text":1},{"text":"b","y":[1]}]},"z":[{}]}]"#,
    #"{"id":1,"extra":{"a":[1,{"b":123456789012345678901234567890}]},"more":{"a":1},"big":1e3}"#,
    #"{"id":1,"big":123456789012345678901234567890,"other":99999999999999999999999,"street":"s","in":{"city":"c"}}"#,
    #"{"id":1,"boss":{"id":2,"boss":{"id":3,"x":1,"street":"t"},"street":"u","in":{"city":"d","e":0}},"boss2":{}}"#,
    #"{"id":1,"circle":{"friends":[{"id":4,"x":[]},5,{"id":6,"circle":{"friends":[7]}}],"x":8}}"#,
    #"{"id":1,"work":[{"people":{"head":{"id":2,"x":3}}},null,{"people":null},{"people":{"head":9,"y":1}}]}"#,
    #"{"id":1,"n\u0061mes":{"f\u0069rst":"escaped"},"\u0069d":2}"#, #"{"x":1,"id":1,"id":2,"x":[],"id":3}"#,
    #"{"id":1,"names":{"first":"a"},"names":{"others":[1]}}"#, #"{"id":1,"names":[{"first":"a"}]}"#,
    #"{"id":1,"names":{"first":{"a":1}}}"#, #"{"id":1,"circle":{"friends":[[{"id":2}]]}}"#,
    #"{"id":1,"boss":[{"id":2}]}"#, #"{"id":1,"work":{"people":1}}"#, #"{"id":1,"work":[{"people":[1]}]}"#,
    #"{"id":{"a":1}}"#, #"{"x":{"id":1}}"#, #"{"id":1,"x":tru}"#, #"{"id":1,"x":[1,]}"#,
    #"{"id":1,"x":"\ud800"}"#, #"{"id":1,"names":{"first":"\udc00"},"x":"\ud800"}"#,
    #"{"\ud800":[1],"id":1,"extra":{"a":"\ud800"}}"#, #"{"id":1,"x":["\ud800",{"\ud83dx":tru}]}"#,
    #"{"id":1,"x":1e999}"#, #"{"id":1,"x":{"y":01}}"#, #"{"id":1,"x"}"#, #"{"id":1,"x":1"#,
    #"{"id":1,"x":"y"#,
    #"{"x":[[[[[[]]]]]],"id":1}"#, #"{"":1,"id":2}"#, #"{"x":{"a":{"b":1}},"id":1}"#, #"{"x":1,"y":2}"#,
  ]

  @Test(arguments: texts)
  func valuesOutsideTheProjectionAreNotNeeded(_ text: String) throws {
    let plan = try Plan(Self.person)
    for faults in [ImportOptions.FaultPolicy.abort, .skip] {
      var options = ImportOptions(faults: faults)
      try compare(plan, text, options)
      try compare(plan, "[\(text),\n {\"id\":77,\"zz\":{}},\(text)]", options)
      options.maxDepth = 5
      try compare(plan, text, options)
      options.format = .ndjson
      try compare(plan, "1\n\(text)\n2", options)
    }
  }

  @Test(arguments: 0..<TestSize.count(small: 50, whole: 150))
  func payloadsMadeAtRandomGiveTheSame(_ seed: Int) throws {
    let plan = try Plan(Self.person)
    var numbers = Random(seed: UInt64(seed))
    try compare(plan, "[\(Self.value(&numbers, 4)),\(Self.value(&numbers, 5))]", .skipping)
  }

  private static func value(_ numbers: inout Random, _ depth: Int) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 4), using: &numbers) {
    case 0: return ["1", "2", "-3", "1.5", "99999999999999999999"].randomElement(using: &numbers) ?? "1"
    case 1: return #""text""#
    case 2: return ["true", "null"].randomElement(using: &numbers) ?? "null"
    case 3: return "7"
    case 4, 5:
      let elements = (0..<Int.random(in: 0..<4, using: &numbers)).map { _ in value(&numbers, depth - 1) }
      return "[\(elements.joined(separator: ","))]"
    default:
      let names = [
        "id", "names", "first", "others", "text", "extra", "big", "boss", "circle", "friends", "work",
        "people",
        "head", "street", "in", "city", "x", "y", "zebra",
      ]
      let members = (0..<Int.random(in: 0..<7, using: &numbers)).map { _ in
        "\"\(names.randomElement(using: &numbers) ?? "x")\":\(value(&numbers, depth - 1))"
      }
      return "{\"id\":\(Int.random(in: 0..<6, using: &numbers))\(members.map { "," + $0 }.joined())}"
    }
  }
}
