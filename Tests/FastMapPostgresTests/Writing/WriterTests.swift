#if Postgres
  import FastMapCore
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  extension ImportReport {
    /// All entities together.
    fileprivate var total: Counts {
      entities.reduce(into: Counts()) { sum, row in
        sum.inserted += row.counts.inserted
        sum.updated += row.counts.updated
        sum.deleted += row.counts.deleted
      }
    }
  }

  @Suite(.needsServer) struct WriterTests {
    private let place: TestStores
    private let store: PostgresStore

    init() throws {
      place = try TestStores()
      store = try place.open()
    }

    private static func books(_ count: Int, title: String, tags: Int = 2) -> String {
      let books = (0..<count).map { book in
        let tags = (0..<tags).map { #"{"id": \#(book * tags + $0), "t": "tag"}"# }.joined(separator: ",")
        return
          #"{"id": \#(book), "t": "\#(title) \#(book)", "a": {"id": \#(book % 10), "n": "x"}, "tags": [\#(tags)]}"#
      }
      return "[" + books.joined(separator: ",") + "]"
    }

    @Test("Equal values of any type are not written, and different ones are")
    func differences() throws {
      let mapping = Mapping("Thing", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("number", .number, at: "n")
        Attribute("whole", .integer, at: "i")
        Attribute("any", .json, at: "j")
        Attribute("text", .string, at: "s")
        Attribute("flag", .boolean, at: "b")
      }
      let plan = try Plan(mapping)
      let mapper = Mapper(store)
      func updated(_ members: String) throws -> Int {
        // Without the fingerprints, so that the server compares.
        try? place.execute("UPDATE \"Thing\" SET fastmap_fingerprint = NULL")
        return try mapper.importJSON("[{\"id\": 1, \(members)}]", as: plan).total.updated
      }
      _ = try updated(#""n": 0.0, "i": 1, "j": {"a": 1.0, "b": []}, "s": "a\u0000b", "b": true"#)
      #expect(try updated(#""n": 0.0, "i": 1, "j": {"a": 1.0, "b": []}, "s": "a\u0000b", "b": true"#) == 0)
      #expect(try updated(#""n": -0.0"#) == 1)
      #expect(try updated(#""n": -0.0"#) == 0)
      #expect(try updated(#""j": {"b": [], "a": 1.0}"#) == 1)
      #expect(try updated(#""j": {"b": [], "a": 1.0}"#) == 0)
      #expect(try updated(#""j": {"b": [], "a": 1}"#) == 1)
      #expect(try updated(#""i": 9223372036854775807"#) == 1)
      #expect(try updated(#""s": "a\u0000c""#) == 1)
      #expect(try updated(#""b": null"#) == 1)
      #expect(try updated(#""b": null"#) == 0)
    }

    @Test("A dry run counts its changes, and adds nothing to the store")
    func dryRun() throws {
      let plan = try Plan(Fixture.book())
      let text = Self.books(20, title: "a")
      let report = try Mapper(store).importJSON(text, as: plan, options: .dry)
      #expect((report["Book"]?.inserted, report["Author"]?.inserted) == (20, 10))
      #expect(try store.read(plan.schema) { try $0.count(of: 0) } == 0)
      #expect(
        try place.rows("SELECT ARRAY[count(*)::text] FROM pg_namespace WHERE nspname = '\(place.schema)'")
          == ["0"])
    }

    @Test("Leftovers are taken once their import has ended, and not before")
    func leftovers() throws {
      let plan = try Plan(Fixture.book())
      _ = try Mapper(store).importJSON(Self.books(1, title: "a"), as: plan)
      let other = try place.open()
      func taken(of keeper: AnyObject? = nil) throws -> [Leftover] {
        try other.write(plan.schema) { .rollBack(try $0.claimLeftovers(of: keeper)) }
      }
      let tag = try #require(plan.schema.entity(named: "Tag"))
      let id = try #require(try store.read(plan.schema) { try $0.find(1, of: tag) })
      let leftover = Leftover(id: id, entity: tag, isOwned: false, deletesShared: false)
      var keeper = try store.write(plan.schema) {
        .commit(try $0.keepLeftovers([leftover, leftover], of: nil))
      }
      #expect(keeper != nil)
      #expect(try taken() == [])
      keeper = nil
      #expect(try taken() == [leftover])
      #expect(try taken() == [leftover])  // it was rolled back
      #expect(try other.write(plan.schema) { .commit(try $0.claimLeftovers(of: nil)) } == [leftover])
      #expect(try taken() == [])
      #expect(try place.rows("SELECT ARRAY[count(*)::text] FROM fastmap_import") == ["0"])
    }

    @Test("An import whose lease has expired makes a new one, and keeps its later leftovers")
    func expiredLease() throws {
      let plan = try Plan(Fixture.book())
      _ = try Mapper(store).importJSON(Self.books(1, title: "a"), as: plan)
      let other = try place.open()
      func leftover(_ id: UInt64) -> Leftover {
        Leftover(id: ObjectID(rawValue: id), entity: 0, isOwned: false, deletesShared: false)
      }
      func taken() throws -> [Leftover] {
        try other.write(plan.schema) { .rollBack(try $0.claimLeftovers(of: nil)) }
      }
      func expire() throws {
        try place.execute("UPDATE fastmap_import SET expires = now() - interval '1 second'")
      }
      var keeper = try store.write(plan.schema) { .commit(try $0.keepLeftovers([leftover(7)], of: nil)) }
      #expect(try taken() == [])
      try expire()
      #expect(try taken() == [leftover(7)])
      let lease = try #require(keeper as? ImportLease)
      try lease.renew()
      #expect(try taken() == [])
      // Another write has taken all, and the row with it.
      try expire()
      #expect(try other.write(plan.schema) { .commit(try $0.claimLeftovers(of: nil)) }.count == 1)
      try lease.renew()
      keeper = try store.write(plan.schema) { .commit(try $0.keepLeftovers([leftover(9)], of: keeper)) }
      #expect(try taken() == [])
      #expect(try store.write(plan.schema) { .commit(try $0.claimLeftovers(of: keeper)) } == [])
      keeper = nil
      #expect(try place.rows("SELECT ARRAY[count(*)::text] FROM fastmap_leftover") == ["0"])
    }

    @Test("A process that ends without a word leaves a lease that expires")
    func abandonedLease() throws {
      let plan = try Plan(Fixture.book())
      _ = try Mapper(store).importJSON(Self.books(1, title: "a"), as: plan)
      let leftover = Leftover(id: ObjectID(rawValue: 7), entity: 0, isOwned: false, deletesShared: false)
      let keeper = try store.write(plan.schema) { .commit(try $0.keepLeftovers([leftover], of: nil)) }
      let seconds = try place.rows(
        "SELECT ARRAY[(extract(epoch FROM expires - now()) BETWEEN 50 AND 61)::text] FROM fastmap_import")
      #expect(seconds == ["true"])
      withExtendedLifetime(keeper) {}
    }

    @Test("An import in several commits needs one connection")
    func singleConnection() throws {
      let plan = try Plan(Fixture.book())
      let store = try place.open { $0.maxConnections = 1 }
      _ = try Mapper(store).importJSON(Self.books(1, title: "a"), as: plan)
      let leftover = Leftover(id: ObjectID(rawValue: 7), entity: 0, isOwned: false, deletesShared: false)
      var keeper = try store.write(plan.schema) { .commit(try $0.keepLeftovers([leftover], of: nil)) }
      #expect(try place.rows("SELECT ARRAY[count(*)::text] FROM fastmap_leftover") == ["1"])
      #expect(try store.write(plan.schema) { .commit(try $0.claimLeftovers(of: keeper)) } == [])
      keeper = nil
      #expect(try place.rows("SELECT ARRAY[count(*)::text] FROM fastmap_import") == ["0"])
    }

    @Test("A statement that was prepared before a column came is prepared again")
    func outdatedPlans() throws {
      let store = try place.open {
        $0.preparesStatements = true
        $0.maxConnections = 1
      }
      let small = try Plan(Mapping("Thing", primaryKey: "id") { Attribute("id", .integer) })
      let large = try Plan(
        Mapping("Thing", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("more", .string, at: "m")
        })
      for id in 0..<3 {
        _ = try Mapper(store).importJSON(#"[{"id": \#(id)}]"#, as: small)
        _ = try Mapper(store).importJSON(#"[{"id": \#(id), "m": "x"}]"#, as: large)
      }
      #expect(try place.rows("SELECT ARRAY[more] FROM \"Thing\"") == ["x", "x", "x"])
    }
  }
#endif
