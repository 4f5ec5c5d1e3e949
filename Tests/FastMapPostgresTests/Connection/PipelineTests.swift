#if Postgres
  import FastMapSystem
  import FastMapCore
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct PipelineTests {
    @Test("Each type of a parameter comes back as it was sent")
    func types() throws {
      try TestSchema().pool.outsideTransactions { connection in
        var parameters = Parameters()
        parameters.boolean(true)
        parameters.int4(-7)
        parameters.int8(.min)
        parameters.float8(-0.0)
        parameters.text("Größe \u{1F600}")
        [0, 255, 39].withUnsafeBytes { parameters.bytes($0) }
        parameters.null()
        parameters.text("")
        let statement = Statement(
          "SELECT $1, $2, $3, $4, $5, $6, $7, $8", .boolean, .int4, .int8, .float8, .text, .bytea, .int8,
          .text)
        let answer = try connection.run(statement, parameters)
        #expect((answer.rowCount, answer.columnCount) == (1, 8))
        #expect(answer.boolean(0, 0))
        #expect(answer.int4(0, 1) == -7)
        #expect(answer.int8(0, 2) == .min)
        #expect(answer.float8(0, 3).sign == .minus)
        #expect((answer.text(0, 4), answer.bytes(0, 5).count) == ("Größe \u{1F600}", 24))
        #expect(answer.isNull(0, 6))
        #expect(!answer.isNull(0, 7))
        #expect(answer.text(0, 7).isEmpty)
      }
    }

    @Test("Arrays are sent and received, with nulls, and empty ones too")
    func arrays() throws {
      try TestSchema().pool.outsideTransactions { connection in
        let texts = ArrayColumn(of: .text)
        texts.append { $0.text("a") }
        texts.null()
        texts.append { $0.text("") }
        let numbers = ArrayColumn([1, -1, .max])
        let statement = Statement(
          "SELECT array_agg(n)::text, array_agg(t ORDER BY n)::text, ($3::bigint[])::text "
            + "FROM unnest($1, $2) AS r(n, t)", .int8.array, .text.array, .int8.array)
        let answer = try connection.run(statement, Parameters(numbers, texts, ArrayColumn([Int64]())))
        #expect(answer.text(0, 0) == "{1,-1,9223372036854775807}")
        #expect(answer.text(0, 1) == "{NULL,a,\"\"}")
        #expect(answer.text(0, 2) == "{}")
      }
    }

    @Test("Statements that are sent together take one trip, and their answers may be read in any order")
    func oneTrip() throws {
      try TestSchema().pool.outsideTransactions { connection in
        let before = connection.trips
        let tickets = try (0..<100).map { number in
          var parameters = Parameters()
          parameters.int8(Int64(number))
          return try connection.send(Statement("SELECT $1 * 2", .int8), parameters)
        }
        for (number, ticket) in tickets.enumerated().reversed() {
          #expect(try connection.answer(to: ticket).int8(0, 0) == Int64(number) * 2)
        }
        #expect(connection.trips == before + 1)
      }
    }

    @Test(
      "An error ends the rest of its pipeline, and the next pipeline works", arguments: [false, true])
    func errors(prepares: Bool) throws {
      let schema = try TestSchema { $0.preparesStatements = prepares }
      try schema.pool.outsideTransactions { connection in
        for _ in 0..<2 {
          let first = try connection.send(Statement("SELECT 1::bigint"))
          let second = try connection.send(Statement("SELECT 1::bigint / 0"))
          let third = try connection.send(Statement("SELECT 3::bigint"))
          #expect(try connection.answer(to: first).int8(0, 0) == 1)
          let division = #expect(throws: PostgresError.self) { try connection.answer(to: second) }
          #expect(division?.code == "22012")
          #expect(throws: try #require(division)) { try connection.answer(to: third) }
          #expect(try connection.run(Statement("SELECT 4::bigint")).int8(0, 0) == 4)
        }
        #expect(throws: PostgresError.self) { try connection.run(Statement("SELECT nonsense")) }
        #expect(try connection.run(Statement("SELECT 5::bigint")).int8(0, 0) == 5)
      }
    }

    /// Fails with the code of a conflict.
    private static let conflict = Statement("DO $$BEGIN RAISE EXCEPTION 'c' USING ERRCODE = '40001'; END$$")

    /// Sends two questions, each in a pipeline of its own.
    private func sendAhead(_ first: Statement, _ connection: Connection) throws -> (Ticket, Ticket) {
      let first = try connection.send(first)
      try connection.flushAhead()
      let second = try connection.send(Statement("SELECT 1::bigint"))
      try connection.flushAhead()
      return (first, second)
    }

    @Test("Later statements of a failed transaction throw its error", arguments: [false, true])
    func laterPipelines(isForgotten: Bool) throws {
      let pool = try TestSchema().pool
      let outcome = Result {
        try pool.read { connection in
          let (first, second) = try sendAhead(Statement("SELECT 1::bigint / 0"), connection)
          if isForgotten { connection.forget(first) }
          let error = #expect(throws: PostgresError.self) { try connection.answer(to: second) }
          #expect(error?.code == "22012")
          #expect(connection.stash.count == (isForgotten ? 0 : 1))
          try connection.execute("SELECT 2")
        }
      }
      let error = #expect(throws: PostgresError.self) { try outcome.get() }
      #expect(error?.code == "22012")
      // The error is not the error of an earlier transaction.
      let other = #expect(throws: PostgresError.self) {
        try pool.read { connection in
          let (_, second) = try sendAhead(Statement("SELECT nonsense"), connection)
          return try connection.answer(to: second).int8(0, 0)
        }
      }
      #expect(other?.code == "42703")
    }

    @Test("A conflict of a statement sent ahead is a conflict of the write, and of its commit")
    func conflictsAhead() throws {
      let pool = try TestSchema().pool
      #expect(throws: ConflictError.self) {
        try pool.write { connection in
          let (_, second) = try sendAhead(Self.conflict, connection)
          return .commit(try connection.answer(to: second).int8(0, 0))
        }
      }
      #expect(throws: ConflictError.self) {
        try pool.write { connection in
          let (first, second) = try sendAhead(Self.conflict, connection)
          connection.forget(first)
          connection.forget(second)
          return .commit(())
        }
      }
      let number = try pool.write { .commit(try $0.run(Statement("SELECT 1::bigint")).int8(0, 0)) }
      #expect(number == 1)
    }

    @Test("A cancelled task and a time-out end statements sent ahead with their own errors")
    func endsAhead() async throws {
      let schema = try TestSchema { $0.statementTimeout = .milliseconds(300) }
      let error = #expect(throws: PostgresError.self) {
        try schema.pool.read { connection in
          let (_, second) = try sendAhead(Statement("SELECT pg_sleep(60)"), connection)
          return try connection.answer(to: second).int8(0, 0)
        }
      }
      #expect(error?.code == "57014")
      let pool = try TestSchema().pool
      let task = Task.detached(executorPreference: OwnThreads.shared) {
        try pool.read { connection in
          let (_, second) = try self.sendAhead(Statement("SELECT pg_sleep(60)"), connection)
          withUnsafeCurrentTask { $0?.cancel() }
          return try connection.answer(to: second).int8(0, 0)
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Statements for a busy server do not stay in memory")
    func busy() throws {
      try TestSchema().pool.outsideTransactions { connection in
        _ = try connection.send(Statement("SELECT pg_sleep(0.5)"))
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<32 {
          var parameters = Parameters()
          bytes.withUnsafeBytes { parameters.bytes($0) }
          _ = try connection.send(Statement("SELECT length($1)", .bytea), parameters)
        }
        #expect(try connection.flushOnce())
      }
    }

    @Test("An error names the table and the constraint")
    func names() throws {
      let schema = try TestSchema()
      try schema.execute("CREATE TABLE \(schema.name).things (id bigint CONSTRAINT one_of_each PRIMARY KEY)")
      let insert = "INSERT INTO \(schema.name).things VALUES (1)"
      let error = #expect(throws: PostgresError.self) { try schema.execute(insert, insert) }
      #expect((error?.code, error?.schema, error?.table) == ("23505", schema.name, "things"))
      #expect(error?.constraint == "one_of_each")
      #expect(
        error?.description.contains(" (23505), table \(schema.name).things. Key (id)=(1) already exists.")
          == true)
    }

    @Test("Megabytes travel both ways at once and neither side waits for the other")
    func large() throws {
      try TestSchema().pool.outsideTransactions { connection in
        let bytes = [UInt8](repeating: 7, count: 8 << 20)
        let tickets = try (0..<6).map { _ in
          var parameters = Parameters()
          bytes.withUnsafeBytes { parameters.bytes($0) }
          return try connection.send(Statement("SELECT $1", .bytea), parameters)
        }
        for ticket in tickets {
          #expect(try connection.answer(to: ticket).bytes(0, 0).count == bytes.count)
        }
      }
    }
  }
#endif
