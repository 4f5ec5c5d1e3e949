import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Fields that no object of a payload had.
@Suite struct UnseenFieldTests {
  private static let country = Mapping("Country", primaryKey: "code") {
    Attribute("code", .string)
    Attribute("region", .string, at: "regoin")
    Attribute("latitude", .number, at: "position[0]")
    Attribute("capital", .string, at: "cities.capital")
    Attribute("names", .json, at: "names[].text")
    ToOne("leader", person)
    ToMany("borders", reference)
    ToMany("heads", person, at: "offices[].head", isWeak: true)
  }
  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }
  private static let reference: Mapping<Record> = Mapping("CountryRef", entity: "Country", primaryKey: "code")
  {
    Attribute("code", .string, at: .wholeValue)
  }

  private static let all = [
    "region", "latitude", "capital", "names", "leader", "borders", "heads",
  ]

  struct Case: Sendable, CustomTestStringConvertible {
    var json: String
    var seen: [String]
    var others: [String] = []
    var testDescription: String { json }
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      Case(json: #"{"code":"a"}"#, seen: []),
      Case(json: #"[{"code":"a"},{"code":"b","regoin":"x"}]"#, seen: ["region"]),
      Case(json: #"{"code":"a","regoin":null}"#, seen: ["region"]),
      Case(json: #"{"code":"a","position":[]}"#, seen: []),
      Case(json: #"{"code":"a","position":[null]}"#, seen: ["latitude"]),
      Case(json: #"{"code":"a","position":null,"cities":null}"#, seen: ["latitude", "capital"]),
      Case(json: #"{"code":"a","cities":{}}"#, seen: []),
      Case(json: #"{"code":"a","names":[{"txet":"x"}]}"#, seen: []),
      Case(json: #"{"code":"a","names":[{"txet":"x"},{"text":null}]}"#, seen: ["names"]),
      Case(json: #"{"code":"a","names":[null,{"txet":"x"}]}"#, seen: ["names"]),
      Case(json: #"{"code":"a","names":[]}"#, seen: ["names"]),
      Case(json: #"{"code":"a","names":null}"#, seen: ["names"]),
      Case(json: #"{"code":"a","leader":null}"#, seen: ["leader"]),
      Case(json: #"{"code":"a","leader":7}"#, seen: ["leader"]),
      Case(json: #"{"code":"a","leader":{"id":7}}"#, seen: ["leader"], others: ["Person.name"]),
      Case(json: #"{"code":"a","borders":["b"]}"#, seen: ["borders"]),
      Case(json: #"{"code":"a","borders":[]}"#, seen: ["borders"]),
      Case(json: #"{"code":"a","offices":[{"head":3}]}"#, seen: ["heads"]),
      Case(json: #"{"code":"a","offices":[{}]}"#, seen: []),
    ])
  func unseenFieldsAreNamedByTheirMappingInItsOrder(_ kind: StoreKind, test: Case) throws {
    let world = try World(kind, Self.country)
    let missing = Self.all.filter { !test.seen.contains($0) }.map { "Country." + $0 }
    #expect(try world.report(test.json).unseen == missing + test.others)
  }

  @Test func aMappingThatWasNotMetHasNoUnseenFields() throws {
    let world = try World(.memory, Self.country)
    #expect(try world.report("[]").unseen == [])
    let whole = Mapping("Pair", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("all", .json, at: .wholeValue)
      ToOne(
        "team",
        Mapping("Team", primaryKey: "code") {
          Attribute("code", .string, at: "team_code")
          Attribute("title", .string, at: "team_title")
        }, at: .wholeValue)
    }
    let pairs = try World(.memory, whole)
    #expect(try pairs.report(#"{"id":1}"#).unseen == ["Pair.team"])
    #expect(try pairs.report(#"{"id":1,"team_code":null}"#).unseen == [])
    #expect(try pairs.report(#"{"id":1,"team_code":"x"}"#).unseen == ["Team.title"])
  }

  @Test func unseenFieldsIncludeAPrimaryKeyThatObjectsAreLeftOutWithout() throws {
    let mapping = Mapping("Note", primaryKey: "id", missingPrimaryKey: .skip) {
      Attribute("id", .integer, at: "identifier")
      Attribute("text", .string)
    }
    let report = try World(.memory, mapping).report(#"[{"id":1,"text":"a"}]"#)
    #expect((report.unseen, report["Note"]?.skipped) == (["Note.id"], 1))
  }

  @Test(arguments: StoreKind.allCases)
  func unseenFieldsDoNotDependOnHowTheTextArrives(_ kind: StoreKind) throws {
    let count = TestSize.count(kind, small: 200, others: 100, whole: 500)
    let rows = (0..<count).map { #"{"code":"c\#($0)"\#($0 == count - 69 ? #","leader":{"id":1}"# : "")}"# }
    let json = "[" + rows.joined(separator: ",") + "]"
    let expected = Self.all.filter { $0 != "leader" }.map { "Country." + $0 } + ["Person.name"]
    for isAhead in [false, true] {
      var options = ImportOptions(batchSize: 7)
      options.alwaysReadsAhead = isAhead
      #expect(try World(kind, Self.country).report(json, options: options).unseen == expected)
      #expect(try World(kind, Self.country).report(json, inChunksOf: 50, options: options).unseen == expected)
      options.commitInterval = 40
      #expect(try World(kind, Self.country).report(json, options: options).unseen == expected)
    }
    #expect(try World(kind, Self.country).report(json, options: .dry).unseen == expected)
  }
}
