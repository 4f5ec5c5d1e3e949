#if Postgres
  import Testing

  @testable import FastMapPostgres

  @Suite struct ConnectionStringTests {
    @Test(
      "A URI's own parameter names the schema, and libpq receives the rest",
      arguments: [
        ("postgres://h/d", "postgres://h/d", nil),
        ("postgres://h/d?schema=a", "postgres://h/d", "a"),
        (
          "postgresql://u:p@h1:1,h2:2/d?target_session_attrs=read-write&schema=my%20one",
          "postgresql://u:p@h1:1,h2:2/d?target_session_attrs=read-write", "my one"
        ),
        ("postgres://h/d?schema=a&sslmode=require&schema=b", "postgres://h/d?sslmode=require", "b"),
        ("postgres://u:a?schema=x@h/d", "postgres://u:a?schema=x@h/d", nil),
        ("postgres:///d?host=/tmp&s%63hema=a", "postgres:///d?host=/tmp", "a"),
        ("host=h dbname=d", "host=h dbname=d", nil),
      ] as [(String, String, String?)])
    func schema(string: String, text: String, schema: String?) throws {
      let parsed = try ConnectionString(string)
      #expect(parsed.text == text)
      #expect(parsed.schema == schema)
    }

    @Test(
      "A string that libpq cannot read is an error that does not repeat it",
      arguments: ["host", "postgres://h/d?nonsense=1", "postgres://h/d?schema=", "host='a"])
    func malformed(string: String) {
      let error = #expect(throws: PostgresError.self) { try ConnectionString(string) }
      #expect(error?.message.hasPrefix("the connection string is invalid: ") == true)
    }

    @Test(
      "No error has a part of a password",
      arguments: ["postgres://me:secret%off@h/d", "postgres://me:secret@[::1/d", "host=h password=x secret"])
    func passwords(string: String) {
      let error = #expect(throws: PostgresError.self) { try ConnectionString(string) }
      #expect(error.map { "\($0)".contains("secret") || "\($0)".contains("off") } == false)
    }

    @Test("A server that does not answer is an error that names it")
    func refused() {
      let error = #expect(throws: PostgresError.self) {
        try PostgresStore("postgres://127.0.0.1:1/people?schema=a")
      }
      #expect(error?.server == "127.0.0.1:1/people")
      #expect(error?.code == nil)
      #expect(error?.message.contains("refused") == true)
    }
  }
#endif
