import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

private final class Team {
  var id = 0
  var name: String?
  var members: [Member] = []

  static let mapping: Mapping<Team> = Mapping(Team.self, "Team", primaryKey: "id", make: Team.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToMany("members", \.members, Member.mapping)
  }
}

private final class Member {
  var id = 0
  var name: String?
  var mentor: Member?

  static let mapping: Mapping<Member> = Mapping(Member.self, "Member", primaryKey: "id", make: Member.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToOne("mentor", \.mentor, Member.mapping)
  }
}

/// How many questions a store on another machine would have to answer for reads. Each number is a budget.
@Suite struct ReadTripTests {
  private static func members(_ range: Range<Int>, _ rest: (Int) -> String = { _ in "" }) -> String {
    "[\(range.map { #"{"id":\#($0),"name":"m\#($0)"\#(rest($0))}"# }.joined(separator: ","))]"
  }

  /// Levels cost, objects do not.
  @Test func objectsOfAWholeEntityAreReadLevelByLevel() throws {
    let (counter, base) = (TripCounter(), try ScratchStore())
    let store = counter.store(on: base)
    let teams = (0..<200).map { team in
      let members = Self.members(team * 10..<team * 10 + 10) { #","mentor":{"id":\#(5000 + $0)}"# }
      return #"{"id":\#(team),"members":\#(members)}"#
    }
    _ = try Mapper(store).importJSON("[\(teams.joined(separator: ","))]", as: Team.mapping)
    _ = counter.take()
    let read = try store.read { try $0.objects(Team.mapping, depth: .max) }
    #expect(read.count == 200)
    #expect(read.allSatisfy { team in team.members.allSatisfy { $0.mentor?.id == 5000 + $0.id } })
    let trips = counter.take()
    #expect(trips.count <= 10, "\(trips)")
  }
}
