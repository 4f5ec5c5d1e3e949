// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import FastMapQueries
import TestSupport
import Testing

@Suite("ComingFromGRDB.md")
struct GRDBTests {
  final class Player {
    var id = 0
    var name = ""
    var score = 0
    var team: Team?

    static let mapping: Mapping<Player> = Mapping(Player.self, "Player", primaryKey: "id", make: Player.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("score", \.score)
      ToOne("team", \.team, Team.mapping)
      Index("score")
    }
  }

  final class Team {
    var id = 0
    var name = ""

    static let mapping = Mapping(Team.self, "Team", primaryKey: "id", make: Team.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }

  @Test func theCallsOfOthersHaveOnesHere() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let store = try LMDBStore(at: "players.db")
        let json = #"[{"id": 2, "name": "Bors", "score": 50, "team": {"id": 7, "name": "Red"}}, {"id": 3, "score": 2000}]"#
        _ = try Mapper(store).importJSON(json, as: Player.mapping)

        try store.write { transaction in
          let player = Player()
          (player.id, player.name, player.score) = (1, "Arthur", 100)
          try transaction.insert([player], as: Player.mapping)
          player.score += 10
          try transaction.upsert([player], as: Player.mapping)
        }
        try store.update(Player.mapping.where { $0.score < 200 }) { $0.score += 1 }
        try store.update(Player.mapping.where { $0.name == "Arthur" }, set: \.score, to: 0)
        try store.delete(Player.mapping.where { $0.score > 1000 })

        let best = try store.read { snapshot in
          try snapshot.objects(
            Player.mapping.where { $0.score > 10 }.sorted(by: \.score, descending: true).limit(10), including: \.team)
        }
        let arthur = try store.read { try $0.object(Player.mapping, key: 1) }
        #expect(best.map(\.score) == [51])
        #expect(best.first?.team?.name == "Red")
        #expect(arthur?.score == 0)
        try #expect(store.read { try $0.count(Player.mapping) } == 2)
      }
    }
  }
}
