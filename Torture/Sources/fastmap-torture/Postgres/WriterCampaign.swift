#if Postgres
  import FastMapCore
  import FastMapPostgres
  import Foundation
  import Synchronization

  /// 16 writers from 4 processes import into one database, with the same shelves, notes and readers.
  enum WriterCampaign {
    static let server = Campaign(
      name: "writers", title: "16 writers from 4 processes on a PostgreSQL server", cases: .count("imports"),
      rule: "no lost update, no torn object, no dangling link", runsAlone: true
    ) { run in
      let server = try TortureServer()
      try work(run, server.address)
    }

    static let citus = Campaign(
      name: "citus", title: "16 writers from 4 processes on a Citus cluster", cases: .count("imports"),
      rule: "no lost update, no torn object, no dangling link", runsAlone: true
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
      configuration.schema = "torture_\(String(run.seed, radix: 36))"
      let seconds = run.size.isShort ? 3 : min(60, run.size.seconds / 3)
      // The schema is made by one, so that the rates are those of writing.
      let alone = imports(run, [0], threads: 1, seconds, address, configuration)
      run.add(alone.count, to: "imports")
      run.add(alone.count / seconds, to: "→ imports a second by one writer")
      let together = imports(run, Array(1...4), threads: 4, seconds, address, configuration)
      run.add(together.count, to: "imports")
      run.add(together.count / seconds, to: "→ imports a second by 16 writers")

      let expected = Set((alone + together).flatMap(\.items))
      let (answer, ending) = Child.run(seconds: 300) {
        let store = try PostgresStore(address, configuration: configuration)
        return try Array((fault(in: store, expected) ?? "").utf8)
      }
      if ending != .returned || !answer.isEmpty {
        run.violation("in the end: \(ending) \(String(decoding: answer, as: UTF8.self))")
      }
    }

    /// An import that was acknowledged: the items that it added, and their shelves.
    private struct Done: Codable {
      var items: [Item]
    }

    private struct Item: Codable, Hashable {
      var shelf: Int64
      var id: Int64
    }

    /// What a process reports.
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
      _ run: Run, _ processes: [Int], threads: Int, _ seconds: Int, _ address: String,
      _ configuration: PostgresStore.Configuration
    ) -> [Done] {
      let children = processes.map { number in
        Child.start { descriptor in
          alarm(UInt32(seconds + 120))
          let answer = Process(number, run.seed, threads, seconds).run(address, configuration)
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
      private let seconds: Int
      private let answer = Mutex(Answer())

      init(_ number: Int, _ seed: UInt64, _ threads: Int, _ seconds: Int) {
        (self.number, self.seed, self.threads, self.seconds) = (number, seed, threads, seconds)
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
        var serial = 0
        while ContinuousClock.now < end {
          serial += 1
          var done = Done(items: [])
          let text: String
          if random.once(in: 3) {
            let likes = (0..<3).map { _ in "{\"id\": \(random.next(below: 60))}" }
            text = "{\"id\": \(random.next(below: 20)), \"likes\": [\(likes.joined(separator: ", "))]}"
          } else {
            let shelves = (0...random.next(below: 3)).map { place in
              let item = Item(
                shelf: Int64(random.next(below: 8)),
                id: Int64(writer) * 10_000_000 + Int64(serial) * 10 + Int64(place))
              done.items.append(item)
              let notes = (0..<random.next(below: 3)).map { _ in "{\"id\": \(random.next(below: 60))}" }
              return """
                {"id": \(item.shelf), "writer": \(writer), "serial": \(serial), "stamp": "\(writer) \(serial)", \
                "items": [{"id": \(item.id), "shelf": \(item.shelf)}], "notes": [\(notes.joined(separator: ", "))]}
                """
            }
            text = "[\(shelves.joined(separator: ",\n"))]"
          }
          try bring(text, store, done.items.isEmpty ? reader : shelf)
          let ended = done
          answer.withLock { $0.done.append(ended) }
        }
      }

      /// Imports until the conflicts let it through.
      private func bring(_ text: String, _ store: PostgresStore, _ plan: Plan) throws {
        while true {
          do {
            let report = try Mapper(store).importJSON(Array(text.utf8), as: plan)
            answer.withLock { $0.repeats += report.attempts - 1 }
            return
          } catch is ConflictError { answer.withLock { $0.surrenders += 1 } }
        }
      }
    }

    /// The first violation in the store; nil if there is none.
    private static func fault(in store: PostgresStore, _ expected: Set<Item>) throws -> String? {
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
          try reader.forEach(of: entity(name), keys: nil) { _, id, key in
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
        try reader.forEach(of: note, keys: nil) { _, id, _ in
          notes.insert(id)
          return true
        }
        var owners: [ObjectID] = []
        try reader.forEach(of: number, keys: nil) { _, id, _ in
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
