// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapQueries

import FastMapLMDB
import FastMapMemory
import TestSupport
import Testing

/// The queries of the page, on payloads of Examples/queries. The tool's tests run its other lines.
@Suite("QueryCookbook.md")
struct QueryCookbookTests {
  private static func payload(_ name: String) throws -> [UInt8] {
    try Files.bytes(of: Files.root + "/Examples/queries/\(name).json")
  }

  /// The keys of the objects that a query finds, the same in both stores.
  private static func keys<Source: PlanSource>(_ stores: (MemoryStore, ScratchStore), _ query: Query<Source>) throws -> String {
    let keys = try stores.0.read { try $0.keys(query) }
    try #expect(stores.1.read { try $0.keys(query) } == keys)
    return keys.map { "\($0)" }.joined(separator: " ")
  }

  enum Football {

    final class Team {
      var id = 0
      var name = ""

      static let mapping = Mapping(Team.self, "Team", primaryKey: "id", make: { Team() }) {
        Attribute("id", \.id)
        Attribute("name", \.name)
      }
    }

    final class Player {
      var id = 0
      var name = ""
      var position: String?
      var born: Timestamp?
      var injured: Bool?
      var team: Team?
      var events: [Event] = []

      static let mapping: Mapping<Player> = Mapping(
        Player.self, "Player", rootPath: "players", primaryKey: "id", make: { Player() }
      ) {
        Attribute("id", \.id)
        Attribute("name", \.name)
        Attribute("position", \.position)
        Attribute("born", \.born, as: .date(.pattern("%Y-%m-%d")))
        Attribute("injured", \.injured)
        ToOne("team", \.team, Team.mapping)
        ToMany("events", \.events, inverseOf: \.player, of: Event.mapping)
      }
    }

    final class Event {
      var id = 0
      var period = 0
      var minute = 0
      var kind = ""
      var player: Player?

      static let mapping: Mapping<Event> = Mapping(
        Event.self, "Event", rootPath: "events", primaryKey: "id", make: { Event() }
      ) {
        Attribute("id", \.id)
        Attribute("period", \.period)
        Attribute("minute", \.minute)
        Attribute("kind", \.kind)
        ToOne("player", \.player, Player.mapping)
      }
    }
  }

  @Test func footballIsAsked() throws {
    let stores = (MemoryStore(), try ScratchStore())
    typealias Team = Football.Team
    typealias Player = Football.Player
    typealias Event = Football.Event
    _ = try Mapper(stores.0).importJSON(Self.payload("football"), as: Player.mapping)
    _ = try Mapper(stores.1).importJSON(Self.payload("football"), as: Player.mapping)
    _ = try Mapper(stores.0).importJSON(Self.payload("football"), as: Event.mapping)
    _ = try Mapper(stores.1).importJSON(Self.payload("football"), as: Event.mapping)

    let team = Player.mapping.where { $0.team == 1 }
    try #expect(Self.keys(stores, team) == "10 11")

    let north = Player.mapping.where { $0.team.name == "North" }.sorted(by: \.born)
    try #expect(Self.keys(stores, north) == "10 11")

    let second = Event.mapping.where { $0.period == 2 }.sorted(by: \.minute)
    try #expect(Self.keys(stores, second) == "4 3 5")

    let late = Event.mapping.where { $0.kind == "goal" && $0.minute >= 80 }
    try #expect(Self.keys(stores, late) == "3 5")

    let goals = Event.mapping.where { $0.kind == "goal" && $0.player.team.name == "South" }
    try #expect(Self.keys(stores, goals) == "1 5")

    let scorers = Player.mapping.where { $0.events.contains { $0.kind == "goal" } }
    try #expect(Self.keys(stores, scorers) == "10 12")

    let free = Player.mapping.where { $0.team == nil }
    try #expect(Self.keys(stores, free) == "14")

    let year = Timestamp(seconds: 1_041_379_200)..<Timestamp(seconds: 1_072_915_200)
    let born = Player.mapping.where { $0.born.isIn(year) }
    try #expect(Self.keys(stores, born) == "11 12")

    let fit = Player.mapping.where { $0.position == "forward" && !$0.injured }
    try #expect(Self.keys(stores, fit) == "10 12 14")
  }

  enum GitHub {

    final class Actor {
      var id = 0
      var login = ""

      static let mapping = Mapping(Actor.self, "Actor", primaryKey: "id", make: { Actor() }) {
        Attribute("id", \.id)
        Attribute("login", \.login)
      }
    }

    final class Repository {
      var id = 0
      var name = ""

      static let mapping = Mapping(Repository.self, "Repository", primaryKey: "id", make: { Repository() }) {
        Attribute("id", \.id)
        Attribute("name", \.name)
      }
    }

    final class Organization {
      var id = 0
      var login = ""

      static let mapping = Mapping(Organization.self, "Organization", primaryKey: "id", make: { Organization() }) {
        Attribute("id", \.id)
        Attribute("login", \.login)
      }
    }

    final class Event {
      var id = ""
      var type = ""
      var isPublic = true
      var created: Timestamp?
      var actor: Actor?
      var repo: Repository?
      var org: Organization?

      static let mapping = Mapping(Event.self, "Event", primaryKey: "id", make: { Event() }) {
        Attribute("id", \.id)
        Attribute("type", \.type)
        Attribute("public", \.isPublic)
        Attribute("created", \.created, at: "created_at")
        ToOne("actor", \.actor, Actor.mapping)
        ToOne("repo", \.repo, Repository.mapping)
        ToOne("org", \.org, Organization.mapping)
      }
    }
  }

