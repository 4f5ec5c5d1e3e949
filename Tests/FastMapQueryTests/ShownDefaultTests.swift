import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// A property that is not optional shows its default where the store has no value, and filters, orders and indexes treat it so.
@Suite struct ShownDefaultTests {
  /// One store lacks values, and another one has the defaults in their place.
  private struct Pair {
    let mapping: Mapping<ShownItem>
    let missing: any Store
    let full: any Store

    init(_ kind: StoreKind, isIndexed: Bool, _ random: inout Random) throws {
      mapping = ShownItem.mapping(isIndexed: isIndexed)
      (missing, full) = (try kind.make(), try kind.make())
      let records = ShownItem.records(isIndexed: isIndexed)
      let payloads = ShownItem.payloads(&random)
      _ = try Mapper(missing).importJSON(payloads.missing, as: records)
      _ = try Mapper(full).importJSON(payloads.full, as: records)
    }

    /// Expects the same results from both.
    func compare(_ filters: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
      let queries = try filters.map { try mapping.where(Filter($0)) }
      let expected = try full.read(mapping) { snapshot in try queries.map { try snapshot.keys($0) } }
      try missing.read(mapping) { snapshot in
        for (number, query) in queries.enumerated() {
          let title = Comment(rawValue: filters[number])
          let keys = expected[number]
          #expect(try snapshot.keys(query) == keys, title, sourceLocation: sourceLocation)
          #expect(try snapshot.count(query) == keys.count, title, sourceLocation: sourceLocation)
          let found = try ForcedIndex.choosing(number % 3) { try snapshot.keys(query) }
          #expect(found == keys, title, sourceLocation: sourceLocation)
        }
      }
    }
  }

