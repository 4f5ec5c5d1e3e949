#if Postgres
  import FastMapCore
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Data beyond the limits of the server.
  @Suite(.needsServer) struct LimitTests {
    private static let wide = Mapping("Wide", primaryKey: "id") {
      Attribute("id", .integer)
      for number in 0..<1100 { Attribute("f\(number)", .number) }
    }

    /// Objects whose rows no page takes.
    private func objects(_ ids: Range<Int>) -> String {
      let members = (0..<1100).map { #""f\#($0)":1.5"# }.joined(separator: ",")
      return "[" + ids.map { #"{"id":\#($0),\#(members)}"# }.joined(separator: ",") + "]"
    }

    private func expectLimit(_ store: PostgresStore, _ payload: String) {
      let error = #expect(throws: PostgresError.self) {
        try Mapper(store).importJSON(payload, as: Self.wide)
      }
      #expect((error?.code, error?.table) == ("54000", "Wide"))
      #expect(
        error?.message.hasPrefix("the entity Wide exceeds a limit of PostgreSQL: row is too big") ?? false)
      #expect(error?.hint == "docs/SCALING.md has the limits of a table.")
    }

    @Test("A row that no page takes names its entity, in an INSERT, a COPY and an UPDATE")
    func rows() throws {
      let stores = try TestStores()
      let store = try stores.open()
      expectLimit(store, objects(0..<1))
      expectLimit(store, objects(0..<600))
      _ = try Mapper(store).importJSON(#"[{"id":0},{"id":1}]"#, as: Self.wide)
      expectLimit(store, objects(0..<1))
      #expect(try store.read(Plan(Self.wide).schema) { try $0.count(of: 0) } == 2)
    }

    @Test("Columns of another program count for the limit of a table, and its error names the entity")
    func columns() throws {
      let stores = try TestStores()
      let store = try stores.open()
      _ = try Mapper(store).importJSON(
        #"[{"id":0}]"#, as: Mapping("Wide", primaryKey: "id") { Attribute("id", .integer) })
      let columns = (0..<600).map { "ADD COLUMN theirs_\($0) int" }.joined(separator: ", ")
      try stores.execute(#"ALTER TABLE "Wide" \#(columns)"#)
      let error = #expect(throws: PostgresError.self) {
        try Mapper(store).importJSON(#"[{"id":0}]"#, as: Self.wide)
      }
      #expect(error?.table == "Wide")
      #expect(
        error?.message
          == "the entity Wide exceeds a limit of PostgreSQL: tables can have at most 1600 columns")
    }

    @Test("A key that is too long says how many bytes it has, and how many it takes")
    func keys() throws {
      let stores = try TestStores()
      let word = Mapping("Word", primaryKey: "id") { Attribute("id", .string) }
      for (key, words) in [
        (String(repeating: "x", count: 2601), "found one of 2601 bytes"),
        (
          String(repeating: #"\u0001"#, count: 1400), "found one of 1400 bytes, which take 2800 in PostgreSQL"
        ),
      ] {
        let text = message { _ = try Mapper(stores.open()).importJSON(#"{"id":"\#(key)"}"#, as: word) }
        #expect(
          text?.contains("expected a key of at most 2600 bytes, \(words)") ?? false, "\(text ?? "none")")
      }
    }
  }
#endif
