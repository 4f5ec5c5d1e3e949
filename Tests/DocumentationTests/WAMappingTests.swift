// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapMemory
import Testing

@Suite("MigratingFromWAMapping.md")
struct WAMappingTests {
  final class Member {
    var memberID = 0
    var joined: Timestamp?
    static let mapping = Mapping(Member.self, "Member", primaryKey: "memberID", make: Member.init) {
      Attribute("memberID", \.memberID, at: "id")
      Attribute("joined", \.joined)
    }
  }

  final class Club {
    var clubID = 0
    var name: String?
    var number = 0
    var members: [Member] = []

    static let mapping = Mapping(Club.self, "Club", primaryKey: "clubID", make: Club.init) {
      Attribute("clubID", \.clubID, at: "id")
      Attribute("name", \.name)
      Attribute("number", \.number, at: "addr.no")
      ToMany("members", \.members, Member.mapping, policy: .merge)
    }
  }

  @Test func aMappingKeepsItsRuleForRepeatedObjects() throws {
    let bytes = Array(
      #"[{"id": 1, "name": "Z", "addr": {"no": 12}, "members": [{"id": 7}]}, {"id": 2, "members": [7]}]"#.utf8)
    let clubs = try Club.mapping.objects(from: bytes)

    #expect(clubs.first?.number == 12)
    #expect(clubs[0].members[0] === clubs[1].members[0])
    clubs[0].members[0].joined = Timestamp(seconds: 0)
    var once = SerializerOptions()
    once.cycles = .repeatAsKey
    let serializer = try Serializer(Club.mapping, options: once)

    #expect(
      try serializer.json(of: clubs)
        == #"[{"id":1,"name":"Z","addr":{"no":12},"members":[{"id":7,"joined":"1970-01-01T00:00:00Z"}]},"#
        + #"{"id":2,"addr":{"no":0},"members":[{"id":7}]}]"#)
  }

  private func run(
    _ mapping: Mapping<Record>, _ payloads: String...
  ) throws -> (report: ImportReport, text: String) {
    let store = MemoryStore()
    let plan = try Plan(mapping)
    var report: ImportReport?
    for payload in payloads { report = try Mapper(store).importJSON(payload, as: plan) }
    var text = ""
    _ = try store.read(plan.schema) { reader in
      try Serializer(plan).export(from: &reader) { text += String(decoding: $0, as: UTF8.self) }
    }
    return (try #require(report), text)
  }

  @Test func mergeNullAndReplaceFollowThePage() throws {
    let player = Mapping("Player", primaryKey: "id") { Attribute("id", .integer) }
    let team = Mapping("Team", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("captain", player, policy: .assign)     // {"captain": null} clears
    }

    try #expect(
      run(team, #"{"id": 1, "captain": {"id": 2}}"#, #"{"id": 1, "captain": null}"#).text == #"[{"id":1}]"#)
    let merging = Mapping("Team", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("captain", player, policy: .merge)
    }
    try #expect(
      run(merging, #"{"id": 1, "captain": {"id": 2}}"#, #"{"id": 1, "captain": null}"#).text
        == #"[{"id":1,"captain":{"id":2}}]"#)

    let league = Mapping("League", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("teams", team, policy: .replace(deletesShared: true))
    }

    try #expect(
      run(league, #"[{"id": 1, "teams": [{"id": 5}]}, {"id": 2, "teams": [{"id": 5}]}]"#, #"{"id": 1, "teams": []}"#)
        .report["Team"]?.deleted == 1)
  }

  @Test func objectsWithoutAKeyAndRelationshipsByKeyAreMapped() throws {
    let guest = Mapping("Guest", primaryKey: "id", missingPrimaryKey: .insert) {
      Attribute("id", .integer)
      Attribute("name", .string)
    }

    try #expect(run(guest, #"{"name": "no id"}"#, #"{"name": "no id"}"#).report["Guest"]?.inserted == 1)

    let memberKey = Mapping("MemberKey", entity: "Member", primaryKey: "memberID") {
      Attribute("memberID", .integer, at: .wholeValue)
    }
    let committee = Mapping("Committee", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("chiefs", memberKey, isWeak: true)     // {"chiefs": [1, 2]}
    }

    try #expect(run(committee, #"{"id": 1, "chiefs": [1, 2]}"#).text == #"[{"id":1}]"#)
    let open = Mapping("Committee", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("chiefs", memberKey)
    }
    try #expect(run(open, #"{"id": 1, "chiefs": [1, 2]}"#).text == #"[{"id":1,"chiefs":[1,2]}]"#)
  }

  final class Horse {
    var born = 3
  }

  @Test func aBlockThatGivesNothingAndTransformsByTypeAreMapped() throws {
    let year = Transform<Int>(reading: { value in
      value.string.flatMap { Int($0) }.map { .value($0) } ?? .skip
    })

    let horse = Mapping(Horse.self, "Horse", make: Horse.init) { Attribute("born", \.born, transform: year) }
    func born(_ json: String) throws -> Int? {
      try horse.object(from: json)?.born
    }
    try #expect(born(#"{"born": "1987"}"#) == 1987)
    try #expect(born(#"{"born": "once"}"#) == 3)

    let store = MemoryStore()
    var transforms = Transforms()
    transforms.use(
      Transform<Timestamp>(reading: { value in
        guard let seconds = value.integer else { throw TransformError("expected seconds since 1970") }
        return .value(Timestamp(seconds: seconds))
      }))
    let mapper = Mapper(store, transforms: transforms)

    _ = try mapper.importJSON(#"{"id": 1, "joined": 86400}"#, as: Member.mapping)
    let member = try store.read { try $0.object(Member.mapping, key: 1) }
    #expect(member?.joined == Timestamp(seconds: 86_400))
  }
}
