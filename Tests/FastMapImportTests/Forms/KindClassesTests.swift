import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects of several kinds, each of which has a subclass of its own.
@Suite struct KindClassesTests {
  class Event {
    var id = 0
    var at: Int?
    var author: User?

    static let mapping: Mapping<Event> = Mapping(
      Event.self, "Any", entity: "Event", primaryKey: "id",
      kinds: Kinds(
        "meta.type", ["PushEvent": .mapping(Event.push), "WatchEvent": .mapping(Event.watch)],
        otherwise: .mapping(.mapping(Event.other))), make: { Event() }
    ) {
      Attribute("id", \.id)
      Attribute("at", \.at)
      ToOne("author", \.author, User.mapping)
    }
    static let push = Mapping(PushEvent.self, "Push", kindOf: Event.mapping, make: { PushEvent() }) {
      Attribute("id", \.id)
      Attribute("size", \.size)
      ToMany("commits", \.commits, Commit.mapping)
    }
    static let watch = Mapping(WatchEvent.self, "Watch", kindOf: Event.mapping, make: { WatchEvent() }) {
      Attribute("action", \.action)
      ToOne("by", \.by, User.mapping)
    }
    static let other = Mapping(OtherEvent.self, "Other", kindOf: Event.mapping, make: { OtherEvent() }) {
      Attribute("type", \.type, at: "meta.type")
      Attribute("note", \.note)
    }
  }
  final class PushEvent: Event {
    var size = 1
    var commits: [Commit] = []
  }
  final class WatchEvent: Event {
    var action = ""
    var by: User?
  }
  final class OtherEvent: Event {
    var type: String?
    var note: String?
  }
  final class ForkEvent: Event {}

  final class Commit {
    var sha = ""
    static let mapping = Mapping(Commit.self, "Commit", make: { Commit() }) { Attribute("sha", \.sha) }
  }

  final class User {
    var id = 0
    var events: [Event] = []
    var last: Event?
    static let mapping: Mapping<User> = Mapping(User.self, "User", primaryKey: "id", make: { User() }) {
      Attribute("id", \.id)
      ToMany("events", \.events, Event.mapping)
      ToOne("last", \.last, Event.mapping)
    }
  }

