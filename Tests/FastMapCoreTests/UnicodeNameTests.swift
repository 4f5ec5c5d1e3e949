import FastMapCore
import TestSupport
import Testing

/// Names are bytes. Swift's strings take "é" for "e" with an accent, and JSON and stores do not.
@Suite struct UnicodeNameTests {
  private static let composed = "\u{E9}"
  private static let decomposed = "e\u{301}"

  private static let target = Mapping("T\(composed)", primaryKey: KeyFields(decomposed)) {
    Attribute(composed, .string)
    Attribute(decomposed, .integer)
  }
  private static let other = Mapping("T\(decomposed)", primaryKey: KeyFields(composed)) {
    Attribute(composed, .integer)
    Attribute(decomposed, .string)
  }
  private static let mapping = Mapping("M\(composed)", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute(composed, .integer)
    Attribute(decomposed, .string)
    Attribute("nested \(composed)", .integer, at: JSONKeyPath(components: ["x", "k\(composed)"]))
    Attribute("nested \(decomposed)", .integer, at: JSONKeyPath(components: ["x", "k\(decomposed)"]))
    ToOne("t\(composed)", target)
    ToOne("t\(decomposed)", other)
    ToMany("list", target)
    Index(composed)
    Index(decomposed)
    Index(composed, "-" + decomposed)
    Index("t\(decomposed)")
  }

  private static let payload =
    #"[{"id":1,"\#(composed)":1,"\#(decomposed)":"a","x":{"k\#(composed)":3,"k\#(decomposed)":4},"#
    + #""t\#(composed)":{"\#(composed)":"T1","\#(decomposed)":11},"#
    + #""t\#(decomposed)":{"\#(composed)":22,"\#(decomposed)":"T2"},"list":[]},"#
    + #"{"id":2,"\#(composed)":2,"\#(decomposed)":"b","x":{"k\#(composed)":5,"k\#(decomposed)":6},"#
    + #""t\#(composed)":null,"t\#(decomposed)":null,"list":[{"\#(composed)":"T1","\#(decomposed)":11}]}]"#

  @Test(arguments: StoreKind.allCases)
  func twoNamesOfOneLookAreTwoFields(_ kind: StoreKind) throws {
    let (composed, decomposed) = (Self.composed, Self.decomposed)
    let world = try World(kind, Self.mapping)
    let report = try world.report(Self.payload)
    #expect((report["T\(composed)"]?.inserted, report["T\(decomposed)"]?.inserted) == (1, 1))
    #expect(report.entities.count == 3)
    let text = try world.export()
    let start = #"[{"id":1,"\#(composed)":1,"\#(decomposed)":"a""#
    #expect(text.utf8.starts(with: start.utf8), "\(text)")
    let copy = try World(kind, Self.mapping, holding: text)
    try #expect(Array(copy.export().utf8) == Array(text.utf8))
    try world.store.read(Self.mapping) { snapshot in
      let record = try #require(try snapshot.record("M\(composed)", key: 1))
      #expect(record[composed] == .integer(1))
      #expect(record[decomposed] == .string("a"))
      for (text, keys) in [
        ("@.\(composed) == 2", [2]), ("@.\(decomposed) == 'b'", [2]), ("@.\(decomposed) == '2'", []),
        ("@['nested \(composed)'] == 5 && @['nested \(decomposed)'] == 6", [2]),
        ("@.t\(composed) == 11", [1]), ("@.t\(decomposed) == 22", [1]), ("@.t\(decomposed) == 11", []),
        ("@.t\(composed).\(composed) == 'T1'", [1]), ("@.list[?@.\(composed) == 'T1']", [2]),
        ("@.\(composed) >= 1 && @.\(decomposed) < 'b'", [1]),
      ] {
        let found = try snapshot.keys(Self.mapping.where(Filter(text)))
        #expect(found == keys.map { PrimaryKey($0) }, "\(text)")
      }
      for (name, keys) in [(composed, [2, 1]), (decomposed, [2, 1])] {
        let sorted = Self.mapping.sorted(by: name, descending: true)
        #expect(try snapshot.keys(sorted) == keys.map { PrimaryKey($0) })
      }
    }
    #expect(try world.report(Self.payload).entities.allSatisfy { $0.counts.updated == 0 })
  }

  @Test func twoMappingsOfOneLookAreTwo() throws {
    let set = MappingSet([Self.target, Self.other])
    try #expect(set.plan(for: "T\(Self.composed)").root.primaryKey?.utf8.count == 3)
    try #expect(set.plan(for: "T\(Self.decomposed)").root.primaryKey?.utf8.count == 2)
    #expect(set["T\(Self.composed)"]?.primaryKey?.utf8.count == 3)
    #expect(set["T\(Self.decomposed)"]?.primaryKey?.utf8.count == 2)
    #expect(JSONKeyPath("a.\(Self.composed)") != JSONKeyPath("a.\(Self.decomposed)"))
    #expect(Index(Self.composed) != Index(Self.decomposed))
  }

  /// A name that is written in the other way is unknown.
  @Test func theOtherWayToWriteANameIsUnknown() throws {
    let mapping = Mapping("M", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute(Self.composed, .integer)
    }
    #expect(throws: FilterError.self) { try Filter("@.\(Self.decomposed) == 1").bound(to: mapping.plan()) }
    let wrongKey = Mapping("M", primaryKey: KeyFields(Self.decomposed)) { Attribute(Self.composed, .integer) }
    #expect(throws: MappingDefinitionError.self) { try wrongKey.plan() }
    let wrongIndex = Mapping("M") {
      Attribute(Self.composed, .integer)
      Index(Self.decomposed)
    }
    #expect(throws: MappingDefinitionError.self) { try wrongIndex.plan() }
  }

  @Test func aMappingFileHasBoth() throws {
    let file =
      #"{"fastmap":1,"mappings":{"M\#(Self.composed)":{"primaryKey":"\#(Self.decomposed)","attributes":"#
      + #"{"\#(Self.composed)":"string","\#(Self.decomposed)":"integer"}},"#
      + #""M\#(Self.decomposed)":{"attributes":{"a":"string"},"#
      + #""relationships":{"to":{"mapping":"M\#(Self.composed)"}}}}}"#
    let set = try MappingSet(file: Array(file.utf8))
    let plan = try set.plan(for: "M\(Self.decomposed)")
    #expect(plan.schema.entities.map(\.fields.count) == [2, 2])
    #expect(plan.schema.entities[1].keyKind == .integer)
  }
}
