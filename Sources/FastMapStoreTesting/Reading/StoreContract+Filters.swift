internal import FastMapCore

// A store that tests and sorts itself, or uses indexes, must find the same objects as the core, which looks at all
// objects.
extension StoreContract {
  static var filterChecks: [Check] {
    [false, true].map { isIndexed in
      Check("Each operator finds the same \(isIndexed ? "with" : "without") indexes") { contract in
        var random = SplitMix(state: 5)
        let indexes = isIndexed ? IndexedItems.indexes : []
        let bench = try contract.makeBench(IndexedItems.mapping(.integer, indexes))
        let objects = (0..<100).map { number in
          let key = number % 12 == 0 ? nil : IndexedItems.key(number, .integer)
          return IndexedItems.object(key, &random, longOnes: number % 5 == 0)
        }
        try bench.load("[" + objects.joined(separator: ",") + "]")
        // A store that takes few rows at once takes long for all of them.
        let step =
          (bench.store.capabilities.batchSize ?? .max) < 64 ? 16 : TestSize.count(small: 8, whole: 2, long: 1)
        let asked = try Self.filters.enumerated().compactMap { number, text in
          let choice = random.next(1000)
          return number % step == 0 ? try AskedQuery(text, number, choice, bench.plan) : nil
        }
        // An ObservedStore offers no tests and no indexes, so the core looks at all objects.
        let expected = try ObservedStore(bench.store) { _ in }.read(bench.plan) { snapshot in
          try asked.map { try snapshot.records($0.query).map(\.id) }
        }
        try bench.store.read(bench.plan) { snapshot in
          for (query, ids) in zip(asked, expected) { try query.check(&snapshot, ids) }
        }
      }
    }
      + [
        Check("A filter may be very large") { contract in
          var random = SplitMix(state: 9)
          let bench = try contract.makeBench(IndexedItems.mapping(.integer, []))
          let objects = (0..<8).map {
            IndexedItems.object(IndexedItems.key($0, .integer), &random, longOnes: false)
          }
          try bench.load("[" + objects.joined(separator: ",") + "]")
          let queries = try TestSize.cases(largeFilters, small: 3).map { bench.plan.where(try Filter($0)) }
          let expected = try ObservedStore(bench.store) { _ in }.read(bench.plan) { snapshot in
            try queries.map { try snapshot.keys($0) }
          }
          try bench.store.read(bench.plan) { snapshot in
            for (number, query) in queries.enumerated() {
              try expect(
                "the objects of the large filter \(number)", snapshot.keys(query), is: expected[number])
            }
          }
        }
      ]
  }

  static var filters: [String] {
    let operators = ["==", "!=", "<", "<=", ">", ">="]
    var filters: [String] = []
    func add(_ path: String, _ values: [String], _ signs: [String]) {
      for sign in signs {
        for value in values { filters.append("@.\(path) \(sign) \(value)") }
      }
      filters += ["@.\(path)", "!@.\(path)"]
      for sign in signs { filters.append("@.\(path) \(sign) null") }
    }
    add(
      "status", (IndexedItems.statuses + IndexedItems.longStatuses.prefix(3)).map { "\"\($0)\"" }, operators)
    add(
      "number", IndexedItems.numbers + ["18446744073709551615", "1.5", "-0.5", "9.3e18", "1e300", "-1e300"],
      operators)
    add("real", IndexedItems.reals + ["18446744073709551615", "9007199254740993"], operators)
    add(
      "at",
      [
        "1970-01-01T00:00:00Z", "1970-01-01T00:00:01.5Z", "1969-12-31T23:59:58.5Z", "2023-11-14T22:13:20Z",
        "2023-11-14T22:13:20.000001Z", "2023-11-14T22:13:20.0000005Z", "2023-11-14",
      ].map { "\"\($0)\"" }, operators)
    add("blob", IndexedItems.blobs, operators)
    add("flag", ["true", "false"], ["==", "!="])
    add("team.size", ["0", "2", "1.5"], operators)
    add("team.name", ["\"t1\"", "\"\""], operators)
    add("team", ["\"t1\"", "\"t9\""], ["==", "!="])
    filters += ["@.extra", "!@.extra", "@.extra.a == 1", "@.extra == null", "@.extra != null"]
    for text in ["", "a", "Ä", "\\u0000", "\\u0001", "\\u0002", "lo", "%", "_", "long long"] {
      filters += ["match(@.status, \"\(text).*\")", "search(@.status, \"\(text)\")"]
    }
    filters += [
      "search(@.status, \"[ab]\")", "length(@.status) > 2", "length(@.status) == 1",
      "@.status == \"a\" || @.status == \"open\" || @.status == null",
      "@.number == 1 || @.number == 255 || @.number == 18446744073709551615",
      "@.real == 1 || @.real == 1.5", "@.team == \"t1\" || @.team == \"t2\"",
      "@.team.size == 1 || @.team.size == 2 || @.team.size == null",
      "@.status == @.status", "@.number > @.real",
      "!(@.number > 1) && !(@.status < \"b\" || @.flag == true)",
      "(@.number > 1 || @.status == \"a\") && !(@.real <= 1 && @.team.size > 0)",
      "@.number >= 0 && @.number < 256 && length(@.status) > 0", "@.status >= \"a\" && @.status < \"b\"",
      "@.id > 20 && @.number > 0", "@.id > 20 && @.id <= 60", "@.id == 21 && @.number > 0",
      "1 == 1", "1 == 2", "@.team && @.team.size != 1",
    ]
    return filters
  }

