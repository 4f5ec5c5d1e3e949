#if Postgres
  import FastMapCore
  import FastMapSystem
  import Synchronization
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Writers of the same few objects.
  @Suite(.needsServer, .serialized) struct WriteQueueTests {
    @Test("After their first conflicts, writers of the same objects line up, and none gives up")
    func hotObjects() throws {
      let place = try TestStores()
      let plan = try Plan(
        Mapping("Shelf", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("n", .integer)
          ToMany("items", Mapping("Item", primaryKey: "id") { Attribute("id", .integer) }, policy: .merge)
        })
      let stores = try (0..<2).map { _ in try place.open() }
      _ = try Mapper(stores[0]).importJSON(#"[{"id":0},{"id":1},{"id":2}]"#, as: plan)
      let attempts = Mutex<[Int]>([])
      let works = (0..<8).map { writer in
        ThreadWork { [store = stores[writer % 2]] in
          for serial in 0..<15 {
            let text = (0..<3).map {
              #"{"id":\#($0),"n":\#(writer * 100 + serial),"items":[{"id":\#(writer * 1000 + serial * 10 + $0)}]}"#
            }
            let report = try Mapper(store).importJSON("[\(text.joined(separator: ","))]", as: plan)
            attempts.withLock { $0.append(report.attempts) }
          }
        }
      }
      for work in works { try work.value() }
      let found = attempts.withLock(\.self)
      #expect(found.count == 120)
      #expect(found.filter { $0 == 1 }.count >= 70, "\(found)")
      #expect(try stores[0].read(plan.schema) { try $0.count(of: 1) } == 360)
      #expect(try stores[1].check().problems == [])
    }

    /// `FASTMAP_TIMES` has the seconds. Prints the rates. `FASTMAP_POSTGRES` may name a coordinator of Citus.
    @Test(
      "Sixteen writers of eight objects go on for minutes, and none gives up",
      .enabled(if: getenv("FASTMAP_TIMES") != nil), arguments: [false, true])
    func sixteenWriters(hasUniqueIndex: Bool) throws {
      let seconds = getenv("FASTMAP_TIMES").flatMap { Int(String(cString: $0)) } ?? 10
      let place = try TestStores()
      let item = Mapping("Item", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("code", .integer)
        if hasUniqueIndex { Index("code", isUnique: true) }
      }
      let plan = try Plan(
        Mapping("Shelf", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("n", .integer)
          ToMany("items", item, policy: .merge)
        })
      let stores = try (0..<4).map { _ in try place.open { $0.maxConnections = 4 } }
      _ = try stores[0].prepare(plan.schema)
      let attempts = Mutex<[Int]>([])
      let end = ContinuousClock.now + .seconds(seconds)
      let works = (0..<16).map { writer in
        ThreadWork { [store = stores[writer % 4]] in
          var serial = 0
          while ContinuousClock.now < end {
            let shelves = (0..<8).shuffled().prefix(.random(in: 1...4)).map { shelf in
              serial += 1
              let id = writer * 1_000_000 + serial
              return #"{"id":\#(shelf),"n":\#(serial),"items":[{"id":\#(id),"code":\#(id)}]}"#
            }
            let report = try Mapper(store).importJSON("[\(shelves.joined(separator: ","))]", as: plan)
            attempts.withLock { $0.append(report.attempts) }
          }
        }
      }
      for work in works { try work.value() }
      let found = attempts.withLock(\.self)
      let first = found.filter { $0 == 1 }.count
      print(
        "\(hasUniqueIndex ? "with" : "without") a unique index: \(found.count / seconds) imports a second, \(first) of"
          + " \(found.count) at the first attempt, most \(found.max() ?? 0)")
      #expect(try stores[0].check().problems == [])
    }

    @Test("A queue is left after some writes, and after a wait that is too long")
    func queue() {
      let queue = WriteQueue()
      #expect(!queue.isUsed)
      queue.conflicted(inQueue: false, isTimeOut: false)
      for _ in 0..<8 {
        #expect(queue.isUsed)
        queue.succeeded(inQueue: true)
      }
      #expect(!queue.isUsed)
      queue.conflicted(inQueue: false, isTimeOut: true)
      #expect(queue.isUsed)
      queue.conflicted(inQueue: true, isTimeOut: true)
      #expect(!queue.isUsed)
    }

    @Test("A write that waits in the queue for too long runs beside it")
    func longWait() throws {
      let place = try TestStores()
      let plan = try Plan(Mapping("O", primaryKey: "id") { Attribute("id", .integer) })
      let store = try place.open { $0.lockTimeout = .milliseconds(100) }
      _ = try Mapper(store).importJSON(#"[{"id":1}]"#, as: plan)
      store.queue.conflicted(inQueue: false, isTimeOut: false)
      try place.open().pool.outsideTransactions { connection in
        try connection.execute(
          "BEGIN", "LOCK TABLE \(place.schema).fastmap_import IN SHARE UPDATE EXCLUSIVE MODE")
        let report = try Mapper(store).importJSON(#"[{"id":2}]"#, as: plan)
        #expect(report.attempts == 2)
        try connection.execute("ROLLBACK")
      }
    }
  }
#endif