  /// The same mappings for records.
  static let records = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Any": {
            "entity": "Event", "primaryKey": "id",
            "kinds": {
              "keyPath": "meta.type", "values": {"PushEvent": "Push", "WatchEvent": "Watch"}, "otherwise": "Other"}},
          "Push": {
            "entity": "Event", "primaryKey": "id",
            "attributes": {"at": "integer", "id": "integer", "size": {"type": "integer", "default": 1}},
            "relationships": {"author": {"mapping": "User"}, "commits": {"mapping": "Commit", "toMany": true}}},
          "Watch": {
            "entity": "Event", "primaryKey": "id",
            "attributes": {"id": "integer", "at": "integer", "action": {"type": "string", "default": ""}},
            "relationships": {"author": {"mapping": "User"}, "by": {"mapping": "User"}}},
          "Other": {
            "entity": "Event", "primaryKey": "id",
            "attributes": {
              "id": "integer", "at": "integer", "type": {"type": "string", "keyPath": "meta.type"}, "note": "string"},
            "relationships": {"author": {"mapping": "User"}}},
          "User": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {"events": {"mapping": "Any", "toMany": true}, "last": {"mapping": "Any"}}},
          "Commit": {"attributes": {"sha": {"type": "string", "default": ""}}}}}
        """#)
  }

  static let json = #"""
    [{"id":1,"meta":{"type":"PushEvent"},"at":5,"size":3,"author":7,"commits":[{"sha":"a"},{"sha":"b"}]},
     {"id":2,"meta":{"type":"WatchEvent"},"at":6,"action":"started","by":8},
     {"id":3,"meta":{"type":"ForkEvent"},"note":"n"},
     {"id":4},
     {"id":5,"at":9}]
    """#

  static func world(_ kind: StoreKind, _ json: String = json) throws -> World {
    try World(kind, Event.mapping, User.mapping, Event.push, holding: json)
  }

  /// What an object shows: `Push 1 at=5 author=7 size=3 commits=[a b]`.
  static func text(_ event: Event?) -> String {
    guard let event else { return "none" }
    let rest =
      switch event {
      case let push as PushEvent:
        "size=\(push.size) commits=[\(push.commits.map(\.sha).joined(separator: " "))]"
      case let watch as WatchEvent: "action=\(watch.action) by=\(watch.by.map { "\($0.id)" } ?? "-")"
      case let other as OtherEvent: "type=\(other.type ?? "-") note=\(other.note ?? "-")"
      default: ""
      }
    return
      "\(type(of: event)) \(event.id) at=\(event.at ?? 0) author=\(event.author.map { "\($0.id)" } ?? "-") \(rest)"
  }

  static let texts = [
    "PushEvent 1 at=5 author=7 size=3 commits=[a b]", "WatchEvent 2 at=6 author=- action=started by=8",
    "OtherEvent 3 at=0 author=- type=ForkEvent note=n", "Event 4 at=0 author=- ",
    "OtherEvent 5 at=9 author=- type=- note=-",
  ]

  @Test(arguments: StoreKind.allCases)
  func eachObjectIsAnInstanceOfItsClass(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    let events = try world.store.read { try $0.objects(Event.mapping, depth: 1) }
    #expect(events.map(Self.text) == Self.texts)
    let one = try world.store.read { try $0.object(Event.mapping, key: 2, depth: 1) }
    #expect(Self.text(one) == Self.texts[1])
    // The same as without a store, and as records.
    try #expect(Event.mapping.objects(from: Self.json).map(Self.text) == Self.texts)
    let other = try World(kind, Self.records.get().plan(for: "Any"), holding: Self.json)
    try #expect(other.dump() == world.dump())
  }

  @Test(arguments: StoreKind.allCases)
  func oneKindIsReadAndFilteredAlone(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.store.read { reader in
      try #expect((reader.objects(Event.push).map(\.size), reader.count(Event.push)) == ([3], 1))
      try #expect(reader.object(Event.push, key: 2) == nil)
      try #expect(reader.objects(Event.push.where { $0.size > 2 && $0.id == 1 }).map(\.id) == [1])
      try #expect(reader.objects(Event.mapping.where { $0.at > 5 }).map(\.id) == [2, 5])
      try #expect(reader.keys(Event.mapping.where(Filter(#"@.kind == "Watch" || @.size == 3"#))) == [1, 2])
      try #expect(reader.keys(Event.mapping.where(Filter("@.size == 1"))) == [4])
    }
  }

  static let user =
    #"{"id":7,"events":[{"id":2,"meta":{"type":"WatchEvent"}},{"id":1,"meta":{"type":"PushEvent"}},4],"last":1}"#

  @Test(arguments: StoreKind.allCases)
  func relationshipsHaveInstancesOfEachClass(_ kind: StoreKind) throws {
    let world = try World(kind, User.mapping, Event.mapping)
    try world.load(Self.user.replacing(",4]", with: #",{"id":4}]"#).replacing(":1}", with: #":{"id":1}}"#))
    let user = try #require(
      try world.store.read { try $0.object(User.mapping, key: 7, including: \.events, \.last) })
    #expect(user.events.map { "\(type(of: $0)) \($0.id)" } == ["WatchEvent 2", "PushEvent 1", "Event 4"])
    #expect(user.last === user.events[1])
    try world.store.withContext(for: User.mapping) { context in
      let user = try #require(try context.object(User.mapping, key: 7, including: \.events, \.last))
      #expect(user.events.map { "\(type(of: $0)) \($0.id)" } == ["WatchEvent 2", "PushEvent 1", "Event 4"])
      user.events.removeFirst()
      user.last = nil
      try context.save()
    }
    try #expect(world.dump(of: "User 7") == "User 7 events=[1 4]")
  }

  struct Payload: Sendable, CustomTestStringConvertible {
    var json: String
    var texts: [String]
    var testDescription: String { json }
  }

  static let payloads = [
    // The key comes before the kind.
    Payload(
      json: #"[{"id":1},{"id":1,"meta":{"type":"PushEvent"},"size":2}]"#,
      texts: Array(repeating: "PushEvent 1 at=0 author=- size=2 commits=[]", count: 2)),
    Payload(
      json:
        #"[{"id":1,"author":{"id":7,"last":{"id":2}},"meta":{"type":"PushEvent"}},{"id":2,"action":"b","meta":{"type":"WatchEvent"}}]"#,
      texts: [
        "PushEvent 1 at=0 author=7 size=1 commits=[]", "WatchEvent 2 at=0 author=- action=b by=-",
      ]),
    // Without the value, an object keeps its kind.
    Payload(
      json: #"[{"id":1,"meta":{"type":"PushEvent"},"size":2},{"id":1,"size":4,"note":"x"}]"#,
      texts: Array(repeating: "PushEvent 1 at=0 author=- size=4 commits=[]", count: 2)),
    // A change of kind.
    Payload(
      json:
        #"[{"id":1,"meta":{"type":"PushEvent"},"at":3,"size":2},{"id":1,"meta":{"type":"WatchEvent"},"action":"b"}]"#,
      texts: Array(repeating: "WatchEvent 1 at=3 author=- action=b by=-", count: 2)),
    Payload(json: #"{"id":1,"note":"n"}"#, texts: ["OtherEvent 1 at=0 author=- type=- note=n"]),
  ]

  @Test(arguments: payloads)
  func theWholePayloadSaysTheClass(_ payload: Payload) throws {
    for size in [nil, 1] as [Int?] {
      let found = try Event.mapping.objects(from: payload.json, options: ImportOptions(batchSize: size))
      #expect(found.map(Self.text) == payload.texts)
    }
    let found = try Event.mapping.objects(from: payload.json, options: ImportOptions(delegate: Watcher()))
    #expect(found.map(Self.text) == payload.texts)
    let world = try Self.world(.memory, payload.json)
    let stored = try world.store.read { try $0.objects(Event.mapping, depth: 1) }
    #expect(Set(stored.map(Self.text)) == Set(payload.texts))
  }

  private final class Watcher: ImportDelegate {}

  @Test func anInstanceIsFilledWithItsOwnKindOnly() throws {
    let push = PushEvent()
    try Event.mapping.fill(
      push, from: #"{"id":1,"meta":{"type":"PushEvent"},"size":5,"commits":[{"sha":"c"}]}"#)
    #expect(Self.text(push) == "PushEvent 1 at=0 author=- size=5 commits=[c]")
    try Event.mapping.fill(push, from: #"{"id":1,"size":6,"note":"x"}"#)
    #expect(Self.text(push) == "PushEvent 1 at=0 author=- size=6 commits=[c]")
    #expect(
      message { try Event.mapping.fill(push, from: #"{"id":1,"meta":{"type":"WatchEvent"}}"#) }?.contains(
        #"expected the kind "Push", found "Watch""#) == true)
    #expect(
      message { try Event.mapping.fill(Event(), from: #"{"id":1,"meta":{"type":"WatchEvent"}}"#) }?.contains(
        #"expected the class Event, which has no kind, found "Watch""#) == true)
    #expect(push.size == 6)
  }

  @Test(arguments: StoreKind.allCases)
  func instancesAreExportedLikeStoredObjects(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    let text = try world.export()
    let records = try World(kind, Self.records.get().plan(for: "Any"), holding: Self.json)
    try #expect(Serializer(Event.mapping).json(of: Event.mapping.objects(from: Self.json)) == text)
    try #expect(
      Serializer(Event.mapping).json(of: world.store.read { try $0.objects(Event.mapping, depth: 2) }) == text
    )
    #expect(
      text == #"""
        [{"at":5,"id":1,"size":3,"meta":{"type":"PushEvent"},"author":{"id":7},"commits":[{"sha":"a"},{"sha":"b"}]},{"id":2,"at":6,"action":"started","meta":{"type":"WatchEvent"},"by":{"id":8}},{"id":3,"meta":{"type":"ForkEvent"},"note":"n"},{"id":4},{"id":5,"at":9}]
        """#)
    try #expect(records.export() == text)
  }

  @Test func anInstanceWithoutAKindIsNotExported() throws {
    let (fork, event) = (ForkEvent(), Event())
    let serializer = try Serializer(Event.mapping)
    let names = "expected an instance of OtherEvent, PushEvent or WatchEvent, found one of"
    #expect(
      message { _ = try serializer.json(of: fork) }?.contains("\(names) ForkEvent, which the kinds do not")
        == true)
    event.id = 5
    try #expect(serializer.json(of: event) == #"{"id":5}"#)
    event.at = 6
    #expect(
      message { _ = try serializer.json(of: event) }?.contains("\(names) Event, which the kinds do not")
        == true)
    #expect(
      message { _ = try Serializer(Event.push).json(of: WatchEvent()) }?.contains(
        "expected an instance of PushEvent, found one of WatchEvent") == true)
  }

  @Test(arguments: StoreKind.allCases)
  func aContextEditsAndSavesInstancesOfEachClass(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.store.withContext(for: Event.mapping, User.mapping) { context in
      let events = try context.objects(Event.mapping, including: \.author)
      #expect(
        events.map { "\(type(of: $0))" } == ["PushEvent", "WatchEvent", "OtherEvent", "Event", "OtherEvent"])
      (events[0] as? PushEvent)?.size = 9
      (events[1] as? WatchEvent)?.action = "stopped"
      events[1].at = 1
      let (push, watch, other) = (PushEvent(), WatchEvent(), OtherEvent())
      (push.id, push.size, watch.id, watch.action, other.id) = (11, 2, 12, "new", 13)
      (other.type, other.note) = ("GollumEvent", "o")
      try context.insert(push, as: Event.mapping)
      try context.insert(watch, as: Event.watch)
      try context.insert(other, as: Event.mapping)
      let report = try context.save()
      #expect(report["Event"]?.inserted == 3 && report["Event"]?.updated == 2)
      let again = try context.save()
      #expect((again["Event"]?.inserted ?? 0) + (again["Event"]?.updated ?? 0) == 0)
      try #expect(context.objects(Event.push).map(\.id) == [1, 11])
    }
    try #expect(
      world.dump().split(separator: "\n").filter { $0.hasPrefix("Event") }.joined(separator: "\n") == #"""
        Event 1 at=5 type="PushEvent" kind="Push" size=9 author=7 commits=[#1 #2]
        Event 2 at=1 type="WatchEvent" kind="Watch" action="stopped" by=8
        Event 3 type="ForkEvent" note="n" kind="Other"
        Event 4 size=1 action=""
        Event 5 at=9 kind="Other"
        Event 11 type="PushEvent" kind="Push" size=2
        Event 12 type="WatchEvent" kind="Watch" action="new"
        Event 13 type="GollumEvent" note="o" kind="Other"
        """#)
  }

  @Test(arguments: StoreKind.allCases)
  func aClassThatTheKindsDoNotNameIsRefused(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    let before = try world.dump()
    try world.store.withContext(for: User.mapping) { context in
      let sentence = "expected an instance of OtherEvent, PushEvent or WatchEvent, found one of"
      #expect(
        message { try context.insert(ForkEvent(), as: Event.mapping) }
          == "\(sentence) ForkEvent, which the kinds of Event do not name")
      #expect(
        message { try context.insert(Event(), as: Event.mapping) }
          == "\(sentence) Event, which the kinds of Event do not name")
      let user = User()
      user.id = 20
      user.events = [ForkEvent()]
      try context.insert(user, as: User.mapping)
      #expect(
        message { try context.save() }
          == "User 20.events[0]: \(sentence) ForkEvent, which the kinds of Event do not name")
    }
    try #expect(world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases)
  func anImportShowsTheInstancesOfItsKinds(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.store.withContext(for: Event.mapping, User.mapping) { context in
      let found = try context.objects(from: Self.json, as: Event.mapping, including: \.author)
      #expect(
        found.map { "\(type(of: $0))" } == ["PushEvent", "WatchEvent", "OtherEvent", "Event", "OtherEvent"])
      let push = PushEvent()
      try context.fill(push, from: #"{"id":30,"meta":{"type":"PushEvent"},"size":7}"#, as: Event.push)
      #expect(push.size == 7)
      try context.fill(push, from: #"{"id":30,"size":8,"at":1}"#, as: Event.mapping)
      #expect((push.size, push.at) == (8, 1))
    }
    try #expect(world.dump(of: "Event 30") == #"Event 30 at=1 type="PushEvent" kind="Push" size=8"#)
  }
}
