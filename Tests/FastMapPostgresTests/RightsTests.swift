#if Postgres
  import FastMapCore
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// One by one: a test takes a right on the database from all roles.
  @Suite(.needsServer, .serialized) struct RightsTests {
    private let stores: TestStores
    private let role: String
    private let plan: Plan

    init() throws {
      stores = try TestStores()
      role = stores.schema + "_role"
      plan = try Plan(PreparationTests.person)
      _ = try stores.open().prepare(plan.schema)
      try stores.execute("CREATE ROLE \(role) LOGIN PASSWORD 'secret'")
    }

    private func withStore(_ body: (PostgresStore) throws -> Void) throws {
      defer { try? stores.execute("DROP OWNED BY \(role)", "DROP ROLE \(role)") }
      try body(stores.open(as: role))
    }

    private func expect(_ words: [String], _ body: () throws -> Void) {
      let error = #expect(throws: PostgresError.self) { try body() }
      for word in words {
        #expect(error.map { "\($0)".contains(word) } ?? false, "\(word): \(String(describing: error))")
      }
      #expect(error?.code == "42501")
    }

    @Test("A role without rights gets an error that names right and table")
    func reading() throws {
      try withStore { store in
        let read = { try store.read(plan.schema) { _ = try $0.count(of: 0) } }
        expect(["the role \"\(role)\"", "USAGE on the schema"], read)
        try stores.execute("GRANT USAGE ON SCHEMA \(stores.schema) TO \(role)")
        expect(["SELECT on the table", "\"fastmap_store\""], read)
        try stores.execute(
          "GRANT SELECT ON fastmap_store, fastmap_entity, fastmap_field, fastmap_index TO \(role)")
        expect(["SELECT on the table", "\"Person\"", "\"Person_friends\""], read)
        try stores.execute("GRANT SELECT ON ALL TABLES IN SCHEMA \(stores.schema) TO \(role)")
        try read()
        // Nothing is missing, so there is nothing to add.
        #expect(try store.prepare(plan.schema) == [])
      }
    }

    @Test("A dry run needs no right to write, and counts as the import does")
    func dryRun() throws {
      let people = #"[{"id":1,"name":"a","friends":[{"id":2}]},{"id":3,"name":"c"}]"#
      let changed = #"[{"id":1,"name":"b","friends":[{"id":4}]},{"id":3,"name":"c"},{"id":3,"name":"d"}]"#
      try withStore { _ in
        let owner = try stores.open()
        _ = try Mapper(owner).importJSON(people, as: plan)
        try stores.execute(
          "GRANT USAGE ON SCHEMA \(stores.schema) TO \(role)",
          "GRANT SELECT ON ALL TABLES IN SCHEMA \(stores.schema) TO \(role)")
        let reader = try stores.open(as: role) { $0.isDryRun = true }
        let before = try owner.exported(plan)
        let dry = try Mapper(reader).importJSON(changed, as: plan, options: .dry)
        #expect(try owner.exported(plan) == before)
        let deleted = try reader.delete(plan.keys([1]), isDryRun: true)
        #expect(deleted.total == 1)
        let report = try Mapper(owner).importJSON(changed, as: plan)
        #expect(summary(dry) == summary(report))
      }
    }

    @Test("A dry run that may not copy the tables names the right that it lacks, and not one to write")
    func dryRunWithoutTemporary() throws {
      let database = try stores.rows("SELECT ARRAY[quote_ident(current_database())]")[0]
      try stores.execute("REVOKE TEMPORARY ON DATABASE \(database) FROM PUBLIC")
      defer { try? stores.execute("GRANT TEMPORARY ON DATABASE \(database) TO PUBLIC") }
      try withStore { _ in
        try stores.execute(
          "GRANT USAGE ON SCHEMA \(stores.schema) TO \(role)",
          "GRANT SELECT ON ALL TABLES IN SCHEMA \(stores.schema) TO \(role)")
        let reader = try stores.open(as: role) { $0.isDryRun = true }
        expect(["lacks TEMPORARY on the database \"\(Self.unquoted(database))\" (42501)"]) {
          _ = try Mapper(reader).importJSON(#"[{"id":1}]"#, as: plan, options: .dry)
        }
      }
    }

    private static func unquoted(_ name: String) -> String { name.replacing("\"", with: "") }

    @Test("A role that may not make or alter tables gets an error that names the missing right")
    func preparing() throws {
      try withStore { store in
        let other = try Plan(Mapping("Other") { Attribute("text", .string) })
        try stores.execute(
          "GRANT USAGE ON SCHEMA \(stores.schema) TO \(role)",
          "GRANT SELECT, UPDATE, INSERT ON ALL TABLES IN SCHEMA \(stores.schema) TO \(role)")
        expect(["the role \"\(role)\"", "CREATE on the schema", "prepare the store: fastmap prepare"]) {
          _ = try store.prepare(other.schema)
        }
        try stores.execute("GRANT CREATE ON SCHEMA \(stores.schema) TO \(role)")
        _ = try store.prepare(other.schema)
        let larger = try Plan(
          Mapping("Person", primaryKey: "id") {
            Attribute("id", .integer)
            Attribute("more", .string)
          })
        expect(["owner", "\"Person\""]) { _ = try store.prepare(larger.schema) }
        let elsewhere = try stores.open(as: role) { $0.schema = stores.schema + "_2" }
        expect(["CREATE on the database"]) { _ = try elsewhere.prepare(other.schema) }
      }
    }
  }

  extension TestStores {
    /// Opens the store as another role of the same server.
    func open(
      as role: String, _ configure: (inout PostgresStore.Configuration) -> Void = { _ in }
    ) throws -> PostgresStore {
      var configuration = PostgresStore.Configuration.with { $0.schema = schema }
      configure(&configuration)
      let connection = Cluster.connection ?? ""
      let separator = connection.contains("?") ? "&" : "?"
      return try PostgresStore(
        "\(connection)\(separator)user=\(role)&password=secret", configuration: configuration)
    }
  }
#endif