  @Test func githubIsAsked() throws {
    let stores = (MemoryStore(), try ScratchStore())
    typealias Actor = GitHub.Actor
    typealias Repository = GitHub.Repository
    typealias Organization = GitHub.Organization
    typealias Event = GitHub.Event
    _ = try Mapper(stores.0).importJSON(Self.payload("github"), as: Event.mapping)
    _ = try Mapper(stores.1).importJSON(Self.payload("github"), as: Event.mapping)

    let newest = Event.mapping.sorted(by: \.created, descending: true).limit(3)
    try #expect(Self.keys(stores, newest) == #""1652857653" "1652857654" "1652857652""#)

    let next = newest.after(key: "1652857652")
    try #expect(Self.keys(stores, next) == #""1652857651" "1652857650""#)

    let store = stores.1
    let page = try store.read { try $0.page(newest) }
    let following = newest.after(page.position)
    try #expect(Self.keys(stores, following) == Self.keys(stores, next))

    let user = Actor.mapping.where { $0.login == "mia" }
    try #expect(Self.keys(stores, user) == "2")

    let anyCase = Actor.mapping.where { $0.login.lowercased == "mia" }.sorted(by: \.login.lowercased)
    try #expect(Self.keys(stores, anyCase) == "2")

    let pushes = Event.mapping.where { $0.type == "PushEvent" && $0.repo.name == "jo/lamp" }
    try #expect(Self.keys(stores, pushes) == #""1652857650""#)

    let work = Event.mapping.where { !$0.type.isIn(["WatchEvent", "ForkEvent"]) }
    try #expect(Self.keys(stores, work) == #""1652857650" "1652857652" "1652857654""#)

    let hidden = Event.mapping.where { $0.org != nil && !$0.isPublic }
    try #expect(Self.keys(stores, hidden) == #""1652857652""#)

    let logins = Actor.mapping.where { $0.login.hasPrefix("j") }
    try #expect(Self.keys(stores, logins) == "1 3")
  }

  enum Tweets {

    final class User {
      var id = 0
      var name = ""
      var followers: Int?

      static let mapping = Mapping(User.self, "User", primaryKey: "id", make: { User() }) {
        Attribute("id", \.id)
        Attribute("name", \.name, at: "screen_name")
        Attribute("followers", \.followers, at: "followers_count")
      }
    }

    final class Hashtag {
      var text = ""

      static let mapping = Mapping(Hashtag.self, "Hashtag", make: { Hashtag() }) { Attribute("text", \.text) }
    }

    final class Link {
      var url = ""

      static let mapping = Mapping(Link.self, "Link", make: { Link() }) {
        Attribute("url", \.url, at: "expanded_url")
      }
    }

    final class Tweet {
      var id = 0
      var text = ""
      var created: Timestamp?
      var retweets = 0
      var replyTo: Int?
      var user: User?
      var original: Tweet?
      var hashtags: [Hashtag] = []
      var links: [Link] = []

      static let mapping: Mapping<Tweet> = Mapping(
        Tweet.self, "Tweet", rootPath: "statuses", primaryKey: "id", make: { Tweet() }
      ) {
        Attribute("id", \.id)
        Attribute("text", \.text)
        Attribute("created", \.created, at: "created_at", as: .date(.pattern("%a %b %d %H:%M:%S %z %Y")))
        Attribute("retweets", \.retweets, at: "retweet_count")
        Attribute("replyTo", \.replyTo, at: "in_reply_to_status_id")
        ToOne("user", \.user, User.mapping)
        ToOne("original", \.original, Tweet.mapping, at: "retweeted_status")
        ToMany("hashtags", \.hashtags, Hashtag.mapping, at: "entities.hashtags")
        ToMany("links", \.links, Link.mapping, at: "entities.urls")
      }
    }
  }

  @Test func tweetsIsAsked() throws {
    let stores = (MemoryStore(), try ScratchStore())
    typealias User = Tweets.User
    typealias Hashtag = Tweets.Hashtag
    typealias Link = Tweets.Link
    typealias Tweet = Tweets.Tweet
    _ = try Mapper(stores.0).importJSON(Self.payload("tweets"), as: Tweet.mapping)
    _ = try Mapper(stores.1).importJSON(Self.payload("tweets"), as: Tweet.mapping)

    let tagged = Tweet.mapping.where { $0.hashtags.contains { $0.text == "swift" } }
    try #expect(Self.keys(stores, tagged) == "101 102")

    let popular = Tweet.mapping.where { $0.user.followers >= 10_000 }.sorted(by: \.retweets, descending: true).limit(10)
    try #expect(Self.keys(stores, popular) == "101 104")

    let retweets = Tweet.mapping.where { $0.original.user.name == "ada" }
    try #expect(Self.keys(stores, retweets) == "103")

    let plain = Tweet.mapping.where { $0.hashtags.count >= 2 && $0.links.isEmpty }
    try #expect(Self.keys(stores, plain) == "101")

    let quiet = Tweet.mapping.where { ($0.replyTo != nil || $0.original != nil) && $0.retweets == 0 }
    try #expect(Self.keys(stores, quiet) == "104")
  }

  @Test func objectsThatAreStillToComeAreFound() throws {
    typealias Tweet = Tweets.Tweet
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(#"{"statuses": [{"id": 1, "text": "a", "retweeted_status": 2}]}"#, as: Tweet.mapping)

    let missing = try store.read { try $0.keys(Tweet.mapping.stubs) }
    #expect(missing == [2])
  }

  @Test func aDeletionTakesAQuery() throws {
    typealias Tweet = Tweets.Tweet
    let store = try ScratchStore()
    _ = try Mapper(store).importJSON(Self.payload("tweets"), as: Tweet.mapping)

    let report = try store.delete(Tweet.mapping.where { $0.retweets == 0 })
    #expect(report["Tweet"] == 1)
    try #expect(store.read { try $0.count(Tweet.mapping.query) } == 3)
  }
}
