#if Postgres
  import FastMapCore
  import FastMapPostgres
  import Foundation
  import Synchronization

  /// 16 writers from 4 processes import into one database and delete there, with the same shelves, notes and readers. For
  /// comparison, one writer does so alone, and 16 with objects of their own.
  enum WriterCampaign {
    static let server = Campaign(
      name: "writers", title: "16 writers from 4 processes on a PostgreSQL server", cases: .count("imports"),
      rule: "no lost update, no torn object, no dangling link; `check` finds a sound store", runsAlone: true
    ) { run in
      let server = try TortureServer()
      try work(run, server.address)
    }

    static let citus = Campaign(
      name: "citus", title: "16 writers from 4 processes on a Citus cluster", cases: .count("imports"),
      rule: "no lost update, no torn object, no dangling link; `check` finds a sound store", runsAlone: true
    ) { run in
      guard let address = ProcessInfo.processInfo.environment["FASTMAP_CITUS"] else {
        Console.note("citus: skipped: FASTMAP_CITUS names no coordinator")
        return
      }
      try work(run, address)
    }

    private static func work(_ run: Run, _ address: String) throws {
      var configuration = PostgresStore.Configuration()
      configuration.maxConnections = 4
      // A cluster may have the schema of an earlier run.
      configuration.schema = "torture_" + String(UInt64.random(in: 0 ... .max), radix: 36)
      defer { TortureServer.drop([configuration.schema], address) }
      let seconds = run.size.isShort ? 3 : min(60, run.size.seconds / 4)
      // The tables are made before, so that the rates measure only writing.
      let (_, preparation) = Child.run(seconds: 60) {
        let store = try PostgresStore(address, configuration: configuration)
        for name in ["Shelf", "Reader"] { _ = try store.prepare(plan(name).schema) }
        return []
      }
      if preparation != .returned { run.violation("the tables: \(preparation)") }
      var expected: Set<Item> = []
      for (name, processes, threads, isApart) in [
        ("by one writer", [0], 1, false), ("by 16 writers", Array(1...4), 4, false),
        ("by 16 writers with objects of their own", Array(5...8), 4, true),
      ] {
        let done = imports(run, processes, threads: threads, isApart, seconds, address, configuration)
        run.add(done.count, to: "imports")
        run.add(done.count / seconds, to: "→ imports a second \(name)")
        expected.formUnion(done.flatMap(\.items))
      }
      let (answer, ending) = Child.run(seconds: 300) { [expected] in
        let store = try PostgresStore(address, configuration: configuration)
        return try Array((fault(in: store, expected) ?? "").utf8)
      }
      if ending != .returned || !answer.isEmpty {
        run.violation("in the end: \(ending) \(String(decoding: answer, as: UTF8.self))")
      }
    }

    /// Removes a schema, which no store does.
    /// An import that was acknowledged: the items that it added, and their shelves.
    private struct Done: Codable {
      var items: [Item]
    }

    private struct Item: Codable, Hashable {
      var shelf: Int64
      var id: Int64
    }

    /// The report of a process.
    private struct Answer: Codable {
      var done: [Done] = []
      var repeats = 0
      var surrenders = 0
      var errors: [String] = []
    }

    /// Runs processes for some seconds.
    ///
    /// - Returns: The imports that they acknowledge.
    private static func imports(
      _ run: Run, _ processes: [Int], threads: Int, _ isApart: Bool, _ seconds: Int, _ address: String,
      _ configuration: PostgresStore.Configuration
    ) -> [Done] {
      let children = processes.map { number in
        Child.start { descriptor in
          alarm(UInt32(seconds + 120))
          let answer = Process(number, run.seed, threads, isApart, seconds).run(address, configuration)
          Child.write((try? Array(JSONEncoder().encode(answer))) ?? [], to: descriptor)
        }
      }
      var done: [Done] = []
      for child in children {
        var bytes: [UInt8] = []
        Child.read(child.output) { bytes += $0 }
        let ending = Child.wait(for: child.process)
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(bytes)), ending == .returned
        else {
          run.violation("a process: \(ending)")
          continue
        }
        for error in answer.errors { run.violation(error) }
        run.add(answer.repeats, to: "repeats after a conflict")
        run.add(answer.surrenders, to: "imports that had too many conflicts")
        done += answer.done
      }
      return done
    }

    private static let mappings = """
      {"fastmap": 1, "mappings": {
        "Shelf": {
          "primaryKey": "id",
          "attributes": {"id": "integer", "writer": "integer", "serial": "integer", "stamp": "string"},
          "relationships": {
            "items": {"mapping": "Item", "toMany": true, "policy": "merge"},
            "notes": {"mapping": "Note", "toMany": true, "policy": "replace"}
          }
        },
        "Item": {"primaryKey": "id", "attributes": {"id": "integer", "shelf": "integer"}},
        "Note": {"primaryKey": "id", "attributes": {"id": "integer"}},
        "Reader": {
          "primaryKey": "id", "attributes": {"id": "integer"},
          "relationships": {"likes": {"mapping": "Note", "toMany": true}}
        }
      }}
      """

    private static func plan(_ name: String) throws -> Plan {
      try MappingSet(file: Array(mappings.utf8)).plan(for: name)
    }

    /// One of the processes.
    private final class Process: Sendable {
      private let number: Int
      private let seed: UInt64
      private let threads: Int
      private let isApart: Bool
      private let seconds: Int
      private let answer = Mutex(Answer())

      init(_ number: Int, _ seed: UInt64, _ threads: Int, _ isApart: Bool, _ seconds: Int) {
        (self.number, self.seed, self.threads) = (number, seed, threads)
        (self.isApart, self.seconds) = (isApart, seconds)
      }

      func run(_ address: String, _ configuration: PostgresStore.Configuration) -> Answer {
        do {
          let store = try PostgresStore(address, configuration: configuration)
          let (shelf, reader) = (try plan("Shelf"), try plan("Reader"))
          let ends = (0..<threads).map { thread in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
              do { try self.write(self.number * 100 + thread, store, shelf, reader) } catch {
                self.answer.withLock { $0.errors.append("writer \(thread): \(type(of: error)): \(error)") }
              }
              done.signal()
            }
            return done
          }
          for end in ends { end.wait() }
        } catch { answer.withLock { $0.errors.append("\(error)") } }
        return answer.withLock { $0 }
      }

      private func write(_ writer: Int, _ store: PostgresStore, _ shelf: Plan, _ reader: Plan) throws {
        var random = SeededNumbers(seed: seed, case: writer)
        let end = ContinuousClock.now + .seconds(seconds)
        // The first number of its shelves, notes and readers.
        let first = isApart ? writer * 1000 : 0
        var serial = 0
        while ContinuousClock.now < end {
          serial += 1
          var done = Done(items: [])
          let text: String
          if random.once(in: 12) {
            let note = PrimaryKey.integer(Int64(first + random.next(below: 60)))
            try patiently {
              _ = try store.delete(reader.query(of: "Note").keys([note]))
              return 1
            }
            answer.withLock { $0.done.append(done) }
            continue
          }
          if random.once(in: 3) {
            let likes = (0..<3).map { _ in "{\"id\": \(first + random.next(below: 60))}" }
            text =
              "{\"id\": \(first + random.next(below: 20)), \"likes\": [\(likes.joined(separator: ", "))]}"
          } else {
            let shelves = (0...random.next(below: 3)).map { place in
              let item = Item(
                shelf: Int64(first + random.next(below: 8)),
                id: Int64(writer) * 10_000_000 + Int64(serial) * 10 + Int64(place))
              done.items.append(item)
              let notes = (0..<random.next(below: 3)).map { _ in "{\"id\": \(first + random.next(below: 60))}"
              }
              return """
                {"id": \(item.shelf), "writer": \(writer), "serial": \(serial), "stamp": "\(writer) \(serial)", \
                "items": [{"id": \(item.id), "shelf": \(item.shelf)}], "notes": [\(notes.joined(separator: ", "))]}
                """
            }
            text = "[\(shelves.joined(separator: ",\n"))]"
          }
          let plan = done.items.isEmpty ? reader : shelf
          try patiently { try Mapper(store).importJSON(Array(text.utf8), as: plan).attempts }
          let ended = done
          answer.withLock { $0.done.append(ended) }
        }
      }

      /// Works until the conflicts let it through.
      ///
      /// - Parameter work: Returns the number of attempts.
      private func patiently(_ work: () throws -> Int) throws {
        while true {
          do {
            let attempts = try work()
            answer.withLock { $0.repeats += attempts - 1 }
            return
          } catch is ConflictError { answer.withLock { $0.surrenders += 1 } }
        }
      }
    }

    /// The first violation in the store; nil if there is none.
    private static func fault(in store: PostgresStore, _ expected: Set<Item>) throws -> String? {
      if let problem = try store.check().problems.first { return "check: \(problem)" }
      let shelf = try plan("Shelf")
      var found: Set<Item> = []
      let fault: String? = try store.read(shelf.schema) { reader in
        let schema = shelf.schema
        func entity(_ name: String) throws -> Int {
          guard let entity = schema.entity(named: name) else { throw OddStore(description: "no \(name)") }
          return entity
        }
        func field(_ name: String, of entity: Int) throws -> Int {
          guard let field = schema.entities[entity].fields.firstIndex(where: { $0.name == name }) else {
            throw OddStore(description: "no \(name)")
          }
          return field
        }
        func objects(_ name: String) throws -> [ObjectID: PrimaryKey] {
          var objects: [ObjectID: PrimaryKey] = [:]
          try reader.forEachObject(of: entity(name), keys: nil, isDescending: false) { _, id, key in
            objects[id] = key
            return true
          }
          return objects
        }
        let (shelves, items, notes) = (try objects("Shelf"), try objects("Item"), try objects("Note"))
        let number = try entity("Shelf")
        for (id, key) in shelves {
          guard case .integer(let place) = key else { return "a shelf with the key \(key)" }
          var row = RowBuffer()
          guard try reader.read(id, of: number, into: &row) else { return "shelf \(key) has no row" }
          guard case .integer(let writer) = row.row[try field("writer", of: number)].value,
            case .integer(let serial) = row.row[try field("serial", of: number)].value,
            case .string(let stamp) = row.row[try field("stamp", of: number)].value,
            stamp == "\(writer) \(serial)"
          else { return "shelf \(key) is torn" }
          for item in try reader.targets(of: [id], entity: number, field: field("items", of: number)).first
            ?? []
          {
            guard case .integer(let item)? = items[item] else { return "shelf \(key) has a dangling item" }
            guard found.insert(Item(shelf: place, id: item)).inserted else {
              return "shelf \(key) has item \(item) twice"
            }
          }
          let targets = try reader.targets(of: [id], entity: number, field: field("notes", of: number))
          if targets.joined().contains(where: { notes[$0] == nil }) {
            return "shelf \(key) has a dangling note"
          }
        }
        return nil
      }
      if let fault { return fault }
      if let lost = expected.subtracting(found).first {
        return "\(expected.subtracting(found).count) updates are lost: \(lost)"
      }
      if let odd = found.subtracting(expected).first { return "an item that nobody added: \(odd)" }
      let plan = try plan("Reader")
      return try store.read(plan.schema) { reader in
        guard let number = plan.schema.entity(named: "Reader"), let note = plan.schema.entity(named: "Note"),
          let field = plan.schema.entities[number].fields.firstIndex(where: { $0.name == "likes" })
        else { return "no Reader" }
        var notes: Set<ObjectID> = []
        try reader.forEachObject(of: note, keys: nil, isDescending: false) { _, id, _ in
          notes.insert(id)
          return true
        }
        var owners: [ObjectID] = []
        try reader.forEachObject(of: number, keys: nil, isDescending: false) { _, id, _ in
          owners.append(id)
          return true
        }
        let targets = try reader.targets(of: owners, entity: number, field: field)
        return targets.joined().contains { !notes.contains($0) }
          ? "a reader likes a note that is not there" : nil
      }
    }
  }
#endif
