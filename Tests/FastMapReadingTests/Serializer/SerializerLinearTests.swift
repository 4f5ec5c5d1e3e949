import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapReading

final class Land {
  var code = ""
  var name: String?
  var region: Region?
  var borders: [Land] = []

  static let mapping: Mapping<Land> = Mapping(Land.self, "Land", primaryKey: "code", make: { Land() }) {
    Attribute("code", \.code, at: "cca3")
    Attribute("name", \.name, at: "name.common")
    ToOne("region", \.region, Region.mapping)
    ToMany("borders", \.borders, Land.mapping)
  }

  final class Region {
    var name = ""
    static let mapping = Mapping(Region.self, "Region", primaryKey: "name", make: { Region() }) {
      Attribute("name", \.name)
    }
  }

  /// 250 countries with neighbours to the right and below, some islands, and all that each has beside its borders.
  static let payload: String = {
    var random = Random(seed: 250)
    var borders = [Set<Int>](repeating: [], count: 250)
    for land in 0..<250 {
      for other in [land + 1, land + 16] where other < 250 && Int.random(in: 0..<4, using: &random) > 0 {
        borders[land].insert(other)
        borders[other].insert(land)
      }
    }
    let filling = String(repeating: "x", count: 200)
    let lands = borders.indices.map { land in
      let list = borders[land].sorted().map { #""C\#($0)""# }.joined(separator: ",")
      return #"{"name":{"common":"Land \#(land)","official":"\#(filling)"},"cca3":"C\#(land)","#
        + #""region":"R\#(land % 6)","borders":[\#(list)]}"#
    }
    return "[" + lands.joined(separator: ",") + "]"
  }()
}

/// The default: the output of a root object is linear in the number of objects that it reaches.
@Suite struct SerializerLinearTests {
  /// Q-14, BUG-55
  @Test(arguments: StoreKind.allCases)
  func aGraphOfCountriesIsExportedInProportion(_ kind: StoreKind) throws {
    let (store, copy) = (try kind.make(), try kind.make())
    _ = try Mapper(store).importJSON(Land.payload, as: Land.mapping)
    let text = try store.exported(Land.mapping)
    #expect(text.utf8.count < Land.payload.utf8.count)
    #expect(try Mapper(copy).importJSON(text, as: Land.mapping).rootObjects == 250)
    #expect(try copy.exported(Land.mapping) == text)
  }

  /// Q-14: one text has all of them, each once
  @Test func aGraphOfInstancesIsWrittenInProportion() throws {
    let lands = try Land.mapping.objects(from: Land.payload).objects
    #expect(try Serializer(Land.mapping).json(of: lands).utf8.count < Land.payload.utf8.count)
    let all = try Serializer(Land.mapping).json(of: lands[0])
    #expect(all.utf8.count < Land.payload.utf8.count)
    #expect(all.contains(lands[249].name ?? "-"))
    for land in lands { land.borders = [] }
  }

  /// Four kinds, each of one referring to each of the next.
  private static func layers(_ width: UInt64) -> (mapping: Mapping<Record>, graph: Graph) {
    func kind(_ name: String, _ next: Mapping<Record>?) -> Mapping<Record> {
      Mapping(name, primaryKey: "id") {
        Attribute("id", .integer)
        if let next { ToMany("next", next) }
      }
    }
    let names = ["A", "B", "C", "D"]
    let mapping = names.reversed().reduce(nil) { next, name in kind(name, next) }
    let graph = Graph {
      $0.add(1, "A", ["id": 1], many: ["next": Array(101..<101 + width)])
      for (level, name) in names.enumerated().dropFirst() {
        let first = UInt64(level) * 100 + 1
        for id in first..<first + width {
          let next = Array(first + 100..<first + 100 + width)
          $0.add(id, name, ["id": .init(.integer(Int64(id)))], many: level < 3 ? ["next": next] : [:])
        }
      }
    }
    return (mapping ?? Graph.node, graph)
  }

  /// Q-14: 121 objects and 3240 links took 40 × 40 × 40
  @Test(arguments: [SerializerOptions.Cycles.entityAsKey, .repeatAsKey])
  func eachObjectIsReadAndWrittenOnce(_ cycles: SerializerOptions.Cycles) throws {
    let (mapping, graph) = Self.layers(40)
    let plan = try Plan(mapping)
    let options = SerializerOptions.with { $0.cycles = cycles }
    var reader = try GraphReader(graph, plan.schema)
    var output = JSONWriter()
    try Serializer(plan, options: options).write(reader[1], from: &reader, to: &output)
    let links = 40 + 2 * 40 * 40
    #expect(reader.reads <= 2 * (121 + links))
    #expect(output.bytes.count < 121 * 30 + links * 12)
    #expect(output.bytes.count { $0 == UInt8(ascii: "[") } == 81)
  }

