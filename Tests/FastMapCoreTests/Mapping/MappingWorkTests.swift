import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

private final class Endless {
  var id = 0
  var next: Endless?

  static var mapping: Mapping<Endless> {
    Mapping(Endless.self, "Endless", primaryKey: "id", make: Endless.init) {
      Attribute("id", \.id)
      ToOne("next", \.next, Endless.mapping)
    }
  }
}

/// Mappings in great numbers, one after the other, take neither much stack nor the square of their number.
@Suite struct MappingWorkTests {
  private static func chain(_ count: Int, keyPath: String = "") -> [UInt8] {
    let mappings = (0..<count).map { index in
      let next =
        index + 1 < count ? ",\"relationships\":{\"next\":{\"mapping\":\"M\(index + 1)\"\(keyPath)}}" : ""
      return "\"M\(index)\":{\"primaryKey\":\"id\",\"attributes\":{\"id\":\"integer\"}\(next)}"
    }
    return Array("{\"fastmap\":1,\"mappings\":{\(mappings.joined(separator: ","))}}".utf8)
  }

  private static func run(_ store: some Store, _ plan: Plan) throws {
    let text = #"{"id":1,"next":{"id":2,"next":{"id":3,"next":null}}}"#
    let report = try Mapper(store).importJSON(Array(text.utf8), as: plan)
    #expect(report.entities.map(\.counts.inserted) == [1, 1, 1])
    #expect(try Mapper(store).importJSON(Array(text.utf8), as: plan)["M1"]?.unchanged == 1)
    let json = try store.read(plan.schema) { reader in
      guard let id = try reader.find(1, of: 0) else { return "" }
      var bytes: [UInt8] = []
      _ = try Serializer(plan).export([id], from: &reader, options: ExportOptions(format: .ndjson)) {
        bytes += $0
      }
      return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
    #expect(json == text.replacing(",\"next\":null", with: ""))
  }

  private static let longChain = Result {
    try plan(ofChain: TestSize.count(small: 2000, whole: 5000, long: 10_000))
  }

  private static func plan(ofChain count: Int) throws -> Plan {
    try onSmallStack { try MappingSet(file: chain(count)).plan(for: "M0") }
  }

  @Test(arguments: StoreKind.allCases)
  func aChainOfManyMappingsInAFile(_ kind: StoreKind) throws {
    // A server locks each table that it makes, and has room for so many locks.
    let isLong = kind == .memory || kind != .postgres && TestSize.count(small: 0, whole: 1) == 1
    let count = isLong ? TestSize.count(small: 2000, whole: 5000, long: 10_000) : 300
    let plan = try isLong ? Self.longChain.get() : Self.plan(ofChain: count)
    #expect(plan.schema.entities.count == count)
    try Self.run(kind.make(), plan)
  }

  @Test func aMappingThatIsMadeAnewAndRefersToItselfIsAFault() {
    let faults = #expect(throws: MappingDefinitionError.self) { try Plan(Endless.mapping) }
    #expect(
      faults?.description.contains(
        #"relationships.next.mapping: the mapping "Endless" is made again at each use, 1000 mappings so far; keep it in a static let"#
      ) == true, "\(String(describing: faults))")
  }

  @Test func aChainOfManyMappingsInSwiftComesAndGoes() throws {
    let all = TestSize.count(small: 3000, whole: 20_000)
    let count = try onSmallStack {
      var mapping = Mapping<Record>("M", primaryKey: "id") { Attribute("id", .integer) }
      for index in 1..<all {
        let next = mapping
        mapping = Mapping("M\(index)", primaryKey: "id") {
          Attribute("id", .integer)
          ToOne("next", next)
        }
      }
      return try mapping.plan().schema.entities.count
    }
    #expect(count == all)
  }

