import FastMapCore
import FastMapSystem
import TestSupport
import Testing

/// Random queries over random stores, beside an array.
@Suite struct QueryModelTests {
  /// Queries for each store. `FASTMAP_QUERIES` sets another number.
  static let count = getenv("FASTMAP_QUERIES").flatMap { Int(String(cString: $0)) } ?? 1_000

  @Test(arguments: StoreKind.allCases)
  func aQueryFindsWhatAnArrayHas(_ kind: StoreKind) throws {
    var random = Random(for: "queries on \(kind)")
    let perStore = kind == .postgres ? 100 : 50
    for _ in 0..<(Self.count / perStore) {
      let model = Model(&random)
      let world = try World(kind, Model.person)
      _ = try Mapper(world.store).importJSON(model.tagJSON, as: Model.tag)
      try world.load(model.json)
      var filters = RandomFilter(random: random)
      try world.store.read(world.plan()) { snapshot in
        for _ in 0..<perStore {
          let asked = try Asked(&filters, model)
          try asked.check(&snapshot, model)
        }
      }
      random = filters.random
    }
  }
}

/// A random query, with what it should find.
private struct Asked {
  let text: String
  let query: Query<Plan>
  let expected: [ModelObject]

  init(_ filters: inout RandomFilter, _ model: Model) throws {
    var query = Query(try Model.person.plan())
    var text = filters.text()
    if filters.random.next(4) == 0 { text += " && @.id >= \(filters.random.next(6) - 3)" }
    if filters.random.next(8) == 0 { text += " && (@.id == 2 || @.id == 0 || @ == 4)" }
    let filter = try Filter(text)
    query = query.where(filter)
    var order: [(path: FilterPath, isDescending: Bool)] = []
    for _ in 0..<max(0, filters.random.next(4) - 1) {
      let paths = [
        "id", "name", "age", "height", "active", "born", "photo", "boss", "boss.name", "team", "team.size",
        "assistant", "assistant.name", "team.label.name",
      ]
      let names = paths[filters.random.next(paths.count)].split(separator: ".")
      order.append((FilterPath(names.map { FilterStep(.name(String($0))) }), filters.random.next(2) == 0))
    }
    for term in order {
      query = query.sorted(by: term.path, descending: term.isDescending)
      text += "  sort \(term.isDescending ? "-" : "")\(term.path)"
    }
    var found = model.people.enumerated().sorted { a, b in
      for term in order {
        let comparison = term.path.sortOrder(a.element, b.element)
        if comparison != 0 { return term.isDescending ? comparison > 0 : comparison < 0 }
      }
      return a.offset < b.offset
    }.map(\.element)
    if filters.random.next(4) == 0,
      let after = model.people.filter({ $0.key != nil }).randomElement(using: &filters.random),
      let key = after.key
    {
      query = query.after(key)
      text += "  after \(key)"
      found = Array(found.drop { $0 !== after }.dropFirst())
    }
    found = found.filter { filter.holds(for: .object($0)) }
    if filters.random.next(3) == 0 {
      let limit = filters.random.next(5)
      query = query.limit(limit)
      text += "  limit \(limit)"
      found = Array(found.prefix(limit))
    }
    (self.text, self.query, expected) = (text, query, found)
  }

  func check(_ snapshot: inout Snapshot, _ model: Model) throws {
    let comment = Comment(rawValue: text)
    let keyless = model.people.filter { $0.key == nil }
    let records: [Record]
    do {
      records = try snapshot.records(query)
    } catch {
      Issue.record("\(text): \(error)")
      return
    }
    #expect(records.map(\.key) == expected.map(\.key), comment)
    // Objects without a key are told apart by their values.
    for (record, object) in zip(records, expected) where record.key == nil && keyless.count > 1 {
      #expect(record["name"].map { $0 == object.name } ?? (object.name == nil), comment)
    }
    try #expect(snapshot.count(query) == expected.count, comment)
    try #expect(snapshot.exists(query) == !expected.isEmpty, comment)
    try #expect(snapshot.firstRecord(query)?.id == records.first?.id, comment)
    try #expect(snapshot.keys(query) == expected.compactMap(\.key), comment)
    try #expect(snapshot.explain(query).found == expected.count, comment)
    var rows: [PrimaryKey?] = []
    try snapshot.forEachRow(query) { row, key in
      rows.append(key)
      let found = try row["id"].key
      #expect(found == key, comment)
      return true
    }
    #expect(rows == expected.map(\.key), comment)
  }
}

extension ModelObject {
  fileprivate var name: Value? {
    if case .value(.string(let text))? = fields["name"] { .string(text) } else { nil }
  }
}

extension FilterPath {
  fileprivate func sortOrder(_ a: ModelObject, _ b: ModelObject) -> Int {
    func value(_ object: ModelObject) -> ModelValue? {
      switch nodes(from: .object(object)).first {
      case .value(let value): value
      case .object(let target): target.key?.value
      default: nil
      }
    }
    switch (value(a), value(b)) {
    case (nil, nil): return 0
    case (nil, _): return -1
    case (_, nil): return 1
    case (.boolean(let a)?, .boolean(let b)?): return a == b ? 0 : a ? 1 : -1
    case (let a?, let b?): return ModelOperand.value(a).order(to: .value(b)) ?? 0
    }
  }
}
