import FastMapCore
import FastMapModels
import FastMapStoreTesting
import TestSupport
import Testing

/// How many questions a store on another machine would have to answer for a query. Each number is a budget.
@Suite struct QueryTripTests {
  private static let count = TestSize.count(small: 5000, whole: 10_000)

  private static func count(where isOne: (Int) -> Bool) -> Int { (0..<count).count(where: isOne) }

  /// People in 100 teams, with two tags each. The tests only read them.
  private static let filled = Result {
    let base = try ScratchStore()
    let people = (0..<count).map { id in
      #"{"id":\#(id),"name":"n\#(id % 7)","age":\#(id % 90),"team":{"code":"t\#(id % 100)","size":\#(id % 100)},"#
        + #""tags":[{"id":\#(id % 50),"name":"x\#(id % 50)"},{"id":\#(id % 3),"name":"x\#(id % 3)"}]}"#
    }
    _ = try Mapper(base).importJSON("[\(people.joined(separator: ","))]", as: Model.person)
    return base
  }

  private static func store() throws -> (store: any Store, counter: TripCounter, plan: Plan) {
    let counter = TripCounter()
    return (counter.store(on: try filled.get()), counter, try Model.person.plan())
  }

  @Test func questionsGrowWithPagesAndNotWithObjects() throws {
    let (store, counter, plan) = try Self.store()
    let name = "team.size"
    let all = plan.query
    let cases: [(query: Query<Plan>, found: Int, budget: Int)] = [
      (
        all.where(try Filter("@.age == 18 && @.name == 'n1'")), Self.count { $0 % 90 == 18 && $0 % 7 == 1 },
        16
      ),
      (all.where(try Filter("@.id == 5 || @.id == 7 || @ == 4000")), 3, 2),
      (all.where(try Filter("@.team.size == 18")), Self.count / 100, 24),
      (all.where(try Filter("@.team == 't18'")), Self.count / 100, 18),
      (all.where(try Filter("@.tags[?@.name == 'x18']")), Self.count / 50, 40),
      (
        all.where(try Filter("count(@.tags[?@.name == 'x18']) > 0 && @.team.size == 18")), Self.count / 100,
        40
      ),
      (all.sorted(by: name, descending: true).limit(10), 10, 24),
      (all.limit(10), 10, 1), (all, Self.count, 2),
    ]
    for (query, found, budget) in cases {
      _ = counter.take()
      let count = try store.read(plan) { snapshot in
        if query.most == nil { try snapshot.count(query) } else { try snapshot.keys(query).count }
      }
      let trips = counter.take()
      #expect(count == found)
      #expect(trips.count <= budget, "\(query.filter?.description ?? "all"): \(trips)")
    }
  }

  /// Objects that are found are read in sets, too.
  @Test func rowsAndRecordsAreReadInSets() throws {
    let (store, counter, plan) = try Self.store()
    let query = plan.where(try Filter("@.age < 45"))
    _ = counter.take()
    let records = try store.read(plan) { try $0.records(query) }
    let found = Self.count { $0 % 90 < 45 }
    #expect(records.count == found)
    let trips = counter.take()
    // Records have the inverses, too: one more question for each page.
    #expect(trips.count <= 52, "\(trips)")
    var rows = 0
    try store.read(plan) { snapshot in
      try snapshot.forEachRow(query) { _, _ in
        rows += 1
        return true
      }
    }
    #expect(rows == found)
    let rowTrips = counter.take()
    #expect(rowTrips.count <= 24, "\(rowTrips)")
  }

  /// Lists that are longer than a chunk, and more than fits.
  @Test func listsOfAnyLengthAreFollowed() throws {
    let base = try ScratchStore()
    // A chunk of a store that prefers sets has 4096.
    let all = TestSize.count(small: 4200, whole: 20_000)
    let members = (1...all).map { #"{"id":\#($0),"age":\#($0 % 100)}"# }.joined(separator: ",")
    _ = try Mapper(base).importJSON(#"[{"id":0,"friends":[\#(members)]}]"#, as: Model.person)
    for store in [base as any Store, TripCounter().store(on: base)] {
      try store.read(Model.person) { snapshot in
        func count(_ text: String) throws -> Int {
          try snapshot.count(Model.person.plan().where(Filter(text)))
        }
        try #expect(count("@.id == 0 && count(@.friends[?@.age == 7]) == \(all / 100)") == 1)
        try #expect(count("@.id == 0 && count(@.friends[?@.friends || @.age == 7]) == \(all / 100)") == 1)
        try #expect(count("@.id == 0 && value(@.friends[?@.id == 777].age) == 77") == 1)
        try #expect(count("@.id == 0 && @.friends[-1].id == \(all)") == 1)
        try #expect(
          count("@.id == 0 && count(@.friends[*]) == \(all) && count(@.friends[::2].age) == \(all / 2)") == 1)
      }
    }
  }
}