  @Test func aMappingOfAsManyFieldsAsItMayHaveFindsThemAll() throws {
    let count = 4096
    let attributes = (0..<count).map { "\"a\($0)\":{\"type\":\"integer\",\"keyPath\":\"x.a\($0)\"}" }
    let file = "{\"fastmap\":1,\"mappings\":{\"M\":{\"attributes\":{\(attributes.joined(separator: ","))}}}}"
    let plan = try MappingSet(file: Array(file.utf8)).plan(for: "M")
    let store = try StoreKind.memory.make()
    _ = try Mapper(store).importJSON(Array(#"{"x":{"a\#(count - 1)":1,"a7":2}}"#.utf8), as: plan)
    let record = try store.read(plan) { try $0.records("M").first }
    #expect(record?["a\(count - 1)"] == .integer(1))
    #expect(record?["a7"] == .integer(2))
  }

  @Test func objectsOfTheSameRepresentationHaveALimit() throws {
    #expect(throws: Never.self) {
      try MappingSet(file: Self.chain(64, keyPath: ",\"keyPath\":null")).plan(for: "M0")
    }
    let count = TestSize.count(small: 2000, whole: 5000, long: 10_000)
    let error = #expect(throws: MappingDefinitionError.self) {
      try onSmallStack { try MappingSet(file: Self.chain(count, keyPath: ",\"keyPath\":null")) }
    }
    #expect(
      error?.faults.map(\.description) == [
        "$.mappings.M\(count - 65).relationships: expected at most 64 objects that read the same representation, found more"
      ])
    // Two in each of thirty would be 2³⁰.
    let doubled = (0..<30).map { index in
      "\"M\(index)\":{\"relationships\":{\"a\":{\"mapping\":\"M\(index + 1)\",\"keyPath\":null},\"b\":{\"mapping\":\"M\(index + 1)\",\"keyPath\":null}}}"
    }
    let file = "{\"fastmap\":1,\"mappings\":{\(doubled.joined(separator: ",")),\"M30\":{}}}"
    #expect(throws: MappingDefinitionError.self) { try MappingSet(file: Array(file.utf8)) }
  }

  @Test func aKeyPathHasALimitThatIsNamedWithItsPlace() throws {
    let long = Array(repeating: "a", count: 20_000).joined(separator: ".")
    let file = """
      {"fastmap": 1, "mappings": {"M": {"rootPath": "\(long)",
        "attributes": {"x": {"type": "string", "keyPath": "\(long)"}, "y": {"type": "string", "keyPath": "\(long)"}}}}}
      """
    let error = #expect(throws: MappingDefinitionError.self) { try MappingSet(file: Array(file.utf8)) }
    #expect(
      error?.faults.map(\.description) == [
        "$.mappings.M.attributes.x.keyPath: expected at most 64 components, found 20000",
        "$.mappings.M.attributes.y.keyPath: expected at most 64 components, found 20000",
        "$.mappings.M.rootPath: expected at most 64 components, found 20000",
      ])
    let mapping = Mapping("M") { Attribute("x", .string, at: JSONKeyPath(long)) }
    #expect(throws: MappingDefinitionError.self) { try mapping.plan() }
  }

  @Test func aRootPathOfAnImportHasTheLimit() throws {
    let path = JSONKeyPath(Array(repeating: .member("a"), count: 65))
    let options = ImportOptions(rootPath: path)
    let mapping = Mapping("M") { Attribute("x", .string) }
    let world = try World(.memory, mapping)
    #expect(
      world.failure(of: "{}", options: options) == "$.rootPath: expected at most 64 components, found 65")
    #expect(
      world.failure(of: "{}", inChunksOf: 1, options: options)
        == "$.rootPath: expected at most 64 components, found 65")
  }

  @Test func bracketsThatEndNowhereAreReadOnce() {
    let text = String(repeating: "[", count: 200_000)
    #expect(JSONKeyPath(text).steps == [.member(text)])
    #expect(JSONKeyPath("a[12").steps == [.member("a[12")])
    #expect(JSONKeyPath("a[12][].b[3]").steps == [.member("a"), .index(12), .each, .member("b"), .index(3)])
  }

  @Test func manyUnknownNamesAreNamed() throws {
    let count = TestSize.count(small: 1000, whole: 5000)
    let mappings = (0..<count).map { "\"M\($0)\":{\"relationships\":{\"next\":{\"mapping\":\"N\($0)\"}}}" }
    let file = "{\"fastmap\":1,\"mappings\":{\(mappings.joined(separator: ","))}}"
    let error = #expect(throws: MappingDefinitionError.self) { try MappingSet(file: Array(file.utf8)) }
    #expect(error?.faults.count == count)
    #expect(
      error?.faults.last?.description
        == #"$.mappings.M\#(count - 1).relationships.next.mapping: no mapping named "N\#(count - 1)""#)
  }
}
