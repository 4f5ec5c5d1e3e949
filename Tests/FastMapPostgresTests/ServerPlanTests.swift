#if Postgres
  import FastMapCore
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// How a server finds the objects of a filter.
  @Suite struct ServerPlanTests {
    @Test(
      "A plan names its indexes, and none if it reads a whole table or a whole index",
      arguments: [
        (["Limit", "  ->  Index Scan using a on t", "        Index Cond: (x = 1)"], ["a"]),
        (
          [
            "Sort", "  ->  Bitmap Heap Scan on t", "        ->  Bitmap Index Scan on \"A b\"",
            "              Index Cond: (x = 1)",
          ], ["A b"]
        ),
        (
          [
            "Nested Loop", "  ->  Index Only Scan using a on l", "        Index Cond: (x = 1)",
            "  ->  Index Scan Backward using b on t", "        Index Cond: (y = l.x)", "        Filter: z",
          ], ["a", "b"]
        ),
        (["Limit", "  ->  Index Scan using a on t", "        Filter: (x = 1)"], []),
        (["Seq Scan on t", "  Filter: (x = 1)"], []),
        (
          [
            "Nested Loop", "  ->  Seq Scan on l", "  ->  Index Scan using b on t",
            "        Index Cond: (y = l.x)",
          ], []
        ),
        (
          [
            "Nested Loop", "  ->  Index Scan using a on l", "  ->  Index Scan using b on t",
            "        Index Cond: (y = l.x)",
          ], []
        ),
      ] as [([String], [String])])
    func indexes(_ lines: [String], _ names: [String]) {
      #expect(PostgresReader.indexes(inPlan: lines) == names)
    }

    @Test("The server tests filters about the targets of a list", .needsServer)
    func lists() throws {
      let place = try TestStores()
      let part = Mapping("Part") {
        Attribute("size", .integer)
        Attribute("name", .string)
      }
      let tag = Mapping("Tag", primaryKey: "id") { Attribute("id", .integer) }
      let plan = try Plan(
        Mapping("Book", primaryKey: "id") {
          Attribute("id", .integer)
          ToMany("parts", part)
          ToMany("tags", tag)
        })
      let store = try place.open()
      let books = (1...60).map {
        #"{"id":\#($0),"parts":[{"size":\#($0),"name":"a"},{"name":"b"}],"tags":[\#($0 % 3)]}"#
      }
      _ = try Mapper(store).importJSON("[\(books.joined(separator: ",")),{\"id\":99}]", as: plan)
      for (text, count, isTested) in [
        ("@.parts[?@.size > 58]", 2, true), ("@.parts[?@.size > 58 && @.name == 'b']", 0, true),
        ("@.tags[?@.id == 1]", 20, true), ("!@.parts[*]", 1, true),
        ("@.parts[?@.size == 1 || @.name == 'b'] && !@.tags[?@.id == 2]", 40, true),
        ("@.parts[1]", 60, false),
        ("@.parts[?search(@.name, 'b')]", 60, false),
      ] as [(String, Int, Bool)] {
        let query = plan.where(try Filter(text))
        let found = try store.read(plan) { try $0.explain(query) }
        #expect(found.found == count, "\(text): \(found)")
        #expect((found.conditions.testedByStore > 0) == isTested, "\(text): \(found)")
      }
    }
  }
#endif
