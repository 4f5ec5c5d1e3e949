#if Postgres
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  @Suite struct ConnectionStringTests {
    @Test(
      "PostgreSQL is known by its version, and Citus by its extension",
      arguments: [
        (150_020, false, Server.Flavour.postgres), (150_020, true, .citus), (120_021, false, nil),
        (80_002, false, nil), (120_021, true, nil),
      ] as [(Int, Bool, Server.Flavour?)])
    func flavours(version: Int, hasCitus: Bool, flavour: Server.Flavour?) {
      do throws(PostgresError) {
        #expect(try Server(version: version, hasCitus: hasCitus, "here").flavour == flavour)
      } catch {
        #expect(flavour == nil)
        #expect(error.message.hasPrefix("expected PostgreSQL 13 or newer, found "))
      }
    }

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
      #expect((parsed.text, parsed.schema) == (text, schema))
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
      arguments: [
        "postgres://me:secret%off@h/d", "postgres://me:secret@[::1/d", "host=h password=x secret",
        "postgres://me:x@secret@127.0.0.1:1/d", "postgres://me:secret/x@127.0.0.1:1/d",
        "postgres://me:1/secret@127.0.0.1:1/d", "postgres://me:secret", "postgres://me:x@127.0.0.1:secret/d",
        "postgres://me:x@secret@h1:1,h2:2/d", "postgres://me:1/x?secret@h/d",
        "postgres://me:1/x?secret=1@h/d",
        "postgres://me:secret/x?off@h/d", "postgres://me:x?y@secret@h/d", "postgres://h/d\0secret",
      ])
    func passwords(string: String) {
      let error = #expect(throws: PostgresError.self) { try PostgresStore(string) }
      #expect(error.map { "\($0)".contains("secret") || "\($0)".contains("off") } == false)
    }

    @Test(
      "Hosts, ports and percent signs are as libpq reads them",
      arguments: [
        "postgres://", "postgres:///d", "postgres://h", "postgres://h:1", "postgres://h:/d",
        "postgres://[::1]:5432/d",
        "postgres://u@[::1],h:2/d", "postgres://u:p%40%2F%3A@h1:1,h2:2/d", "postgres://h?user=me@there",
        "postgres://u:a?b:c@h/d?sslmode=require", "postgres://%2Ftmp:5432/d", "host=h password='a@b/c'",
      ])
    func accepted(string: String) throws { #expect(try ConnectionString(string).text == string) }

    @Test(
      "A schema that PostgreSQL would refuse or cut is refused when the store is opened",
      arguments: [
        ("", "an empty one"), ("a\0b", "one with a NUL"),
        (String(repeating: "é", count: 32), "\"\(String(repeating: "é", count: 32))\" with 64 bytes"),
      ])
    func schemas(name: String, words: String) {
      let configuration = PostgresStore.Configuration.with { $0.schema = name }
      let error = #expect(throws: PostgresError.self) {
        try PostgresStore("postgres://127.0.0.1:1/people", configuration: configuration)
      }
      #expect(error?.message.hasSuffix("1 to 63 bytes and no NUL, found \(words)") == true)
    }

    @Test("A server that does not answer is an error that names it")
    func refused() {
      let error = #expect(throws: PostgresError.self) {
        try PostgresStore("postgres://127.0.0.1:1/people?schema=a")
      }
      #expect(error?.server == "127.0.0.1:1/people")
      #expect(error?.code == "postgres")
      #expect(error?.message.contains("refused") == true)
    }
  }
#endif
