package import FastMapCore
internal import FastMapStoreTesting

/// People with teams and tags, at random: in a store, and as an array.
package struct Model {
  /// In the order of a store: ascending by key, then objects without a key as they were made.
  package private(set) var people: [ModelObject] = []
  package private(set) var teams: [ModelObject] = []
  package private(set) var tags: [ModelObject] = []

  package static let team: Mapping<Record> = Mapping("Team", primaryKey: "code") {
    Attribute("code", .string)
    Attribute("title", .string)
    Attribute("size", .integer)
    ToMany("members", inverseOf: "team", of: person)
    ToOne("label", inverseOf: "team", of: tag)
  }

  package static let tag: Mapping<Record> = Mapping("Tag", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToOne("team", team)
    ToMany("owners", inverseOf: "tags", of: person)
    ToOne("owner", inverseOf: "tags", of: person)
  }

  package static let person: Mapping<Record> = Mapping("Person", primaryKey: "id", missingPrimaryKey: .insert)
  {
    Attribute("id", .integer)
    Attribute("name", .string)
    Attribute("age", .integer)
    Attribute("height", .number)
    Attribute("active", .boolean)
    Attribute("born", .date(.iso8601))
    Attribute("photo", .data)
    Attribute("extra", .json)
    ToOne("boss", person)
    ToOne("team", team)
    ToMany("tags", tag)
    ToMany("friends", person)
    // A store without indexes looks at all objects.
    Index("name")
    Index("-age", "name")
    Index("height")
    Index("active", "-born")
    Index("photo", "-name")
    Index("team", "-height")
    Index("boss")
    ToMany("staff", inverseOf: "boss", of: person)
    ToOne("assistant", inverseOf: "boss", of: person)
    ToMany("followers", inverseOf: "friends", of: person)
  }

  /// "é" in two forms that Swift takes for equal, and a store does not.
  package static let names =
    ["", "a", "ab", "b", "ba", "AB", "É", "İa", "e", "\u{E9}", "e\u{301}", "z", "😀"] + longNames
  /// Indexes may shorten some of them.
  private static let longNames = [
    String(repeating: "a", count: 60), String(repeating: "a", count: 170),
    String(repeating: "a", count: 360) + "b",
    String(repeating: "a", count: 360) + "c",
  ]
  package static let ages = [-3.0, 0, 1, 2, 18, 40]
  package static let heights = [-0.5, 0, 1.5, 2, 18]
  package static let dates = [
    "2020-01-01", "2020-01-01T00:00:00Z", "2021-06-07T08:09:10.5Z", "1969-12-31T23:59:59+01:00",
  ]
  package static let data = ["", "AA==", "AAE=", "/w=="]

  package init(_ random: inout some RandomNumberGenerator) {
    func pick<T>(_ values: [T]) -> T? { random.below(4) == 0 ? nil : values[random.below(values.count)] }
    func few(_ objects: [ModelObject]) -> [ModelObject] {
      objects.isEmpty ? [] : (0..<random.below(4)).map { _ in objects[random.below(objects.count)] }
    }
    for code in ["", "red", "blue"].prefix(random.below(4)) {
      let team = ModelObject("Team", .string(code))
      team.fields = [
        "code": .value(.string(code)), "title": .value(pick(Self.names).map { .string($0) } ?? .none),
        "size": .value(pick(Self.ages).map { .number($0) } ?? .none),
      ]
      teams.append(team)
    }
    for id in 0..<random.below(5) {
      let tag = ModelObject("Tag", .integer(Int64(id)))
      tag.fields = [
        "id": .value(.number(Double(id))), "name": .value(pick(Self.names).map { .string($0) } ?? .none),
        "team": .one(teams.isEmpty ? nil : pick(teams)),
      ]
      tags.append(tag)
    }
    let count = random.below(12)
    people = (0..<count).map { ModelObject("Person", .integer(Int64($0 - 3))) }
    let keyed = people
    for _ in 0..<random.below(3) { people.append(ModelObject("Person", nil)) }
    for person in people {
      person.fields = [
        "id": .value(person.key?.value ?? .none),
        "name": .value(pick(Self.names).map { .string($0) } ?? .none),
        "age": .value(pick(Self.ages).map { .number($0) } ?? .none),
        "height": .value(pick(Self.heights).map { .number($0) } ?? .none),
        "active": .value(pick([true, false]).map { .boolean($0) } ?? .none),
        "born": .value(pick(Self.dates).flatMap { Self.date($0) }.map { .date($0) } ?? .none),
        "photo": .value(pick(Self.data).flatMap { Self.data($0) }.map { .data($0) } ?? .none),
        "boss": .one(keyed.isEmpty ? nil : pick(keyed)),
        "team": .one(teams.isEmpty ? nil : pick(teams)),
        "tags": .many(few(tags)), "friends": .many(few(keyed)),
        "extra": .json(random.below(4) == 0 ? nil : Self.json(&random, depth: 3)),
      ]
    }
    for team in teams {
      team.inverses = [
        "members": .many(team.owners("team", people)), "label": .one(team.owners("team", tags).first),
      ]
    }
    for tag in tags {
      let owners = tag.owners("tags", people)
      tag.inverses = ["owners": .many(owners), "owner": .one(owners.first)]
    }
    for person in people {
      let staff = person.owners("boss", people)
      person.inverses = [
        "staff": .many(staff), "assistant": .one(staff.first),
        "followers": .many(person.owners("friends", people)),
      ]
    }
  }

  package static func json(_ random: inout some RandomNumberGenerator, depth: Int) -> ModelJSON {
    switch random.below(depth > 0 ? 8 : 5) {
    // At the top, null is no value.
    case 0: return depth == 3 ? .boolean(true) : .null
    case 1: return .boolean(random.below(2) == 0)
    case 2: return .number(ages[random.below(ages.count)])
    case 3: return .number(heights[random.below(heights.count)])
    case 4: return .string(names[random.below(names.count)])
    case 5: return .array((0..<random.below(4)).map { _ in json(&random, depth: depth - 1) })
    default:
      let names = ["a", "b", "list"].filter { _ in random.below(3) > 0 }
      return .object(names.map { ($0, json(&random, depth: depth - 1)) })
    }
  }

  package static func date(_ text: String) -> Timestamp? {
    [
      "2020-01-01": Timestamp(seconds: 1_577_836_800),
      "2020-01-01T00:00:00Z": Timestamp(seconds: 1_577_836_800),
      "2021-06-07T08:09:10.5Z": Timestamp(seconds: 1_623_053_350, nanoseconds: 500_000_000),
      "1969-12-31T23:59:59+01:00": Timestamp(seconds: -3601),
    ][text]
  }

  package static func data(_ text: String) -> [UInt8]? {
    ["": [], "AA==": [0], "AAE=": [0, 1], "/w==": [255]][text]
  }

  // MARK: JSON

  /// The payload of all people.
  package var json: String { "[" + people.map { json($0) }.joined(separator: ",") + "]" }

  /// The payload of all tags, which adds the tags that nobody has.
  package var tagJSON: String { "[" + tags.map { json($0) }.joined(separator: ",") + "]" }

  private func json(_ object: ModelObject) -> String {
    let members = object.fields.sorted { $0.key < $1.key }.compactMap { name, field -> String? in
      let text: String? =
        switch field {
        case .value(.none), .json(nil): nil
        case .value(.boolean(let value)): "\(value)"
        case .value(.number(let value)): ModelJSON.number(value).text
        case .value(.string(let value)): "\"\(value)\""
        case .value(.date(let value)): "\"\(Self.dates.first { Self.date($0) == value } ?? "")\""
        case .value(.data(let value)): "\"\(Self.data.first { Self.data($0) == value } ?? "")\""
        case .json(let json?): json.text
        case .one(let target):
          target.map { target in
            if target.entity == "Person" { return "{\"id\":\(target.key?.description ?? "null")}" }
            return json(target)
          }
        case .many(let targets):
          "["
            + targets.map { $0.entity == "Person" ? "{\"id\":\($0.key?.description ?? "null")}" : json($0) }
            .joined(separator: ",") + "]"
        }
      return text.map { "\"\(name)\":\($0)" }
    }
    return "{" + members.joined(separator: ",") + "}"
  }
}
