import FastMapCore
import FastMapStoreTesting

/// A random query, with the objects that it should find.
struct RandomQuery {
  let text: String
  let query: Query<Plan>
  let expected: [ModelObject]

  init(_ filters: inout RandomFilter<some RandomNumberGenerator>, _ model: Model) throws {
    var query = try Model.person.plan().query
    var text = filters.text()
    if filters.random.below(8) == 0 { text += " && @.id >= \(filters.random.below(6) - 3)" }
    if filters.random.below(16) == 0 { text += " && (@.id == 2 || @.id == 0 || @ == 4)" }
    if filters.random.below(4) > 0 { text += " && \(filters.bound())" }
    var filter = try Filter(text)
    if filters.random.below(6) == 0 {
      let name = Model.names[filters.random.below(Model.names.count)]
      let prefix = String(String.UnicodeScalarView(name.unicodeScalars.dropLast(filters.random.below(2))))
      let path = FilterPath([FilterStep(.name("name"))])
      filter = .all([filter, Filter(.text(.path(path), .hasPrefix, .literal(.string(prefix))))])
      text += "  with the prefix \(prefix)"
    }
    query = query.where(filter)
    var order: [(path: FilterPath, isLowercased: Bool, isDescending: Bool)] = []
    let isByKey = filters.random.below(8) == 0
    if isByKey { order = [(FilterPath([FilterStep(.name("id"))]), false, filters.random.below(2) == 0)] }
    for _ in 0..<(isByKey ? 0 : max(0, filters.random.below(4) - 1)) {
      let paths = [
        "id", "name", "age", "height", "active", "born", "photo", "boss", "boss.name", "team", "team.size",
        "assistant", "assistant.name", "team.label.name",
      ]
      let names = paths[filters.random.below(paths.count)].split(separator: ".")
      order.append(
        (
          FilterPath(names.map { FilterStep(.name(String($0))) }),
          names.last == "name" && filters.random.below(3) == 0, filters.random.below(2) == 0
        ))
    }
    for term in order {
      query = query.sorted(
        by: term.isLowercased ? .lowercased(.path(term.path)) : .path(term.path),
        descending: term.isDescending)
      text += "  sort \(term.isDescending ? "-" : "")\(term.isLowercased ? "lower " : "")\(term.path)"
    }
    var found = model.people.enumerated().sorted { a, b in
      for term in order {
        let comparison = term.path.sortOrder(a.element, b.element, isLowercased: term.isLowercased)
        if comparison != 0 { return term.isDescending ? comparison > 0 : comparison < 0 }
      }
      return a.offset < b.offset
    }.map(\.element)
    if filters.random.below(4) == 0,
      let after = model.people.filter({ $0.key != nil }).randomElement(using: &filters.random),
      let key = after.key
    {
      query = query.after(key: key)
      text += "  after \(key)"
      found = Array(found.drop { $0 !== after }.dropFirst())
    }
    found = found.filter { filter.holds(for: .object($0)) }
    if filters.random.below(3) == 0 {
      let limit = filters.random.below(5)
      query = query.limit(limit)
      text += "  limit \(limit)"
      found = Array(found.prefix(limit))
    }
    (self.text, self.query, expected) = (text, query, found)
  }

  /// Asks in each way that a snapshot has.
  func check(_ snapshot: inout Snapshot, _ model: Model) throws {
    do {
      let records = try snapshot.records(query)
      try expect(text, records.map(\.key), is: expected.map(\.key))
      // Objects without a key are told apart by their values.
      if model.people.count(where: { $0.key == nil }) > 1 {
        for (record, object) in zip(records, expected) where record.key == nil {
          try expect("\(text): a name", record["name"] ?? .null, is: object.name)
        }
      }
      try expect("\(text): the count", snapshot.count(query), is: expected.count)
      try expect("\(text): whether there is one", snapshot.exists(query), is: !expected.isEmpty)
      try expect("\(text): the first", snapshot.records(query.limit(1)).first?.id, is: records.first?.id)
      try expect("\(text): the keys", snapshot.keys(query), is: expected.compactMap(\.key))
      try expect("\(text): explained", snapshot.explain(query).found, is: expected.count)
      var rows: [PrimaryKey?] = []
      try snapshot.forEachRow(query) { row, key in
        rows.append(key)
        try expect("\(text): the key of a row", row["id"].key, is: key)
        return true
      }
      try expect("\(text): the rows", rows, is: expected.map(\.key))
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(reason: "\(text): \(error)")
    }
  }
}

extension ModelObject {
  fileprivate var name: Value {
    if case .value(.string(let text))? = fields["name"] { .string(text) } else { .null }
  }
}

extension FilterPath {
  fileprivate func sortOrder(_ a: ModelObject, _ b: ModelObject, isLowercased: Bool) -> Int {
    func value(_ object: ModelObject) -> ModelValue? {
      switch nodes(from: .object(object)).first {
      case .value(.string(let text)) where isLowercased: .string(text.modelLowercased)
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
