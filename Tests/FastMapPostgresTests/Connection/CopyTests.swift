#if Postgres
  import FastMapCore
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct CopyTests {
    private let schema: TestSchema

    init() throws {
      schema = try TestSchema()
      try schema.execute(
        "CREATE TABLE \(schema.name).a (id bigint PRIMARY KEY, name text)",
        "CREATE TABLE \(schema.name).b (id bigint PRIMARY KEY, list bigint[])")
    }

    private func statement(_ table: String) -> String {
      "COPY \(schema.name).\(table) FROM STDIN (FORMAT binary)"
    }

    @Test("Rows of several tables take one trip and one for each table")
    func severalTables() throws {
      try schema.pool.write { connection in
        _ = try connection.run(Statement("SELECT 1"))
        let before = connection.trips
        let counts = try connection.copyIn([statement("a"), statement("b")]) { table, writer in
          for number in 0..<100_000 {
            try writer.beginRow(columns: 2)
            writer.fields.int8(Int64(number))
            if table == 1 || number % 3 == 0 {
              writer.fields.null()
            } else {
              writer.fields.text("name \(number)")
            }
          }
        }
        #expect(counts == [100_000, 100_000])
        #expect(connection.trips == before + 3)
        return .commit(())
      }
      #expect(try schema.numbers("SELECT count(name) FROM \(schema.name).a") == [66_666])
      #expect(try schema.numbers("SELECT count(*) FROM \(schema.name).b") == [100_000])
      #expect(try schema.numbers("SELECT sum(id)::bigint FROM \(schema.name).a") == [4_999_950_000])
    }

    @Test("An error of the rows' source ends the COPY, and nothing is written")
    func failingSource() throws {
      struct Stopped: Error {}
      #expect(throws: Stopped.self) {
        try schema.pool.write { connection in
          try connection.copyIn([statement("a"), statement("b")]) { table, writer in
            try writer.beginRow(columns: 2)
            writer.fields.int8(1)
            writer.fields.null()
            if table == 1 { throw Stopped() }
          }
          return .commit(())
        }
      }
      #expect(try schema.numbers("SELECT count(*) FROM \(schema.name).a") == [0])
    }

    @Test("An error of the server ends the COPY with its code, and the connection stays of use")
    func failingServer() throws {
      let error = #expect(throws: PostgresError.self) {
        try schema.pool.outsideTransactions { connection in
          try connection.copyIn([statement("a"), statement("b")]) { _, writer in
            for _ in 0..<2 {
              try writer.beginRow(columns: 2)
              writer.fields.int8(1)
              writer.fields.null()
            }
          }
        }
      }
      #expect((error?.code, error?.context) == ("23505", "COPY a, line 2"))
      #expect(error.map { "\($0)".contains(", in COPY a, line 2. Key (id)=(1) already exists.") } == true)
      #expect(try schema.numbers("SELECT 7::bigint") == [7])
    }
  }
#endif