  /// Databases limit how long, how deep and how wide a condition is.
  private static var largeFilters: [String] {
    func row(_ count: Int, _ sign: String, _ part: (Int) -> String) -> String {
      (0..<count).map(part).joined(separator: sign)
    }
    let levels = (0..<25).map { "(@.number != \($0) && (@.status < \"c\" || " }.joined()
    return [
      row(1000, " || ") { "@.number > \($0 * 3 + 200)" }, row(1000, " && ") { "@.number != \($0 * 2)" },
      row(1001, " || ") { "@.real < \(-$0) || @.number == \($0)" },
      row(3000, " || ") { $0 % 2 == 0 ? "!@.flag" : "@.team == null" },
      row(500, " || ") { "@.at < \"1970-01-01T00:00:0\($0 % 10)Z\"" },
      "(" + row(900, " || ") { "@.number == \($0)" } + ") && (" + row(900, " || ") { "@.number < -\($0)" }
        + ")",
      row(3, " && ") { part in "(" + row(400, " || ") { "@.number < \($0 * part)" } + ")" },
      levels + "@.flag == true" + String(repeating: "))", count: 25),
    ]
  }
}

/// A filter, with an order and a limit at random.
private struct AskedQuery {
  let name: String
  let query: Query<Plan>

  init(_ text: String, _ number: Int, _ choice: Int, _ plan: Plan) throws {
    let fields = ["status", "number", "real", "at", "flag", "blob", "team", "id", "team.size"]
    var query = plan.where(try Filter(text))
    var name = text
    for place in 0..<(number % 3) {
      let field = fields[(choice + place * 4) % fields.count]
      let isDescending = (choice / 16 + place) % 2 == 0
      query = query.sorted(by: field, descending: isDescending)
      name += ", sorted by \(isDescending ? "-" : "")\(field)"
    }
    if choice % 3 == 0 {
      query = query.limit(choice % 7)
      name += ", limit \(choice % 7)"
    }
    if choice % 5 == 0 {
      // Numbers that are multiples of 12 have no key.
      let key = PrimaryKey.integer(Int64(1 + choice % 9 - 40))
      query = query.after(key: key)
      name += ", after \(key)"
    }
    (self.name, self.query) = (name, query)
  }

  func check(_ snapshot: inout Snapshot, _ expected: [ObjectID]) throws {
    try expect("the objects of \(name)", snapshot.records(query).map(\.id), is: expected)
    try expect("the count of \(name)", snapshot.count(query), is: expected.count)
    try expect("whether there are objects of \(name)", snapshot.exists(query), is: !expected.isEmpty)
    try expect("the number of objects of \(name)", snapshot.explain(query).found, is: expected.count)
  }
}
