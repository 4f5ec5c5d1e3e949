#if Postgres
  import FastMapCore
  import FastMapStoreTesting
  import FastMapSystem
  import Synchronization
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Writes that the server ends with 40001 or 40P01, because of other writers or of a trigger that refuses them.
  @Suite(.needsServer) struct ConflictStormTests {
    private let place: TestStores
    private let store: PostgresStore
    private let plan: Plan

    init() throws {
      place = try TestStores()
      store = try place.open { $0.maxConnections = 16 }
      let note = Mapping("Note", primaryKey: "id") { Attribute("id", .integer) }
      let item = Mapping("Item", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("name", .string)
      }
      plan = try Plan(
        Mapping("Shelf", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .string)
          ToMany("items", item, policy: .merge)
          ToMany("notes", note, policy: .replace)
        })
      let shelves = (0..<6).map { #"{"id":\#($0),"name":"start","items":[],"notes":[{"id":\#($0)}]}"# }
      _ = try Mapper(store).importJSON("[\(shelves.joined(separator: ","))]", as: plan)
    }

    private func export() throws -> String { try store.exported(plan, as: .ndjson) }

    /// The locks on the tables of the store that transactions hold now.
    private func locks() throws -> [String] {
      try place.rows(
        """
        SELECT ARRAY[l.mode || ' ' || c.relname] FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE c.relnamespace = current_schema()::regnamespace AND l.mode <> 'SIReadLock'
          AND a.backend_type = 'client backend' AND a.datname = current_database()
        """)
    }

    private func expectSound(_ location: SourceLocation = #_sourceLocation) throws {
      let report = try store.check()
      #expect(report.isSound, "\(report.problems)", sourceLocation: location)
    }

    // MARK: Other writers

    /// Each import is two shelves in an order of its own, and with `batchSize` 1 it locks them in that order.
    @Test(arguments: [nil, 1] as [Int?])
    func writersOfTheSameObjectsAllSucceedAndLoseNothing(_ batchSize: Int?) throws {
      let (store, plan) = (store, plan)
      let rounds = 12
      let writers = (0..<6).map { writer in
        ThreadWork {
          var random = Random(seed: UInt64(writer))
          let options = ImportOptions(
            batchSize: batchSize, retries: RetryPolicy(attempts: 200, longestDelay: .milliseconds(40)))
          var added: [String] = []
          for round in 0..<rounds {
            let shelves = [0, 1, 2].shuffled(using: &random).prefix(2).map { shelf in
              let item = writer * 10_000 + round * 10 + shelf
              added.append("\(shelf) \(item)")
              let note = Int.random(in: 0..<8, using: &random)
              return """
                {"id":\(shelf),"name":"\(item)","items":[{"id":\(item),"name":"\(item)"}],"notes":[{"id":\(note)}]}
                """
            }
            _ = try Mapper(store).importJSON(
              "[\(shelves.joined(separator: ","))]", as: plan, options: options)
          }
          return added
        }
      }
      let added = try writers.flatMap { try $0.value() }
      #expect(added.count == 6 * rounds * 2)
      let found = try store.read(plan) { reader in
        try reader.records("Shelf").flatMap { shelf in
          try reader.records("items", of: shelf).map { item in
            "\(shelf.key.map { "\($0)" } ?? "-") \(item.key.map { "\($0)" } ?? "-")"
          }
        }
      }
      #expect(found.sorted() == added.sorted())
      try expectSound()
    }

    /// Another transaction has a row until an attempt waits for it, or longer than all attempts.
    @Test(arguments: [1, 2, nil] as [Int?])
    func aWaitForALockThatEndsIsRepeatedLikeAConflict(_ heldAttempts: Int?) throws {
      let impatient = try place.open { $0.lockTimeout = .milliseconds(50) }
      let before = try export()
      let attempts = Mutex(0)
      try store.pool.outsideTransactions { holder in
        try holder.execute("BEGIN", "SELECT FROM \(place.schema).\"Shelf\" WHERE id = 1 FOR UPDATE")
        var options = ImportOptions(retries: RetryPolicy(attempts: 3, firstDelay: .zero))
        // Called in each attempt once the update was sent.
        options.onProgress = { _ in
          let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
          }
          if let heldAttempts, attempt == heldAttempts + 1 { try? holder.execute("ROLLBACK") }
        }
        let imported = Result {
          try Mapper(impatient).importJSON(#"{"id":1,"name":"late"}"#, as: plan, options: options)
        }
        if let heldAttempts {
          #expect(try imported.get().attempts == heldAttempts + 1)
        } else {
          try holder.execute("ROLLBACK")
          let error = #expect(throws: ConflictError.self) { try imported.get() }
          #expect(error?.reason.contains("canceling statement due to lock timeout (55P03)") == true)
          #expect(attempts.withLock(\.self) == 3)
          try #expect(export() == before)
        }
      }
      try expectSound()
    }

    /// Another writer commits each time between the import's reads and its writes.
    @Test(arguments: [1, 2, 5])
    func anImportIsRepeatedAsOftenAsItsObjectsChangeBehindIt(_ count: Int) throws {
      let (store, plan) = (store, plan)
      let calls = Mutex(0)
      let meddledStore = ObservedStore(store) { question in
        guard question.kind == .apply else { return }
        let call = calls.withLock { calls in
          calls += 1
          return calls - 1
        }
        guard call < count else { return }
        let work = ThreadWork {
          try Mapper(store).importJSON(
            #"{"id":1,"name":"meddler \#(call)","items":[{"id":\#(call)}]}"#, as: plan)
        }
        _ = try work.value()
      }
      let options = ImportOptions(retries: RetryPolicy(attempts: 5, firstDelay: .milliseconds(1)))
      let text = #"{"id":1,"name":"import","items":[{"id":100}],"notes":[{"id":7}]}"#
      let imported = Result { try Mapper(meddledStore).importJSON(text, as: plan, options: options) }
      let meddled = (0..<count).map { #"{"id":\#($0)}"# }
      let line = try export().split(separator: "\n")[1]
      if count < 5 {
        let report = try imported.get()
        #expect(report.attempts == count + 1)
        #expect(report["Note"]?.deleted == 1)
        let items = (meddled + [#"{"id":100}"#]).joined(separator: ",")
        #expect(line == #"{"id":1,"name":"import","items":[\#(items)],"notes":[{"id":7}]}"#)
      } else {
        let error = #expect(throws: ConflictError.self) { try imported.get() }
        #expect(error?.reason.contains("(40001)") == true, "\(String(describing: error))")
        let items = meddled.joined(separator: ",")
        #expect(line == #"{"id":1,"name":"meddler 4","items":[\#(items)],"notes":[{"id":1}]}"#)
      }
      try expectSound()
    }

    /// Another session has locked the import's second object, and then waits for its first one. The server ends the
    /// import, which looks for deadlocks sooner. The next attempt may overtake the other session, and meet it again.
    @Test(arguments: [1, 10])
    func anImportInADeadlockIsRepeated(_ attempts: Int) throws {
      let schema = try TestSchema()
      let pool = schema.pool
      let (name, shelf) = (place.schema, #""\#(place.schema)"."Shelf""#)
      let isFirstLocked = Flag()
      let isSecondWanted = Flag()
      let other = ThreadWork {
        defer { isFirstLocked.set() }
        try pool.outsideTransactions { connection in
          try connection.execute(
            "BEGIN", "SET LOCAL deadlock_timeout = '1min'",
            "UPDATE \(shelf) SET name = 'other', fastmap_fingerprint = NULL WHERE id = 2")
          isFirstLocked.set()
          isSecondWanted.wait()
          try connection.execute(
            "UPDATE \(shelf) SET name = 'other', fastmap_fingerprint = NULL WHERE id = 1", "COMMIT")
        }
      }
      isFirstLocked.wait()
      let place = place
      let delegate = Meddler {
        isSecondWanted.set()
        let waiting = """
          SELECT ARRAY[count(*)::text] FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE "\(name)"."Shelf" SET name = ''other''%id = 1'
          """
        for _ in 0..<20_000 {
          guard try place.rows(waiting) == ["0"] else { return }
          usleep(1000)
        }
      }
      let options = ImportOptions(
        batchSize: 1, retries: RetryPolicy(attempts: attempts, firstDelay: .milliseconds(1)),
        delegate: delegate)
      let imported = Result {
        try Mapper(store).importJSON(
          #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#, as: plan, options: options)
      }
      isSecondWanted.set()
      try other.value()
      let names = try self.place.rows(#"SELECT ARRAY[name] FROM "Shelf" WHERE id IN (1, 2) ORDER BY id"#)
      if attempts > 1 {
        #expect(try imported.get().attempts >= 2)
        #expect(names == ["a", "b"])
      } else {
        let error = #expect(throws: ConflictError.self) { try imported.get() }
        #expect(error?.reason.contains("(40P01)") == true, "\(String(describing: error))")
        #expect(names == ["other", "other"])
      }
      try expectSound()
    }

    // MARK: A trigger that refuses

    struct Storm: Sendable, CustomTestStringConvertible {
      let code: String
      /// Whether the error comes from COMMIT.
      let isInCommit: Bool
      let testDescription: String

      static let all = [
        Storm(code: "40001", isInCommit: false, testDescription: "40001 from a statement"),
        Storm(code: "40P01", isInCommit: false, testDescription: "40P01 from a statement"),
        Storm(code: "40001", isInCommit: true, testDescription: "40001 from COMMIT"),
        Storm(code: "40P01", isInCommit: true, testDescription: "40P01 from COMMIT"),
      ]
    }

    /// Lets the server refuse writes of a shelf so many times. A sequence counts them, which no rollback takes back.
    private func refuse(_ count: Int, _ storm: Storm, ofShelf key: Int) throws {
      let kind = storm.isInCommit ? "CONSTRAINT TRIGGER storm AFTER" : "TRIGGER storm BEFORE"
      try place.execute(
        "CREATE SEQUENCE calls",
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('\(place.schema).calls') <= \(count) THEN
            RAISE EXCEPTION 'a storm' USING ERRCODE = '\(storm.code)';
          END IF;
          RETURN NEW;
        END $$
        """,
        """
        CREATE \(kind) INSERT OR UPDATE ON "Shelf" \(storm.isInCommit ? "DEFERRABLE INITIALLY DEFERRED" : "")
        FOR EACH ROW WHEN (NEW.id = \(key)) EXECUTE FUNCTION refuse()
        """)
    }

    private func refusals() throws -> String {
      try place.rows("SELECT ARRAY[last_value::text] FROM calls").first ?? ""
    }

    private static let change = """
      [{"id":0,"name":"new","items":[{"id":1}],"notes":[{"id":9}]},{"id":2,"name":"new"},{"id":9,"name":"added"}]
      """

    @Test(arguments: Storm.all, [2, 9])
    func aWriteThatTheServerRefusedForAWhileIsStoredOnce(_ storm: Storm, _ key: Int) throws {
      try refuse(3, storm, ofShelf: key)
      let options = ImportOptions(retries: RetryPolicy(firstDelay: .milliseconds(1)))
      let report = try Mapper(store).importJSON(Self.change, as: plan, options: options)
      #expect(report.attempts == 4)
      #expect(summary(report) == "Shelf +1 ~2, Item +1, Note +1 -1")
      #expect(try locks() == [])
      #expect(try refusals() == "4")
      let lines = try export().split(separator: "\n")
      #expect(lines.count == 7)
      #expect(lines[0] == #"{"id":0,"name":"new","items":[{"id":1}],"notes":[{"id":9}]}"#)
      try expectSound()
    }

    @Test(arguments: Storm.all, [2, 9])
    func theLastAttemptThrowsAndNothingHalfDoneStays(_ storm: Storm, _ key: Int) throws {
      let before = try export()
      try refuse(1000, storm, ofShelf: key)
      let options = ImportOptions(retries: RetryPolicy(attempts: 4, firstDelay: .milliseconds(1)))
      let error = #expect(throws: ConflictError.self) {
        try Mapper(store).importJSON(Self.change, as: plan, options: options)
      }
      #expect(try locks() == [])
      #expect(error?.reason.contains("a storm (\(storm.code))") == true, "\(String(describing: error))")
      #expect(try refusals() == "4")
      #expect(try export() == before)
      try expectSound()
      try place.execute(#"DROP TRIGGER storm ON "Shelf""#)
      #expect(try Mapper(store).importJSON(Self.change, as: plan).attempts == 1)
    }

    /// In several commits, committed objects stay, and the next import deletes the objects that they unlinked.
    @Test(arguments: Storm.all)
    func anImportInSeveralCommitsKeepsThoseBeforeTheLastAttempt(_ storm: Storm) throws {
      try refuse(1000, storm, ofShelf: 4)
      let options = ImportOptions(
        commitInterval: 2, retries: RetryPolicy(attempts: 3, firstDelay: .milliseconds(1)))
      let text =
        "[\((0..<6).map { #"{"id":\#($0),"name":"b","notes":[{"id":\#($0 + 10)}]}"# }.joined(separator: ","))]"
      #expect(throws: ConflictError.self) { try Mapper(store).importJSON(text, as: plan, options: options) }
      #expect(try locks() == [])
      #expect(try refusals() == "3")
      let names = try place.rows(#"SELECT ARRAY[name] FROM "Shelf" ORDER BY id"#)
      #expect(names == ["b", "b", "b", "b", "start", "start"])
      try expectSound()
      try place.execute(#"DROP TRIGGER storm ON "Shelf""#)
      let report = try Mapper(store).importJSON(text, as: plan, options: options)
      #expect(report.attempts == 1)
      #expect(try place.rows(#"SELECT ARRAY[id::text] FROM "Note" ORDER BY id"#) == (10..<16).map { "\($0)" })
      #expect(try place.rows("SELECT ARRAY[count(*)::text] FROM fastmap_leftover") == ["0"])
      try expectSound()
    }

    @Test(arguments: Storm.all)
    func aTransactionOfAnotherMomentIsTheOnlyOneThatIsRepeated(_ storm: Storm) throws {
      try refuse(2, storm, ofShelf: 4)
      var options = ImportOptions(commitInterval: 2, retries: RetryPolicy(firstDelay: .milliseconds(1)))
      let calls = Mutex<[Int]>([])
      options.onProgress = { progress in calls.withLock { $0.append(progress.rootObjects) } }
      let text = "[\((0..<6).map { #"{"id":\#($0),"name":"b"}"# }.joined(separator: ","))]"
      let report = try Mapper(store).importJSON(text, as: plan, options: options)
      #expect(report.attempts == 3)
      #expect(summary(report) == "Shelf ~6")
      #expect(calls.withLock(\.self).last == 6)
      #expect(calls.withLock { $0.filter { $0 == 2 }.count } == 1)
    }

    @Test func aDeletionIsRepeatedToo() throws {
      try place.execute(
        "CREATE SEQUENCE calls",
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('\(place.schema).calls') <= 3 THEN RAISE EXCEPTION 'a storm' USING ERRCODE = '40001'; END IF;
          RETURN OLD;
        END $$
        """,
        #"CREATE TRIGGER storm BEFORE DELETE ON "Shelf" FOR EACH ROW EXECUTE FUNCTION refuse()"#)
      #expect(try store.delete(plan.query(of: "Shelf").keys([3])).total == 2)
      #expect(try refusals() == "4")
      #expect(try export().split(separator: "\n").count == 5)
      try expectSound()
    }
  }
#endif
