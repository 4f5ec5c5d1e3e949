import FastMapCore
import FastMapModels
import FastMapStoreTesting
import TestSupport
import Testing

/// Filters that do not fit a mapping, and their faults.
@Suite struct FilterFaultTests {
  static let cases: [(filter: String, faults: String)] = [
    ("@.agee > 1", #"column 1: @.agee: Person has no field named "agee"; did you mean "age"?"#),
    (
      "@.team.titel == 'a'",
      #"column 1: @.team.titel: Team has no field named "titel"; did you mean "title"?"#
    ),
    (
      "@.nme == 'a' || @.aeg == 1",
      #"column 1: @.nme: Person has no field named "nme"; did you mean "name"?"# + "\n"
        + #"column 17: @.aeg: Person has no field named "aeg"; did you mean "age"?"#
    ),
    ("@.tags[?@.nmae == 'a']", #"column 9: @.nmae: Tag has no field named "nmae"; did you mean "name"?"#),
    ("@.name == 1", "column 1: @.name == 1: expected values of one kind, found a string and an integer"),
    ("1.5 == @.name", "column 8: 1.5 == @.name: expected values of one kind, found a number and a string"),
    (
      "@.age == @.name",
      "column 1: @.age == @.name: expected values of one kind, found an integer and a string"
    ),
    ("@.active < true", "column 1: @.active < true: expected == or != between booleans, found <"),
    ("@.active == 1", "column 1: @.active == 1: expected values of one kind, found a boolean and an integer"),
    ("@.born > 'soon'", #"column 10: @.born: expected an ISO 8601 date, found "soon""#),
    (
      "@.born == @.name", "column 1: @.born == @.name: expected values of one kind, found a date and a string"
    ),
    ("@.photo == '?'", #"column 12: @.photo: expected base64 data, found "?""#),
    (
      "@.born == @.extra.a",
      "column 1: @.born == @.extra.a: expected values that can be equal, found JSON and a date"
    ),
    (
      "@.boss == 'x'",
      #"column 1: @.boss == "x": expected an integer, the primary key of Person, found "x""#
    ),
    ("@.team == 1", "column 1: @.team == 1: expected a string, the primary key of Team, found 1"),
    (
      "@.team == -1e400",
      "column 1: @.team == -1e400: expected a string, the primary key of Team, found -1e400"
    ),
    (
      #"@.name == "x" && @.born == "2020-02-30""#,
      #"column 28: @.born: expected an ISO 8601 date, found "2020-02-30""#
    ),
    (
      #"@.name && "!!" != @.photo"#, #"column 11: @.photo: expected base64 data, found "!!""#
    ),
    (
      #"length(@.name) == "a""#,
      #"column 1: length(@.name) == "a": expected values of one kind, found an integer and a string"#
    ),
    (
      #"@.age == 1 && "2" == count(@.tags[*])"#,
      #"column 15: "2" == count(@.tags[*]): expected values of one kind, found a string and an integer"#
    ),
    (
      #"@.tags[?length(@.name) == "a"]"#,
      #"column 9: length(@.name) == "a": expected values of one kind, found an integer and a string"#
    ),
    ("@.boss == @.team", "column 1: @.boss == @.team: expected objects of one entity, found Person and Team"),
    ("@.boss < @", "column 1: @.boss < @: expected == or != between two objects, found <"),
    (
      "@.tags == 1",
      "column 1: @.tags: expected one value, found a path that may lead to several; "
        + "use [?…] with the comparison inside, count(…) or an index as in [0]"
    ),
    (
      "@.tags.name",
      "column 1: @.tags.name: expected [*], [?…] or an index after the to-many relationship @.tags"
    ),
    ("@.name.first", "column 1: @.name: a string has no members"),
    (
      "@.boss[0]",
      "column 1: @.boss[…]: expected the name of a field; @.boss is a relationship to one; for several objects, declare it "
        + "to many (\"toMany\": true in a mapping file, ToMany in Swift)"
    ),
    ("@[0]", "column 1: @[…]: expected the name of a field; an object is no list"),
    (
      "@['name','age']", "column 1: @[…]: expected the name of a field; a path goes to one field of an object"
    ),
    ("length(@.age) > 1", "column 8: length(@.age): expected a string or a list, found an integer"),
    ("length(@.boss) > 1", "column 8: length(@.boss): expected a string or a list, found an object"),
    ("match(@.age, 'a')", "column 7: match(…): expected a string, found an integer: @.age"),
    (
      "match(@.name, @.team.title)",
      "column 15: match(…): expected a literal as the pattern, found @.team.title"
    ),
    ("1 == 'a'", #"column 1: 1 == "a": expected values of one kind, found an integer and a string"#),
    ("@.age == 1 && length(1) == 1", "column 22: length(1): expected a string or a list, found an integer"),
    ("@.name && match('a', 1)", "column 22: match(…): expected a string, found an integer: 1"),
    (
      "match('a', '(')",
      "column 12: match(…): column 2 of the pattern: expected \")\", found the end of the pattern"
    ),
  ]

  @Test(arguments: cases.indices)
  func aFaultNamesPlaceExpectationAndFinding(_ index: Int) throws {
    let (text, faults) = Self.cases[index]
    let filter = try Filter(text)
    #expect(message { _ = try filter.bound(to: Model.person.plan()) } == faults)
  }

  /// Comparisons that look odd and can hold.
  @Test(arguments: [
    "@.age == 1.5", "@.boss == 1.5", "@.boss < 1e400", "@ != 99999999999999999999", "@.height == 2",
    "@.age == null", "null < @.age", "@.active <= true", "@.extra == 'a'",
    "@.extra.a == @.name", "@ == 1", "@ != @.boss", "@.boss == @.id", "@.tags", "length(@.tags) > 1",
    "count(@.tags) > 1",
    "value(@.tags[*]) == 1", "match(@.extra.a, @.extra.b)", "1 == 1", "null == 'a'", "@", "@.team >= 'b'",
  ])
  func aComparisonThatCanHoldIsNoFault(_ text: String) throws {
    _ = try Filter(text).bound(to: Model.person.plan())
  }

  @Test func aFieldOfAnotherMappingOfTheEntityIsKnown() throws {
    let reference = Mapping("PersonRef", entity: "Person", primaryKey: "id") {
      Attribute("id", .integer, at: .wholeValue)
    }
    let whole = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      ToOne("boss", reference)
    }
    let filter = try Filter("@.boss.name == 'Ada'").bound(to: whole.plan())
    guard case .compare(.path(let path), .equal, .literal(.string("Ada"))) = filter.condition else {
      Issue.record("\(filter.condition)")
      return
    }
    #expect(path.steps.count == 1)
  }

  @Test func aLiteralGetsTheKindOfItsField() throws {
    func literal(_ text: String) throws -> Value? {
      let bound = try Filter(text).bound(to: Model.person.plan())
      guard case .compare(_, _, .literal(let value)) = bound.condition else { return nil }
      return value
    }
    try #expect(literal("@.born > '2020-01-01'") == .date(Timestamp(seconds: 1_577_836_800)))
    try #expect(literal("@.photo == 'AAE='") == .data([0, 1]))
    try #expect(literal("@.age == 2.0") == .integer(2))
    try #expect(literal("@.height == 1e1") == .integer(10))
    try #expect(literal("@.age == 18446744073709551615") == .unsigned(.max))
    try #expect(literal("@.extra.a == null") == .null)
  }

  @Test func aPathOfManyStepsIsRefused() throws {
    let filter = try Filter("@" + String(repeating: ".boss", count: 300))
    #expect(
      message { _ = try filter.bound(to: Model.person.plan()) }?.hasSuffix(
        "expected at most 256 steps, found 300") ?? false)
    let lists = try Filter("@" + String(repeating: ".friends[*]", count: 64))
    _ = try lists.bound(to: Model.person.plan())
    let deeper = try Filter("@" + String(repeating: ".friends[*]", count: 65))
    #expect(
      message { _ = try deeper.bound(to: Model.person.plan()) }?.hasSuffix(
        "nested too deep; expected at most 64 to-many relationships, one inside the other") ?? false)
  }

  @Test func aHundredThousandUnknownNamesTakeLinearTime() throws {
    let filter = Filter.any(
      (0..<TestSize.count(small: 10_000, whole: 100_000)).map {
        Filter(.exists(FilterPath([FilterStep(.name("unknown\($0)"))])))
      })
    let error = #expect(throws: FilterError.self) { try filter.bound(to: Model.person.plan()) }
    #expect(error?.faults.count == 1000)
  }
}