  /// Tests of one object's values.
  private static var tests: [String] {
    var tests: [String] = []
    for (name, json) in ShownItem.values where !["tags", "roles", "bytes"].contains(name) {
      let signs = name == "flag" ? ["==", "!="] : ["==", "!=", "<", "<=", ">", ">="]
      for sign in signs {
        for value in json { tests.append("@.\(name) \(sign) \(value)") }
      }
      tests.append("(\(json.map { "@.\(name) == \($0)" }.joined(separator: " || ")))")
    }
    for name in ShownItem.values.map(\.name) {
      tests += ["@.\(name)", "!@.\(name)", "@.\(name) == null", "@.\(name) != null"]
    }
    for value in [#""AQI=""#, #""AA==""#] { tests += ["@.bytes == \(value)", "@.bytes < \(value)"] }
    tests += [
      "@.flag <= true", "@.count == 3.0", "@.count < 2.5", "@.ratio < 1", "@.ratio >= 1", "@.size == 300",
      "@.count > @.level", "@.count != @.level", "@.name == @.role", "@.rank < @.boss.rank",
      "@.ratio >= @.count",
      #"match(@.name, "b|x")"#, #"search(@.name, "a")"#, #"lower(@.name) == "ba""#, #"lower(@.name) == "b""#,
      "length(@.name) == 1", "length(@.empty) == 0", "length(@.empty) > 0", #"lower(@.empty) == "x""#,
      "length(@.tags) == 2", "length(@.tags) == 0", "count(@.tags[*]) == 2", #"@.tags[?@ == "new"]"#,
      #"@.tags[0] == "new""#, #"@.tags[0] != "new""#, #"@.tags[1] == null"#, "@.tags[1]", "!@.tags[0]",
      #"value(@.tags[?@ == "b"]) == "b""#, #"@.roles[?@ == "other"]"#, #"@.roles[0] == "guest""#,
      "@.count >= 0 && @.count < 5", #"@.name >= "a" && @.name < "c""#, "@.flag == true && @.count <= 3",
      #"@.note == "2" && @.count == 3"#, "@.size == -1 && @.rank == 7 && @.level <= 2",
    ]
    return tests
  }

  /// The same tests of related objects.
  private static var paths: [String] {
    var paths: [String] = []
    for (number, test) in tests.enumerated() {
      let path = test.replacing("@.", with: "@.boss.").replacing("@.boss.boss", with: "@.boss.boss")
      let first = test.replacing("@.", with: "@.friends[0].").replacing("[?@.friends[0].", with: "[?@.")
      let forms = [
        path, "!(\(path))", first, "@.friends[?\(test)]", "count(@.friends[?\(test)]) == 1",
        "@.admirers[?\(test)]",
      ]
      paths.append(forms[(number + number / 6) % 6])
    }
    for (name, _) in ShownItem.values {
      paths += [
        "count(@.friends[*].\(name)) == 2", "@.friends[*].\(name)", "@.boss.\(name)", "!@.boss.\(name)",
        "count(@.admirers[*].\(name)) > 0",
      ]
    }
    paths += [
      "count(@.friends[*].tags[*]) > 2", #"@.friends[*].tags[?@ == "new"]"#, "value(@.friends[*].count) == 3",
    ]
    return paths
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func filtersCompareShownValues(_ kind: StoreKind, _ isIndexed: Bool) throws {
    var random = Random(for: "shown filters")
    let pair = try Pair(kind, isIndexed: isIndexed, &random)
    try pair.compare(TestSize.cases(Self.tests + Self.tests.map { "!(\($0))" }, small: 119))
  }

  @Test(arguments: StoreKind.allCases)
  func pathsCompareShownValues(_ kind: StoreKind) throws {
    var random = Random(for: "shown paths")
    let pair = try Pair(kind, isIndexed: true, &random)
    try pair.compare(TestSize.cases(Self.paths, small: 79))
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func joinedFiltersCompareShownValues(_ kind: StoreKind, _ isIndexed: Bool) throws {
    var random = Random(for: "joined filters")
    let pair = try Pair(kind, isIndexed: isIndexed, &random)
    let atoms = Self.tests + Self.paths
    func joined(_ depth: Int, _ random: inout Random) -> String {
      if depth == 0 { return atoms[random.next(atoms.count)] }
      let (a, b) = (joined(depth - 1, &random), joined(depth - 1, &random))
      return ["(\(a) && \(b))", "(\(a) || \(b))", "!(\(a) && \(b))"][random.next(3)]
    }
    try pair.compare((0..<TestSize.rounds(small: 30, whole: 60)).map { joined($0 % 3, &random) })
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func ordersFollowShownValues(_ kind: StoreKind, _ isIndexed: Bool) throws {
    var random = Random(for: "shown orders")
    let pair = try Pair(kind, isIndexed: isIndexed, &random)
    let names = ShownItem.values.map(\.name).filter { $0 != "tags" && $0 != "roles" }
    var orders: [[(String, Bool)]] = names.flatMap { [[($0, false)], [($0, true)]] }
    orders += [
      [("flag", false), ("count", true)], [("flag", true), ("count", false)],
      [("ratio", true), ("name", false)], [("ratio", false), ("name", true)],
      [("name", false), ("level", true)], [("name", true), ("level", false)],
      [("size", false), ("rank", false), ("level", false)],
      [("size", true), ("rank", true), ("level", true)],
      [("note", false), ("count", false)], [("note", true), ("count", true)],
    ]
    let filters = [
      nil, "@.count <= 3", "@.name > \"a\"", "@.flag == true", "@.size == -1", "@.note == \"2\"",
      "@.ratio > 1 && @.id < 50",
    ]
    for order in TestSize.cases(orders, small: 9) {
      for filter in Set([0, random.next(7)].map { filters[$0] }) {
        var query = pair.mapping.query
        if let filter { query = query.where(try Filter(filter)) }
        for (name, isDescending) in order { query = query.sorted(by: name, descending: isDescending) }
        let expected = try pair.full.read(pair.mapping) { try $0.objects(query).map(\.id) }
        let title = Comment(rawValue: "\(order) of \(filter ?? "all")")
        try pair.missing.read(pair.mapping) { snapshot in
          for way in [nil, 0] {
            try ForcedIndex.choosing(way) {
              #expect(try snapshot.objects(query).map(\.id) == expected, title)
              #expect(try snapshot.objects(query.limit(3)).map(\.id) == Array(expected.prefix(3)), title)
              var paged: [Int] = []
              var position: Position?
              repeat {
                let page = try snapshot.page(query.limit(7).after(position))
                if page.elements.isEmpty { break }
                paged += page.elements.map(\.id)
                position = page.position
              } while paged.count < 200
              #expect(paged == expected, title)
              guard expected.count > 4 else { return }
              let behind = try snapshot.objects(query.after(key: expected[4])).map(\.id)
              #expect(behind == Array(expected[5...]), title)
            }
          }
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func typedQueriesAndDeletionsUseShownValues(_ kind: StoreKind) throws {
    var random = Random(seed: 7)
    let pair = try Pair(kind, isIndexed: true, &random)
    try pair.missing.read { snapshot in
      let items = try snapshot.objects(pair.mapping)
      #expect(try snapshot.count(pair.mapping.where { $0.flag }) == items.count { $0.flag })
      #expect(try snapshot.count(pair.mapping.where { !$0.flag }) == items.count { !$0.flag })
      #expect(
        try snapshot.count(pair.mapping.where { $0.name.hasPrefix("b") }) == items.count { $0.name == "b" })
      #expect(
        try snapshot.count(pair.mapping.where { $0.tags.contains("new") })
          == items.count { $0.tags.contains("new") })
      #expect(
        try snapshot.count(pair.mapping.where { $0.rank.isIn([7, 9]) }) == items.count { $0.rank == 7 })
      #expect(
        try snapshot.count(pair.mapping.where { $0.role == .guest }) == items.count { $0.role == .guest })
    }
    let active = try pair.missing.read { try $0.count(pair.mapping.where { $0.flag }) }
    #expect(try pair.missing.delete(pair.mapping.where { !$0.flag }).total == ShownItem.count - active)
    #expect(try pair.missing.read { try $0.objects(pair.mapping).allSatisfy(\.flag) })
  }

  @Test(arguments: StoreKind.allCases)
  func aContextShowsTheDefaultOfAValueThatIsGone(_ kind: StoreKind) throws {
    let store = try kind.make()
    let (mapping, records) = (ShownItem.mapping(isIndexed: false), ShownItem.records(isIndexed: false))
    _ = try Mapper(store).importJSON(
      #"{"id":1,"flag":false,"level":3,"rank":9,"name":"z","role":"admin","tags":["x"]}"#, as: mapping)
    let context = try ObjectContext(store, for: mapping)
    let item = try #require(try context.object(mapping, key: 1))
    #expect(item.level == 3 && item.name == "z")
    _ = try Mapper(store).importJSON(
      #"{"id":1,"flag":null,"level":null,"rank":null,"name":null,"role":null,"tags":null}"#, as: records)
    try context.refresh([item])
    #expect(item.flag && item.level == 2 && item.rank == 7 && item.name == "b" && item.role == .guest)
    #expect(item.tags == ["new", "b"])
    #expect(try !context.hasChanges())
    // A save writes the caller's values, and no default.
    item.count = 4
    try context.save()
    context.end()
    #expect(try store.read(records) { try $0.record("Item", key: 1)?["level"] } == nil)
    #expect(try store.read { try $0.object(mapping, key: 1)?.level } == 2)
  }

  /// A comparison with another value than the default is left to an index as before, and one with the default is, too.
  @Test func anIndexServesFiltersAndOrders() throws {
    let store = try StoreKind.lmdb.make()
    let (mapping, records) = (ShownItem.mapping(isIndexed: true), ShownItem.records(isIndexed: true))
    func load(_ member: String) throws {
      let items = (1...3000).map { #"{"id":\#($0),"count":\#($0 % 300),"name":"n\#($0 % 300)"\#(member)}"# }
      _ = try Mapper(store).importJSON("[\(items.joined(separator: ","))]", as: records)
    }
    try load(#","size":1,"level":1"#)
    func explained(_ query: Query<Mapping<ShownItem>>) throws -> (Int, Int) {
      let explanation = try store.read { try $0.explain(query) }
      return (explanation.lookedAt, explanation.found)
    }
    #expect(try explained(mapping.where { $0.count == 9 }) == (10, 10))
    #expect(try explained(mapping.where { $0.count == 3 }) == (10, 10))
    #expect(try explained(mapping.where { $0.count < 2 }) == (20, 20))
    #expect(try explained(mapping.where { $0.count < 4 }) == (40, 40))
    #expect(try explained(mapping.sorted(by: \.count).limit(5)) == (5, 5))
    #expect(
      try explained(mapping.sorted(by: \.name).sorted(by: \.level, descending: true).limit(5)) == (5, 5))
    // Four objects lack the value.
    _ = try Mapper(store).importJSON(
      #"[{"id":1,"count":null},{"id":2,"count":null},{"id":3,"count":null},{"id":4,"count":null}]"#,
      as: records)
    #expect(try explained(mapping.where { $0.count == 9 }) == (10, 10))
    #expect(try explained(mapping.where { $0.count == 3 }) == (13, 13))
    #expect(try explained(mapping.where { $0.count < 4 }) == (41, 41))
    let sorted = try store.read { try $0.objects(mapping.sorted(by: \.count).limit(44)).map(\.count) }
    #expect(sorted == sorted.sorted() && sorted.last == 4)
  }
}