  /// Q-14: whatever refers to whatever, through mappings that refer to each other
  @Test(arguments: [SerializerOptions.Cycles.entityAsKey, .repeatAsKey])
  func theOutputOfAnyGraphIsLinear(_ cycles: SerializerOptions.Cycles) throws {
    var random = Random(seed: 14)
    for _ in 0..<TestSize.rounds(small: 20, whole: 40) {
      let count = UInt64.random(in: 10...60, using: &random)
      var links = 0
      var graph = Graph()
      func members(_ most: Int) -> [UInt64] {
        let number = Int.random(in: 0...most, using: &random)
        links += number
        return (0..<number).map { _ in 3 * .random(in: 1...count / 3, using: &random) }
      }
      for id in 1...count {
        let key: Graph.Content = .init(.string("\(id)"))
        if id % 3 == 0 {
          let club = 3 * UInt64.random(in: 1...count / 3, using: &random) - 1
          links += 1
          graph.add(
            id, "Member", ["id": key],
            one: ["club": club].merging(
              members(1).map { ("friend", $0) }
            ) { $1 })
        } else {
          graph.add(id, "Club", ["id": .init(.integer(Int64(id)))], many: ["members": members(9)])
        }
      }
      let plan = try Plan(Graph.club)
      let options = SerializerOptions.with { $0.cycles = cycles }
      var reader = try GraphReader(graph, plan.schema)
      var output = JSONWriter()
      try Serializer(plan, options: options).write(reader[1], from: &reader, to: &output)
      #expect(reader.reads <= 3 * (Int(count) + links))
      #expect(output.bytes.count <= 60 * (Int(count) + links))
    }
  }

  /// It has the object, and not all that another mapping would write of it.
  @Test(arguments: [SerializerOptions.Cycles.entityAsKey, .repeatAsKey])
  func fieldsOfAnotherMappingAreWrittenToo(_ cycles: SerializerOptions.Cycles) throws {
    let short = Mapping("Short", entity: "Author", primaryKey: "id") { Attribute("id", .integer) }
    let book = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("first", short)
      ToOne("second", Graph.author)
      ToOne("third", Graph.author)
      ToOne("fourth", short)
    }
    let stored = Graph {
      $0.add(1, "Book", ["id": 1], one: ["first": 2, "second": 2, "third": 2, "fourth": 2])
      $0.add(2, "Author", ["id": 2, "name": "Kim"])
    }
    #expect(
      try serialized(book, stored) { $0.cycles = cycles }
        == #"{"id":1,"first":{"id":2},"second":{"id":2,"n":"Kim"},"third":{"id":2},"fourth":{"id":2}}"#)
  }

  // MARK: Objects without a key

  /// WAM-113, WAM-120, BUG-59, BUG-61: they have no short form
  @Test(arguments: SerializerOptions.Cycles.allCases)
  func aSharedObjectWithoutAKeyIsWrittenInFullEachTime(_ cycles: SerializerOptions.Cycles) throws {
    let stored = Graph {
      $0.add(1, "Part", ["n": 1], one: ["inner": 2], many: ["parts": [2, 2]])
      $0.add(2, "Part", ["n": 2], one: ["inner": 3], many: ["parts": [3]])
      $0.add(3, "Part", ["n": 3])
    }
    let two = #"{"n":2,"inner":{"n":3},"parts":[{"n":3}]}"#
    #expect(
      try serialized(Graph.part, stored) { $0.cycles = cycles }
        == #"{"n":1,"inner":\#(two),"parts":[\#(two),\#(two)]}"#)
  }

  /// BUG-59: each step of the ladder would double the text.
  @Test(arguments: [SerializerOptions.Cycles.entityAsKey, .repeatAsKey])
  func objectsWithoutAKeyDoNotMultiplyWithoutEnd(_ cycles: SerializerOptions.Cycles) throws {
    let ladder = Graph {
      for id in 1...60 as ClosedRange<UInt64> {
        $0.add(id, "Part", one: id < 60 ? ["inner": id + 1] : [:], many: id < 60 ? ["parts": [id + 1]] : [:])
      }
    }
    let circle = Graph {
      for id in 1...30 as ClosedRange<UInt64> {
        $0.add(id, "Part", one: ["inner": id % 30 + 1], many: ["parts": [id * 7 % 30 + 1, id * 11 % 30 + 1]])
      }
    }
    for graph in [ladder, circle] {
      let plan = try Plan(Graph.part)
      var reader = try GraphReader(graph, plan.schema)
      var output = JSONWriter()
      let serializer = Serializer(plan, options: SerializerOptions.with { $0.cycles = cycles })
      // The next call takes it.
      var run = try serializer.borrowRun()
      #expect(run.leastCopies == 100_000)
      run.leastCopies = TestSize.count(small: 2000, whole: 100_000)
      serializer.giveBack(run)
      let error = #expect(throws: MappingError.self) {
        try serializer.write(reader[1], from: &reader, to: &output)
      }
      #expect(
        error?.description.hasSuffix(
          "objects of Part without a key occur repeatedly, and were written more than \(run.leastCopies) times; "
            + "give them a primary key") ?? false)
      #expect(output.bytes.isEmpty)
      #expect(reader.reads < 1_000_000)
    }
  }
}
