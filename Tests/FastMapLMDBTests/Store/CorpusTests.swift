import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import Foundation
import TestSupport
import Testing

/// Real documents through the mappings of `TestSupport/Mappings`, compared with `expected.json` and with Foundation.
@Suite(
  .enabled(if: Files.realDocuments != nil, "no corpora: set FASTMAP_CORPORA to the directory that has real/"))
struct CorpusTests {
  let scratch = Scratch()

  @Test(arguments: Corpus.inSize)
  func aCorpusHasItsExpectedFiles(_ corpus: Corpus) throws {
    let store = try LMDBStore(at: scratch.store)
    for part in corpus.parts {
      let report = try corpus.take(part, into: store)
      #expect(report == corpus.expected(part, report))
      try store.expectSound()
    }
  }

  @Test(arguments: Corpus.inSize)
  func aCorpusImportedAgainWritesNothing(_ corpus: Corpus) throws {
    let store = try LMDBStore(at: scratch.store)
    for part in corpus.parts { _ = try corpus.take(part, into: store) }
    let before = try Files.bytes(of: scratch.dataFile)
    let commits = try store.commits
    for part in corpus.parts {
      let report = try corpus.take(part, into: store)
      #expect(report == corpus.expected(part, report, isRepeated: true))
    }
    #expect(try store.commits == commits)
    #expect(try Files.bytes(of: scratch.dataFile) == before)
    try store.expectSound()
  }

  @Test func jsonplaceholderIsTheSameInAnyOrder() throws {
    let corpus = try #require(Corpus.all.first { $0.name == "jsonplaceholder" })
    let parts = corpus.parts
    let rotations = parts.indices.map { Array(parts[$0...] + parts[..<$0]) }
    var first: [String: [String]]?
    let orders = TestSize.cases(rotations + [parts.reversed()], small: 2)
    for (number, order) in orders.enumerated() {
      let store = try LMDBStore(at: scratch.path + "/\(number).db")
      for part in order { _ = try corpus.take(part, into: store) }
      try store.expectSound()
      var contents: [String: [String]] = [:]
      for part in parts { contents[part.as] = try store.export(try corpus.plan(part.as)) }
      let expected = first ?? contents
      first = expected
      #expect(contents == expected, "\(order.map(\.as))")
      #expect(contents.values.map(\.count).reduce(0, +) == 5910)
    }
  }

  @Test func aPhotoLeadsToItsAlbumAndToItsUser() throws {
    let corpus = try #require(Corpus.all.first { $0.name == "jsonplaceholder" })
    let store = try LMDBStore(at: scratch.store)
    for part in corpus.parts.reversed() { _ = try corpus.take(part, into: store) }
    let root = try #require(try Files.json(corpus.path) as? [String: [[String: Any]]])
    let albums = Dictionary(uniqueKeysWithValues: try #require(root["albums"]).map { ($0["id"] as? Int, $0) })
    let users = Dictionary(uniqueKeysWithValues: try #require(root["users"]).map { ($0["id"] as? Int, $0) })

    let photoPlan = try corpus.plan("Photo")
    let albumPlan = try corpus.plan("Album")
    let userPlan = try corpus.plan("User")
    for (number, photo) in try #require(root["photos"]).enumerated() where number.isMultiple(of: 37) {
      let album = try #require(albums[photo["albumId"] as? Int])
      let user = try #require(users[album["userId"] as? Int])
      let albumID = try target(of: try key(photo), "album", photoPlan, store)
      #expect(try albumID == store.read(albumPlan.schema) { try $0.find(try key(album), of: 0) })
      let userID = try target(of: try key(album), "user", albumPlan, store)
      #expect(try userID == store.read(userPlan.schema) { try $0.find(try key(user), of: 0) })
    }
    let values = try store.read(userPlan.schema) { try $0.values(10, of: 0, userPlan.schema) }
    #expect(values["name"] == .string("Clementina DuBuque"))
    #expect(values["longitude"] == .string("57.2232"))
  }

  @Test func aPerformanceHasItsEventAndItsStart() throws {
    let corpus = try #require(Corpus.all.first { $0.name == "citm" })
    let store = try LMDBStore(at: scratch.store)
    _ = try corpus.take(corpus.parts[0], into: store)
    let plan = try corpus.plan("Performance")
    let root = try #require(try Files.json(corpus.path) as? [String: Any])
    let performances = try #require(root["performances"] as? [[String: Any]])
    #expect(performances.count == 243)
    for performance in performances {
      let key = try key(performance)
      let start = try #require(performance["start"] as? Int64)
      let instant = Timestamp(seconds: start / 1000, nanoseconds: UInt32(start % 1000) * 1_000_000)
      let event = try #require(performance["eventId"] as? Int64)
      try store.read(plan.schema) { reader in
        #expect(try reader.values(key, of: 0, plan.schema)["start"] == .date(instant))
        let entity = try #require(plan.schema.entity(named: "Event"))
        let id = try reader.find(.integer(event), of: entity)
        #expect(id != nil)
        #expect(try target(of: key, "event", plan, store) == id)
        #expect(try reader.count(of: entity) == 184)
      }
    }
  }

  @Test func aPayloadOfGitHubIsKeptByValue() throws {
    let corpus = try #require(Corpus.all.first { $0.name == "github" })
    let store = try LMDBStore(at: scratch.store)
    _ = try corpus.take(corpus.parts[0], into: store)
    let plan = try corpus.plan("Event")
    let events = try #require(try Files.json(corpus.path) as? [[String: Any]])
    for event in events {
      let key = PrimaryKey.string(try #require(event["id"] as? String))
      let values = try store.read(plan.schema) { try $0.values(key, of: 0, plan.schema) }
      guard case .json(let text)? = values["payload"] else {
        Issue.record("event \(key) has the payload \(String(describing: values["payload"]))")
        continue
      }
      let stored = try Files.json(Array(text.utf8)) as? NSDictionary
      #expect(stored == event["payload"] as? NSDictionary)
      #expect(values["public"] == .boolean(true))
    }
  }

  // MARK: Parts

  private func key(_ object: [String: Any]) throws -> PrimaryKey {
    .integer(try #require(object["id"] as? Int64))
  }

  private func target(of key: PrimaryKey, _ name: String, _ plan: Plan, _ store: LMDBStore) throws
    -> ObjectID?
  {
    let field = try #require(plan.schema.entities[0].fields.firstIndex { $0.name == name })
    return try store.read(plan.schema) { reader in
      let owner = try #require(try reader.find(key, of: 0))
      return try reader.targets(of: [owner], entity: 0, field: field)[0].first
    }
  }
}
