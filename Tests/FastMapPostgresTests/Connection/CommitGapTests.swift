#if Postgres
  import FastMapCore
  import FastMapPostgres
  import FastMapStoreTesting
  import TestSupport
  import Testing

  /// An import in several commits. A second store deletes objects between them that the first one keeps by number.
  @Suite(.needsServer) struct CommitGapTests {
    /// PostgreSQL, and Citus if there is a cluster.
    private static let addresses = [Cluster.connection, Cluster.citus].compactMap(\.self)

    enum Gap: CaseIterable {
      /// Somebody deletes the objects.
      case deletion
      /// The import has not renewed its lease in time. So another import takes its leftovers, and deletes them.
      case expiredLease
    }

    private static let plan = Result {
      let line = Mapping("Line") { Attribute("text", .string) }
      let other = Mapping("Other", entity: "Page", primaryKey: "id") {
        Attribute("id", .integer, at: .wholeValue)
      }
      return try Plan(
        Mapping("Page", primaryKey: "id") {
          Attribute("id", .integer)
          ToMany("lines", line)
          ToMany("next", other, policy: .custom { $0.new }, isWeak: true)
        })
    }

    @Test(arguments: addresses, Gap.allCases)
    func nothingThatIsGoneIsLinked(_ address: String, _ gap: Gap) throws {
      let plan = try Self.plan.get()
      let place = try TestStores(at: address)
      let (first, second) = (try place.open(), try place.open())
      _ = try Mapper(first).importJSON(
        #"[{"id":1,"lines":[{"text":"a"},{"text":"b"}]},{"id":5}]"#, as: plan)
      let store = ObservedStore(first) { _ in
      } afterCommit: { number in
        guard number == 1 else { return }
        if gap == .deletion {
          try second.delete(plan.query(of: "Line"))
          try second.delete(plan.query(of: "Page").keys([5]))
        } else {
          try place.execute("UPDATE fastmap_import SET expires = now() - interval '1 second'")
          _ = try Mapper(second).importJSON(#"{"id":9}"#, as: plan)
          try #expect(second.read(plan) { try $0.records("Line").count } == 0)
        }
      }
      let payload = """
        [{"id":1,"lines":[],"next":[5,2]},{"id":1,"lines":[{"text":"y"},{"text":"z"},{"text":"w"}]},{"id":2}]
        """
      let report = try Mapper(store).importJSON(payload, as: plan, options: .committing(every: 1))
      #expect(store.commits >= 3)
      #expect(report["Line"]?.inserted == 3)
      let text = try first.exported(plan)
      let next = gap == .deletion ? "[2]" : "[5,2]"
      #expect(
        text.hasPrefix(#"[{"id":1,"lines":[{"text":"y"},{"text":"z"},{"text":"w"}],"next":\#(next)},"#),
        "\(text)")
      #expect(try first.check().problems == [])
      #expect(try place.rows("SELECT ARRAY[count(*)::text] FROM fastmap_leftover") == ["0"])
    }
  }
#endif
