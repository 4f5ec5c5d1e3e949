#if Postgres
  import FastMapCore
  import FastMapPostgres
  import FastMapSystem
  import TestSupport
  import Testing

  /// The round trips of four pieces of work, as a proxy between the store and its server counts them. Each number is a
  /// budget.
  ///
  /// The latency is ten milliseconds each way: a thread that waits for the processor must not look like one that waits for an
  /// answer. With `FASTMAP_TIMES` the same work is done without latency and with a millisecond each way, and the times are
  /// printed: scripts/test-postgres-latency does so.
  @Suite(.needsServer, .serialized) struct TripBudgetTests {
    private static let printsTimes = getenv("FASTMAP_TIMES") != nil
    private static let latencies: [Duration] =
      printsTimes
      ? [.zero, .milliseconds(1), .zero, .milliseconds(1), .zero, .milliseconds(1)] : [.milliseconds(10)]

    private let proxy: Proxy
    private let place: TestStores
    private let store: PostgresStore

    init() throws {
      proxy = try Proxy(to: Cluster.connection ?? "")
      place = try TestStores()
      var configuration = PostgresStore.Configuration()
      configuration.schema = place.schema
      store = try PostgresStore(proxy.address, configuration: configuration)
    }

    /// Does a piece of work with each latency.
    ///
    /// - Parameter work: The first part prepares and is not counted. The second one is.
    private func expect(
      _ most: Int, _ name: String, _ work: (() throws -> Void, counted: () throws -> Void),
      _ location: SourceLocation = #_sourceLocation
    ) throws {
      for latency in Self.latencies {
        proxy.latency = .zero
        try work.0()
        // The end of a read is sent ahead; the server has it by now.
        usleep(50_000)
        proxy.latency = latency
        let start = ContinuousClock.now
        let trips = try proxy.trips(work.counted)
        let time = ContinuousClock.now - start
        #expect(trips > 0 && trips <= most, "\(name): \(trips) trips", sourceLocation: location)
        if Self.printsTimes {
          let milliseconds = time / .milliseconds(1)
          print("\(name), \(latency / .milliseconds(1)) ms each way: \(trips) trips, \(milliseconds) ms")
        }
      }
    }

    private func load(_ json: String, as plan: Plan) throws -> String {
      summary(try Mapper(store).importJSON(json, as: plan))
    }

    @Test func anExportOfTenThousandTimesTenTakesForty() throws {
      let plan = try Plan(TeamsOfTen.mapping)
      let json = TeamsOfTen.json()
      try #expect(load(json, as: plan) == "Team +10000, Member +100000")
      try expect(40, "export of 10 000 x 10", ({}, { try #expect(store.exported(plan) == json) }))
    }

    @Test func anObjectWithAHundredRelatedOnesTakesSix() throws {
      let members = (0..<100).map { #"{"id":\#($0),"name":"m\#($0)"}"# }.joined(separator: ",")
      try #expect(
        load(#"{"id":1,"members":[\#(members)]}"#, as: Team.mapping.plan()) == "Team +1, Member +100")
      let work = {
        let team = try #require(try store.read { try $0.object(Team.mapping, key: 1, depth: .max) })
        #expect(team.members.map(\.name) == (0..<100).map { "m\($0)" })
      }
      try expect(6, "object with 100 related ones", ({}, work))
    }

    @Test func aReplaceThatDeletesAThousandTakesTwelve() throws {
      let tag = Mapping("Tag", primaryKey: "id") {
        Attribute("id", .integer)
        ToMany("parts", Mapping("Part") { Attribute("text", .string) })
      }
      let plan = try Plan(
        Mapping("Book", primaryKey: "id") {
          Attribute("id", .integer)
          ToMany("tags", tag, policy: .replace)
        })
      let tags = (0..<1000).map { #"{"id":\#($0),"parts":[{"text":"p"}]}"# }.joined(separator: ",")
      try expect(
        12, "replace that deletes 1 000",
        (
          { _ = try load(#"{"id":1,"tags":[\#(tags)]}"#, as: plan) },
          { try #expect(load(#"{"id":1,"tags":[]}"#, as: plan) == "Book ~1, Tag -1000, Part -1000") }
        ))
    }

    @Test func fiveThousandObjectsMetInTwoBatchesTakeSixty() throws {
      let plan = try Plan(Fixture.node)
      let nodes = (0..<5000).map { #"{"id":\#($0),"n":"a","child":{"id":\#($0 + 1)}}"# }
      let others = (0..<5000).map { #"{"id":\#($0),"n":"b"}"# }
      try #expect(load("[\(nodes.joined(separator: ","))]", as: plan) == "Node +5001")
      let json = "[\((others + nodes).joined(separator: ","))]"
      try expect(
        60, "5 000 objects in two batches", ({}, { try #expect(load(json, as: plan) == "Node =5001") }))
    }

    /// The server tests, sorts and counts; the objects are read in one more question.
    /// Before it leaves the order to the server or to an index, it asks whether an object lacks the value and shows a default.
    @Test func aSortedQueryOfPropertiesTakesOneMore() throws {
      final class Person {
        var id = 0
        var age = 0
        var group = 0
        var name = ""
      }
      let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
        Attribute("id", \.id)
        Attribute("age", \.age)
        Attribute("group", \.group)
        Attribute("name", \.name)
        Index("group", "name")
      }
      let plan = try mapping.plan()
      let people = (0..<2000).map {
        #"{"id":\#($0),"age":\#($0 % 90),"group":\#($0 % 100),"name":"\#($0)"}"#
      }
      try #expect(load("[\(people.joined(separator: ","))]", as: plan) == "Person +2000")
      let orders: [(String, [String], Int)] = [
        ("@.age >= 0", ["age"], 4), ("@.age > 0", ["age"], 3), ("@.group == 17", ["name"], 4),
        ("@.group >= 0", ["group", "name"], 6),
      ]
      for (text, order, most) in orders {
        var query = plan.where(try Filter(text))
        for name in order { query = query.sorted(by: name) }
        query = query.limit(10)
        let work = { [store] in try store.read(plan) { try #expect($0.keys(query).count == 10) } }
        try expect(most, "\(text) by \(order)", (work, work))
      }
    }

    @Test func aQueryThatFindsTenOfTenThousandTakesSix() throws {
      let plan = try Plan(
        Mapping("Person", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .string)
          Attribute("age", .integer)
          Attribute("group", .integer)
          ToOne("team", Mapping("Team", primaryKey: "id") { Attribute("id", .integer) })
          Index("group")
        })
      let people = (0..<10_000).map {
        #"{"id":\#($0),"name":"n\#($0 % 1000)","age":\#($0 % 90),"group":\#($0 % 1000),"team":{"id":\#($0 % 1000)}}"#
      }
      try #expect(load("[\(people.joined(separator: ","))]", as: plan) == "Person +10000, Team +1000")
      let cases: [(String, String?)] = [
        ("@.name == 'n17'", nil), ("@.name == 'n17'", "age"), ("@.group == 17", nil),
        ("@.group == 17", "age"),
        ("@.team == 17", nil), ("@.team.id == 17 && @.age >= 0", "age"),
      ]
      for (text, order) in cases {
        var query = plan.where(try Filter(text))
        if let order { query = query.sorted(by: order) }
        try expect(
          6, "\(text), ten of 10 000",
          ({}, { try #expect(store.read(plan) { try $0.records(query) }.count == 10) }))
        try expect(
          4, "\(text), counted", ({}, { try #expect(store.read(plan) { try $0.count(query) } == 10) }))
      }
    }

    /// As `fastmap get` does it, with the login. Each level of related objects takes one more.
    @Test(arguments: [false, true])
    func oneCallThatReadsAnObjectTakesEight(hasAuthor: Bool) throws {
      let plan = try Plan(
        Mapping("Book", primaryKey: "id") {
          Attribute("id", .integer)
          ToOne("author", Mapping("Author", primaryKey: "id") { Attribute("id", .integer) })
        })
      try #expect(
        load(#"{"id":1,"author":\#(hasAuthor ? #"{"id":2}"# : "null")}"#, as: plan)
          == "Book +1" + (hasAuthor ? ", Author +1" : ""))
      let configuration = PostgresStore.Configuration.with { $0.schema = place.schema }
      try expect(
        hasAuthor ? 9 : 8, "one object with a login",
        (
          {},
          { [configuration] in
            let store = try PostgresStore(proxy.address, configuration: configuration)
            try store.requireStore()
            try store.read(plan.schema) { reader in
              let id = try #require(try reader.find([.integer(1)], as: plan)[0])
              _ = try Serializer(plan).export([id], from: &reader, options: ExportOptions()) { _ in }
            }
          }
        ))
    }

    @Test func aThousandNewObjectsTakeTwenty() throws {
      let plan = try Plan(Fixture.tag)
      _ = try load("[]", as: plan)
      var count = 0
      try expect(
        20, "1 000 new objects",
        (
          { count += 1 },
          {
            let tags = (0..<1000).map { #"{"id":\#(count * 1000 + $0),"t":"t"}"# }.joined(separator: ",")
            try #expect(load("[\(tags)]", as: plan) == "Tag +1000")
          }
        ))
    }
  }

  private final class Team {
    var id = 0
    var members: [Member] = []

    static let mapping: Mapping<Team> = Mapping(Team.self, "Team", primaryKey: "id", make: Team.init) {
      Attribute("id", \.id)
      ToMany("members", \.members, Member.mapping)
    }
  }

  private final class Member {
    var id = 0
    var name: String?

    static let mapping: Mapping<Member> = Mapping(Member.self, "Member", primaryKey: "id", make: Member.init)
    {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }
#endif
