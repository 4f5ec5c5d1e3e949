// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import FastMapMemory
import TestSupport
import Testing

@Suite("ImportingJSON.md", .printing)
struct ImportingTests {
  final class Person {
    var id = 0
    var name: String?
    var email: String?
    var isAdmin: Bool?
    var fullName = ""

    static let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("email", \.email)
      Attribute("isAdmin", \.isAdmin)
    }
  }

  static let bytes = Array(#"[{"id": 314, "name": "Ada"}, {"id": 7, "name": "Charles"}]"#.utf8)

  @Test func everyFormOfInputIsImported() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        try write(#"[{"id": 1}, {"id": 2}]"#, to: "people.json")
        try write("{\"id\": 2}\n{\"id\": 3}\n", to: "people.ndjson")
        let store = MemoryStore()
        let mapper = Mapper(store)
        let whole = try mapper.importJSON(.file("people.json"), as: Person.mapping)
        let lines = try mapper.importJSON(.file("people.ndjson"), as: Person.mapping)     // one object a line

        var options = ImportOptions()
        options.rootPath = "result.people"
        let wrapped = #"{"result": {"people": [{"id": 4, "name": "Mary"}]}}"#
        let report = try mapper.importJSON(wrapped, as: Person.mapping, options: options)

        #expect(whole["Person"] == .init(inserted: 2, stubs: 2))
        #expect(lines["Person"] == .init(inserted: 1, unchanged: 1, stubs: 1))
        try write(#"[{"id": 5}]"#, to: "page-1.json")
        try write("{\"id\": 6}\n", to: "page-2.ndjson")
        let pages = try mapper.importJSON(.files(["page-1.json", "page-2.ndjson"]), as: Person.mapping)
        #expect(pages["Person"] == .init(inserted: 2, stubs: 2))
        for row in report.entities {
          print(row.entity, row.counts.inserted, row.counts.updated, row.counts.unchanged, row.counts.deleted)
        }
        #expect(Printed.takeLines() == ["Person 1 0 0 0"])
      }
    }
  }

  @Test func unreadMembersAreCountedOrIgnored() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let json = #"[{"id": 1, "discount": 5, "meta": {}}, {"id": 2, "discount": 0}]"#
        let plain = Mapping("Order", primaryKey: "id") { Attribute("id", .integer) }
        let report = try Mapper(MemoryStore()).importJSON(json, as: plain)
        for found in report.unread { print(found.member, found.objects, found.paths[0]) }   // Order.discount 40 $[0].discount
        #expect(Printed.takeLines() == ["Order.discount 2 $[0].discount", "Order.meta 1 $[0].meta"])

        let order = Mapping("Order", primaryKey: "id", ignores: ["discount", "meta.etag"]) {
          Attribute("id", .integer)
        }
        #expect(try Mapper(MemoryStore()).importJSON(json, as: order).unread.map(\.member) == ["Order.meta"])
      }
    }
  }

  @Test func everythingIsImportedWithAwait() async {
    await #expect(processExitsWith: .success) {
      try await inEmptyDirectory(awaiting: {
        try write(#"[{"id": 1}, {"id": 2}]"#, to: "people.json")
        let store = MemoryStore()
        let plan = try Person.mapping.plan()
        let imported = try await Mapper(store).importJSON(.file("people.json"), as: plan)
        #expect(imported["Person"] == .init(inserted: 2, stubs: 2))
      })
    }
  }

  @Test func chunksAreImportedAsTheyArrive() async {
    await #expect(processExitsWith: .success) {
      try await inEmptyDirectory(awaiting: {
        let store = MemoryStore()
        let plan = try Person.mapping.plan()
        let body = AsyncStream<[UInt8]> { continuation in
          for chunk in [#"[{"id": 31"#, #"4, "name": "Ada"}, {"i"#, #"d": 7}]"#] { continuation.yield(Array(chunk.utf8)) }
          continuation.finish()
        }
        let streamed = try await Mapper(store).importJSON(body, as: plan)
        print(streamed.rootObjects)                // 2
        #expect(Printed.takeLines() == ["2"])
      })
    }
  }

  @Test func instancesAreMadeAndFilled() throws {
    let bytes = Self.bytes
    let people = try Person.mapping.objects(from: bytes)
    let ada = try Person.mapping.object(from: #"{"id": 314}"#)

    #expect(people.map(\.id) == [314, 7])
    #expect(ada?.id == 314)
    let draft = Person()
    draft.name = "Grace"
    try Person.mapping.fill(draft, from: #"{"id": 12, "email": "grace@example.org"}"#)
    print(draft.id, draft.name ?? "")          // 12 Grace

    #expect(Printed.takeLines() == ["12 Grace"])
    #expect(draft.email == "grace@example.org")
  }

  @Test func optionsSayHowItIsDone() throws {
    let store = MemoryStore()
    let mapper = Mapper(store)
    let bytes = Self.bytes
    var careful = ImportOptions()
    careful.isDryRun = true                    // the report, and no change
    let preview = try mapper.importJSON(bytes, as: Person.mapping, options: careful)

    var large = ImportOptions()
    large.commitInterval = 100_000             // not one transaction, but one for so many root objects
    large.faults = .skip                       // see Errors

    #expect(preview["Person"]?.inserted == 2)

    careful.onChange = { change in
      print(change.kind, change.entity, change.key ?? 0)        // inserted Person 12
      for field in change.fields { print(field.name, field.before, field.after) }
    }
    _ = try mapper.importJSON(bytes, as: Person.mapping, options: careful)

    var all = ImportOptions()
    all.replaces = .all                        // all objects of the root entity
    let people = try mapper.importJSON(bytes, as: Person.mapping, options: all)

    var some = ImportOptions()
    some.replaces = .matching(try Filter("@.id < 100"))   // objects that fulfil the condition before the import

    #expect(people["Person"]?.inserted == 2)
    #expect(try (mapper.importJSON("[]", as: Person.mapping, options: some)["Person"]?.deleted ?? 0) < 2)
    #expect(try mapper.importJSON("[]", as: Person.mapping, options: all).errors.isEmpty)

    let issue = Mapping("Issue", primaryKey: "id", newerBy: "updated_at") {
      Attribute("id", .integer)
      Attribute("updated_at", .date(.iso8601))
      Attribute("title", .string)
    }
    let versions = #"[{"id": 1, "updated_at": "2026-02-01"}, {"id": 1, "updated_at": "2026-01-01", "title": "old"}]"#
    _ = try mapper.importJSON(versions, as: issue)
    #expect(try mapper.importJSON(versions, as: issue)["Issue"]?.unchanged == 1)
    #expect(try store.read { try $0.objects(Person.mapping) }.isEmpty)
    #expect(try mapper.importJSON(bytes, as: Person.mapping, options: large)["Person"]?.inserted == 2)
  }

  @Test func anObjectThatSaysSoIsDeleted() throws {
    let account = Mapping("Account", primaryKey: "id", deletedBy: "deleted") {
      Attribute("id", .integer)
      Attribute("deleted", .boolean)
      Attribute("name", .string)
    }

    let store = MemoryStore()
    _ = try Mapper(store).importJSON(#"[{"id": 7, "name": "a"}, {"id": 8, "name": "b"}]"#, as: account)
    let report = try Mapper(store).importJSON(#"{"id": 7, "deleted": true}"#, as: account)
    #expect(report["Account"]?.deleted == 1)
    #expect(try store.read { try $0.keys(Plan(account).query) } == [8])
  }

  @Test func transformsServeEveryPropertyOfAType() throws {
    let store = MemoryStore()
    var transforms = Transforms()
    transforms.use(
      Transform<Bool>(reading: { value in
        switch value.string {
        case "yes": .value(true)
        case "no": .value(false)
        default: throw TransformError("expected yes or no")
        }
      }))
    let lenient = Mapper(store, transforms: transforms)
    _ = try lenient.importJSON(#"{"id": 314, "isAdmin": "yes"}"#, as: Person.mapping)

    #expect(try store.read { try $0.object(Person.mapping, key: 314) }?.isAdmin == true)
  }

  @Test func progressIsShownAndCancels() async throws {
    let mapper = Mapper(MemoryStore())
    let bytes = Self.bytes
    let progress = ImportProgress()
    var observed = ImportOptions()
    observed.progress = progress

    let listener = Task { [updates = progress.updates] in
      for await step in updates { print(step.bytes, "of", step.totalBytes) }
    }
    _ = try await mapper.importJSON(bytes, as: Person.mapping, options: observed)
    await listener.value
    print(progress.current.bytes == bytes.count)     // true

    let lines = Printed.takeLines()
    #expect(lines.last == "true")
    #expect(lines.dropLast().last == "\(bytes.count) of \(bytes.count)")
  }

  // What the page uses of swift-log, swift-metrics and swift-distributed-tracing, which FastMap does not depend on.
  struct Logger: Sendable {
    init(label: String) {}
    func info(_ text: String) { print("info") }
    func notice(_ text: String) { print("notice") }
    func warning(_ text: String) { print("warning") }
    func error(_ text: String) { print(text) }
  }
  struct Counter: Sendable {
    init(label: String) {}
    func increment(by count: Int) { print(count) }
  }
  struct Timer: Sendable {
    init(label: String) {}
    func record(duration: Duration) { print("commit") }
  }
  struct Span: Sendable {
    func recordError(_ error: any Error) { print("error") }
    func end() { print("end") }
  }
  static func startSpan(_ name: String) -> Span { Span() }

  @Test func theStepsOfAnImportAreForwarded() throws {
    let mapper = Mapper(MemoryStore())
    let bytes = Array(#"[{"id": 1}, {"id": 2}]"#.utf8)
    func startSpan(_ name: String) -> Span { Self.startSpan(name) }
    let logger = Logger(label: "import")                       // import Logging
    let objects = Counter(label: "import.objects")             // import Metrics
    let commits = Timer(label: "import.commits")
    let span = startSpan("import")                             // import Tracing

    var watched = ImportOptions()
    watched.observer = { event in
      switch event {
      case .began(let mapping): logger.info("importing \(mapping)")
      case .batch(let count, _, _): objects.increment(by: count)
      case .committed(_, let time): commits.record(duration: time)
      case .conflict(let error): logger.warning("\(error.map { "\($0)" } ?? "values are not unique")")
      case .retrying(let number): logger.notice("retry \(number)")
      case .ended(.success(let report)): logger.info("\(report.rootObjects) root objects in \(report.duration)")
      case .ended(.failure(let error)):
        span.recordError(error)
        logger.error("\((error as? any FastMapError)?.code ?? "other"): \(error)")
      }
    }
    _ = try mapper.importJSON(bytes, as: Person.mapping, options: watched)
    span.end()

    #expect(Printed.takeLines() == ["info", "2", "commit", "info", "end"])
    #expect(throws: MappingError.self) {
      try mapper.importJSON(#"[{"id": "x"}]"#, as: Person.mapping, options: watched)
    }
    let failure = Printed.takeLines()
    #expect(failure.dropLast() == ["info", "error"] && failure.last?.hasPrefix("unexpected-value: ") == true)
  }

  final class FullNames: ImportDelegate {
    func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      guard let person = object.instance as? Person else { return }
      person.fullName = [representation["first"]?.string, representation["last"]?.string]
        .compactMap(\.self).joined(separator: " ")
    }
  }

  @Test func aDelegateIsCalledAsThePageSays() throws {
    var told = ImportOptions()
    told.delegate = FullNames()
    let json = #"{"id": 7, "first": "Charles", "last": "Babbage"}"#
    let charles = try Person.mapping.object(from: json, options: told)
    print(charles?.fullName ?? "")             // Charles Babbage

    #expect(Printed.takeLines() == ["Charles Babbage"])
  }
}
