import FastMapCore
import FastMapLMDB
import Foundation
import TestSupport
import Testing

/// `twitter.json`, tweet by tweet, against Foundation's parse.
@Suite(
  .enabled(if: Files.realDocuments != nil, "no corpora: set FASTMAP_CORPORA to the directory that has real/"))
struct TwitterTests {
  private let scratch = Scratch()
  private let store: LMDBStore
  private let plan: Plan
  /// All tweets, the retweeted ones too; the last version of each tweet.
  private let tweets: [Int64: [String: Any]]

  init() throws {
    store = try LMDBStore(at: scratch.store)
    let corpus = try #require(Corpus.all.first { $0.name == "twitter" })
    _ = try corpus.take(corpus.parts[0], into: store)
    plan = try corpus.plan("Tweet")
    let root = try #require(try Files.json(corpus.path) as? [String: Any])
    var tweets: [Int64: [String: Any]] = [:]
    for status in try #require(root["statuses"] as? [[String: Any]]) {
      for tweet in [status, status["retweeted_status"] as? [String: Any]].compactMap(\.self) {
        tweets[try #require(tweet["id"] as? Int64)] = tweet
      }
    }
    self.tweets = tweets
  }

  private func values(_ id: Int64, of entity: Int) throws -> [String: Value] {
    try store.read(plan.schema) { try $0.values(.integer(id), of: entity, plan.schema) }
  }

  @Test func integersBeyondDoublesAreExact() throws {
    #expect(tweets.count == 115)
    #expect(try values(505_874_924_095_815_681, of: 0)["id"] == .integer(505_874_924_095_815_681))
    for id in tweets.keys {
      let values = try values(id, of: 0)
      #expect(values["id"] == .integer(id))
      #expect(values["id_str"] == .string("\(id)"))
    }
    let neighbour = try store.read(plan.schema) { try $0.find(.integer(505_874_924_095_815_680), of: 0) }
    #expect(neighbour == nil)
  }

  @Test func datesAreReadByTheirPattern() throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "EEE MMM dd HH:mm:ss Z yyyy"
    func instant(_ text: Any?) throws -> Value {
      let text = try #require(text as? String)
      let date = try #require(formatter.date(from: text))
      return .date(Timestamp(seconds: Int64(date.timeIntervalSince1970)))
    }
    let users = try #require(plan.schema.entity(named: "User"))
    for (id, tweet) in tweets {
      #expect(try values(id, of: 0)["created_at"] == instant(tweet["created_at"]))
      let user = try #require(tweet["user"] as? [String: Any])
      let userID = try #require(user["id"] as? Int64)
      #expect(try values(userID, of: users)["created_at"] == instant(user["created_at"]))
    }
  }

  @Test(arguments: [
    ("hashtags", "text"), ("urls", "expanded_url"),
  ])
  func entitiesOfATweetAreObjects(_ relationship: String, _ attribute: String) throws {
    let field = try #require(plan.schema.entities[0].fields.firstIndex { $0.name == relationship })
    guard case .toMany(let entity, isOwned: true) = plan.schema.entities[0].fields[field].kind else {
      Issue.record("\(relationship) is \(plan.schema.entities[0].fields[field].kind)")
      return
    }
    let place = try #require(plan.schema.entities[entity].fields.firstIndex { $0.name == attribute })
    var count = 0
    for (id, tweet) in tweets {
      let all = try #require(tweet["entities"] as? [String: [[String: Any]]])
      let expected = try #require(all[relationship]).map { $0[attribute] as? String }
      let found = try store.read(plan.schema) { reader in
        let owner = try #require(try reader.find(.integer(id), of: 0))
        return try reader.targets(of: [owner], entity: 0, field: field)[0].map { target -> String? in
          var buffer = RowBuffer()
          guard try reader.read(target, of: entity, into: &buffer) else { return nil }
          guard case .string(let text)? = buffer.row[place].value else { return nil }
          return text
        }
      }
      #expect(found == expected)
      count += found.count
    }
    #expect(count == (relationship == "hashtags" ? 10 : 18))
  }
}
