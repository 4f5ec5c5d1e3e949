// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapMemory
import FastMapQueries
import Testing

@Suite("Mappings.md", .printing)
struct MappingsTests {
  final class Book {
    enum Language: String, AttributeValue { case english = "en", french = "fr" }

    var id = ""
    var title = ""
    var language: Language?
    var published: Timestamp?
    var height = 0.0
    var tags: [String] = []

    static let mapping = Mapping(
      Book.self, "Book", rootPath: "catalogue.books", primaryKey: "id", make: Book.init
    ) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      Attribute("language", \.language)
      Attribute("published", \.published, as: .date(.pattern("%Y-%m-%d")))
      Attribute("height", \.height, at: "dimensions.height").lenient
      Attribute("tags", \.tags)
    }
  }

  @Test func classesAreMapped() throws {
    let json = #"""
      {"catalogue": {"books": [{"id": "dune", "title": "Dune", "language": "en", "published": "1965-08-01",
        "dimensions": {"height": "18.5"}, "tags": ["sand", "spice"]}]}}
      """#
    let books = try Book.mapping.objects(from: json)
    #expect(books.first?.language == .english)
    #expect(books.first?.published == Timestamp(seconds: -139_449_600))
    #expect(books.first?.height == 18.5)
    #expect(books.first?.tags == ["sand", "spice"])
  }

  final class Receipt {
    var id = 0
    var total: DecimalNumber = 0

    static let mapping = Mapping(Receipt.self, "Receipt", primaryKey: "id", make: Receipt.init) {
      Attribute("id", \.id)
      Attribute("total", \.total)             // 12.50 or "12.50", written as 12.50
    }
  }

  @Test func decimalsAreExact() throws {
    let large = Receipt.mapping.where { $0.total > "99.95" }

    let store = MemoryStore()
    _ = try Mapper(store).importJSON(
      #"[{"id": 1, "total": 12.50}, {"id": 2, "total": "99.950"}, {"id": 3, "total": 99.9501}]"#,
      as: Receipt.mapping)
    #expect(try store.read { try $0.keys(large) } == [3])
    let receipts = try store.read { try $0.objects(Receipt.mapping) }
    #expect(receipts.map(\.total.text) == ["12.50", "99.950", "99.9501"])
  }

  @Test func aValueGoesToTheFieldOfItsKind() throws {
    let license = Mapping("License") {
      Attribute("type", .string)
      Attribute("url", .string)
    }
    let package = Mapping("Package", primaryKey: "name") {
      Attribute("name", .string)
      Attribute("bugs", .string)
      Attribute("bugsURL", .string, at: "bugs.url")
      Attribute("license", .string)
      ToOne("terms", license, at: "license")
      ToMany("licenses", license, at: "license")
    }
    // {"name": "a", "bugs": "b@a.org", "license": "MIT"}
    // {"name": "c", "bugs": {"url": "c.org/bugs"}, "license": [{"type": "MIT"}, {"type": "BSD"}]}

    let json =
      #"[{"name":"a","bugs":"b@a.org","license":"MIT"},{"name":"c","bugs":{"url":"c.org/bugs"},"license":[{"type":"MIT"},{"type":"BSD"}]}]"#
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(json, as: package)
    func exported() throws -> [UInt8] {
      var text: [UInt8] = []
      try store.read(Plan(package)) { _ = try Serializer(package).export(from: &$0.reader) { text += $0 } }
      return text
    }
    #expect(try String(decoding: exported(), as: UTF8.self) == json)
  }

  @Test func valuesComeFromOutsideOfTheObject() throws {
    let shot = Mapping("Shot", primaryKey: ["match", "event", "nr"]) {
      Attribute("match", .integer, at: .context("match"))
      Attribute("event", .integer, at: "@parent.id")
      Attribute("season", .integer, at: "@root.season")
      Attribute("nr", .integer)
    }
    let event = Mapping("Event", rootPath: "events", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("shots", shot)
    }
    // {"season": 2026, "events": [{"id": 5, "shots": [{"nr": 1}, {"nr": 2}]}]}

    let json = #"{"season": 2026, "events": [{"id": 5, "shots": [{"nr": 1}, {"nr": 2}]}]}"#
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(json, as: event, options: ImportOptions(context: ["match": 7]))
    let found = try store.read(Plan(event)) { try $0.record("Shot", key: [7, 5, 2] as PrimaryKey) }
    #expect(found?["season"] == 2026)
  }

  @Test func objectsAreTheMembersOfAnObject() throws {
    let plugin = Mapping("Plugin", rootPath: "plugins", primaryKey: "name", keyedBy: "name") {
      Attribute("name", .string)
      Attribute("version", .string)
    }
    let site = Mapping("Site", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("plugins", plugin, keyedBy: "name")
    }
    // {"id": 1, "plugins": {"git": {"version": "5.2"}, "maven": {}}}

    let json = #"{"id": 1, "plugins": {"git": {"version": "5.2"}, "maven": {}}}"#
    let mapper = Mapper(MemoryStore())
    #expect(try mapper.importJSON(json, as: site)["Plugin"]?.inserted == 2)
    #expect(try mapper.importJSON(json, as: plugin)["Plugin"]?.unchanged == 2)
  }

  @Test func aKeyHasSeveralParts() throws {
    let repository = Mapping("Repository", primaryKey: "id") {
      Attribute("id", .integer)
    }
    let issue = Mapping("Issue", primaryKey: ["repository", "number"]) {
      ToOne("repository", repository)
      Attribute("number", .integer)
      Attribute("title", .string)
    }
    // {"repository": {"id": 5}, "number": 7, "title": "Crash"}

    let store = MemoryStore()
    let mapper = Mapper(store)
    let json = #"[{"repository": {"id": 5}, "number": 7, "title": "Crash"}, {"repository": 5, "number": 7}]"#
    #expect(try mapper.importJSON(json, as: issue)["Issue"]?.inserted == 1)
    let found = try store.read(issue) { try $0.record("Issue", key: [5, 7] as PrimaryKey) }
    #expect(found?["title"] == "Crash")
    #expect(try store.read(issue) { try $0.count(issue.where(Filter("@.repository == 5"))) } == 1)
  }

  @Test func aValueChoosesTheMapping() throws {
    let pushed = Mapping("Push", entity: "Event", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("size", .integer, at: "payload.size")
    }
    let watched = Mapping("Watch", entity: "Event", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("action", .string, at: "payload.action")
    }
    let event = Mapping(
      "AnyEvent",
      kinds: Kinds(
        "type",
        ["PushEvent": .mapping { pushed.definition }, "WatchEvent": .mapping { watched.definition }], otherwise: .skip))
    let pushes = event.where(try Filter(#"@.kind == "Push""#))

    let store = MemoryStore()
    let json = #"""
      [{"id": 1, "type": "PushEvent", "payload": {"size": 3}}, {"id": 2, "type": "WatchEvent"}, {"id": 3, "type": "Other"}]
      """#
    let report = try Mapper(store).importJSON(json, as: event)
    #expect(report["Event"]?.inserted == 2 && report["Event"]?.skipped == 1)
    #expect(try store.read(event) { try $0.keys(pushes) } == [1])
  }

  class Event {
    var id = 0
    var created: Int?

    static let mapping: Mapping<Event> = Mapping(
      Event.self, "AnyEvent", entity: "Event", primaryKey: "id",
      kinds: Kinds("type", ["PushEvent": .mapping(Event.push), "WatchEvent": .mapping(Event.watch)], otherwise: .skip),
      make: { Event() }
    ) {
      Attribute("id", \.id)
      Attribute("created", \.created)
    }
    static let push = Mapping(PushEvent.self, "Push", kindOf: Event.mapping, make: { PushEvent() }) {
      Attribute("size", \.size, at: "payload.size")
    }
    static let watch = Mapping(WatchEvent.self, "Watch", kindOf: Event.mapping, make: { WatchEvent() }) {
      Attribute("action", \.action, at: "payload.action")
    }
  }
  final class PushEvent: Event { var size = 0 }
  final class WatchEvent: Event { var action = "" }

  @Test func eachKindHasASubclass() throws {
    let json = #"""
      [{"id": 1, "type": "PushEvent", "payload": {"size": 3}}, {"id": 2, "type": "WatchEvent"}, {"id": 3, "type": "Other"}]
      """#
    let events = try Event.mapping.objects(from: json)
    for case let push as PushEvent in events { print(push.id, push.size) }

    #expect(events.map { "\(type(of: $0)) \($0.id)" } == ["PushEvent 1", "WatchEvent 2"])
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(json, as: Event.mapping)
    #expect(try store.read { try $0.objects(Event.push) }.map(\.size) == [3])
    try store.withContext(for: Event.mapping) { context in
      let watch = WatchEvent()
      (watch.id, watch.action) = (9, "started")
      try context.insert(watch, as: Event.mapping)
      try context.save()
    }
    #expect(
      try Serializer(Event.mapping).json(of: try store.read { try $0.objects(Event.watch.keys([9])) })
        == #"[{"id":9,"payload":{"action":"started"},"type":"WatchEvent"}]"#)
  }

  final class Place {
    var id = 0
    var latitude = 0.0
    var longitude = 0.0
    var version: String?
    var tags: [String] = []
    var staff: [Employee] = []

    static let mapping = Mapping(Place.self, "Place", primaryKey: "id", make: Place.init) {
      Attribute("id", \.id)
      Attribute("latitude", \.latitude, at: "position[0]")
      Attribute("longitude", \.longitude, at: "position[1]")
      Attribute("version", \.version, at: #"api\.version"#)
      Attribute("tags", \.tags, at: "tags[].name")
      ToMany("staff", \.staff, Employee.mapping, at: "departments[].head")
    }
  }
  // {"id": 1, "position": [51.5, -0.12], "api.version": "2", "tags": [{"name": "old"}, {"name": "red"}],
  //  "departments": [{"head": {"id": 7}}, {"head": {"id": 8}}]}

  final class Employee {
    var id = 0
    var firstName: String?
    var email: String?

    static let mapping = Mapping(
      Employee.self, "Employee", primaryKey: "id", keys: .snakeCase, make: Employee.init
    ) {
      Attribute("id", \.id)
      Attribute("firstName", \.firstName)        // first_name
      Attribute("email", \.email, at: "eMail")   // as it says
    }
  }

  final class Guide {
    var id = 0

    static let mapping = Mapping(Guide.self, "Guide", primaryKey: "id", make: Guide.init) { Attribute("id", \.id) }
  }

  final class Visit {
    var id = 0
    var isPaid = false
    var code = ""
    var seen: Timestamp?
    var counts: [Int] = []
    var guide: Guide?

    static let mapping = Mapping(Visit.self, "Visit", primaryKey: "id", make: Visit.init) {
      Attribute("id", \.id)
      Attribute("isPaid", \.isPaid)
      Attribute("code", \.code)
      Attribute("seen", \.seen, as: .date(.epoch))
      Attribute("counts", \.counts)
      ToOne("guide", \.guide, Guide.mapping)
    }.lenient
  }
  // {"id": "7", "isPaid": 1, "code": 1.50, "seen": "", "counts": ["3", 4.0], "guide": []}

  final class Account {
    var id = 0
    var isActive = true
    var role = "guest"
    var number = Int.random(in: 1...9999)

    static let mapping = Mapping(Account.self, "Account", primaryKey: "id", make: Account.init) {
      Attribute("id", \.id)
      Attribute("isActive", \.isActive)
      Attribute("role", \.role)
      Attribute("number", \.number).default(0)
    }
  }

  @Test func newObjectsHaveDefaults() throws {
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(#"{"id": 1, "role": null}"#, as: Account.mapping)
    let plan = try Account.mapping.plan()
    let record = try store.read(plan) { try $0.record("Account", key: 1) }
    #expect(record?["isActive"] == true)
    #expect(record?["role"] == "guest")
    #expect(record?["number"] == 0)
  }

  @Test func lenientValuesAreRead() throws {
    let json = #"{"id": "7", "isPaid": 1, "code": 1.50, "seen": "", "counts": ["3", 4.0], "guide": []}"#
    let visit = try #require(try Visit.mapping.object(from: json))
    #expect(visit.id == 7 && visit.isPaid && visit.code == "1.50")
    #expect(visit.seen == nil && visit.counts == [3, 4] && visit.guide == nil)
  }

  @Test func keyPathsAndKeyStrategiesFindMembers() throws {
    let json = #"""
      {"id": 1, "position": [51.5, -0.12], "api.version": "2", "tags": [{"name": "old"}, {"name": "red"}],
       "departments": [{"head": {"id": 7, "first_name": "Ada", "eMail": "a@b"}}, {"head": {"id": 8}}]}
      """#
    let place = try Place.mapping.object(from: json)
    #expect(place?.latitude == 51.5)
    #expect(place?.longitude == -0.12)
    #expect(place?.version == "2")
    #expect(place?.tags == ["old", "red"])
    #expect(place?.staff.map(\.id) == [7, 8])
    #expect(place?.staff.first?.firstName == "Ada")
    #expect(place?.staff.first?.email == "a@b")
    if let place {
      #expect(
        try Serializer(Place.mapping).json(of: place)
          == #"{"id":1,"position":[51.5,-0.12],"api.version":"2","tags":[{"name":"old"},{"name":"red"}],"#
          + #""departments":[{"head":{"id":7,"first_name":"Ada","eMail":"a@b"}},{"head":{"id":8}}]}"#)
    }
  }

  @Test func objectsMayBeRows() throws {
    let country = Mapping("Country", primaryKey: "code") {
      Attribute("code", .string, at: "[0]")
      Attribute("name", .string, at: "[1]")
    }
    let flight = Mapping("Flight", rootPath: "states", primaryKey: "id") {
      Attribute("id", .string, at: "[0]")
      Attribute("call", .string, at: "[1]")
      ToOne("origin", country, at: "[2]")
    }
    // {"time": 1458564121, "states": [["3c6444", "DLH9LF", ["DE", "Germany"]], ["4b1806"]]}
    let store = MemoryStore()
    let json = #"{"time": 1458564121, "states": [["3c6444", "DLH9LF", ["DE", "Germany"]], ["4b1806"]]}"#
    _ = try Mapper(store).importJSON(json, as: flight)
    let record = try store.read(Plan(flight)) { try $0.record("Flight", key: "3c6444") }
    #expect(record?["call"] == "DLH9LF")
  }

  @Test func valuesOfOnesOwnAreAttributes() throws {
    let yesOrNo = Transform<Bool>(
      reading: { value in
        switch value.string {
        case "yes": .value(true)
        case "no": .value(false)
        default: throw TransformError("expected yes or no")
        }
      },
      writing: { $0 ? .string("yes") : .string("no") })

    enum Status: String, AttributeValueWithFallback {
      case open, closed, other
      static let fallback = Status.other
    }

    final class Ticket {
      var isPaid = false
      var status = Status.open
    }
    let mapping = Mapping(Ticket.self, "Ticket", make: { Ticket() }) {
      Attribute("isPaid", \.isPaid, transform: yesOrNo)
      Attribute("status", \.status)
    }
    let ticket = try mapping.object(from: #"{"isPaid": "yes", "status": "lost"}"#)
    #expect(ticket?.isPaid == true)
    #expect(ticket?.status == .other)
    if let ticket { #expect(try Serializer(mapping).json(of: ticket) == #"{"isPaid":"yes","status":"other"}"#) }
  }

  @Test func recordsAreReadAndMappingsFoundByName() throws {
    let store = MemoryStore()
    let book = Mapping("Book", rootPath: "catalogue.books", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("title", .string)
      Attribute("height", .number, at: "dimensions.height")
    }

    _ = try Mapper(store).importJSON(
      #"{"catalogue": {"books": [{"id": "dune", "title": "Dune"}]}}"#, as: book)
    let plan = try Plan(book)
    let dune = try store.read(plan) { try $0.record("Book", key: "dune") }
    if case .string(let title)? = dune?["title"] { print(title) }     // Dune
    #expect(Printed.takeLines() == ["Dune"])

    let mappings = MappingSet([Employee.mapping.definition, book.definition])
    let employees = mappings["Employee"]
    let books = try mappings.plan(for: "Book")

    #expect(employees?.name == "Employee")
    #expect(books.root.name == "Book")
  }
}
