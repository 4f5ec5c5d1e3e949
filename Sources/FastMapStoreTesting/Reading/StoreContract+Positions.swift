internal import FastMapCore

// Pages after positions, while objects come, change and go.
extension StoreContract {
  static var positionChecks: [Check] {
    [false, true].flatMap { hasIndexes in
      [false, true].map { longOnes in
        Check(
          "Behind positions, no object that stays as it is comes twice or is skipped"
            + (hasIndexes ? ", with indexes" : "") + (longOnes ? ", with long values" : "")
        ) { contract in
          var random = SplitMix(state: (hasIndexes ? 41 : 43) + (longOnes ? 100 : 0))
          let mapping = IndexedItems.mapping(
            longOnes ? .string : .integer, hasIndexes ? IndexedItems.indexes : [])
          let bench = try contract.makeBench(mapping)
          for round in 0..<TestSize.rounds(small: 12, whole: 24) {
            var paging = Paging(bench: bench, longOnes: longOnes, round: round)
            try paging.run(&random)
          }
        }
      }
    }
  }
}

/// One query that is read page by page.
private struct Paging<S: Store> {
  let bench: Bench<S>
  let longOnes: Bool
  let round: Int

  /// The objects with these numbers stay as they are. Others come, change and go.
  private static var stable: Range<Int> { 0..<30 }
  private static var others: Range<Int> { 30..<60 }

  private var type: AttributeType { longOnes ? .string : .integer }

  mutating func run(_ random: inout SplitMix) throws {
    try load(Self.stable, &random)
    try load(Self.others, &random)
    let (query, name) = try query(&random)
    let expected = try bench.store.read(bench.plan) { try $0.keys(query) }.filter(isStable)
    var found: [PrimaryKey] = []
    var position: Position?
    for _ in 0..<1000 {
      let page = try page(query.limit(1 + random.next(6)), behind: position)
      let keys = page.elements.compactMap(\.key)
      found += keys
      guard let last = keys.last else {
        try expect("\(name): the position of an empty page", page.position, is: position)
        break
      }
      position = page.position
      try change(behind: last, &random)
    }
    try expect("\(name): the objects that stay", found.filter(isStable), is: expected)
  }

  private func page(_ query: Query<Plan>, behind position: Position?) throws -> QueryPage<Record> {
    let text = position?.description
    let read = try text.map { try Position($0) }
    try expect("a position read from its text", read, is: position)
    return try bench.store.read(bench.plan) { snapshot in
      try ForcedIndex.choosing(round % 2 == 0 ? nil : round) { try snapshot.recordPage(query.after(read)) }
    }
  }

  private func isStable(_ key: PrimaryKey) -> Bool { Self.stable.contains(number(of: key)) }

  /// The number that ``IndexedItems/key(_:_:)`` has made the key of.
  private func number(of key: PrimaryKey) -> Int {
    switch key {
    case .integer(let value): Int(value) + 40
    case .string(let text): Int(text.drop { $0 == "k" }) ?? -1
    }
  }

  /// Changes and deletes objects that do not stay, mostly the object in front of the position.
  private func change(behind last: PrimaryKey, _ random: inout SplitMix) throws {
    let some = (0..<random.next(4)).map { _ in Self.others.lowerBound + random.next(Self.others.count) }
    for number in some { try load(number..<number + 1, &random) }
    var going = (0..<random.next(3)).map { _ in Self.others.lowerBound + random.next(Self.others.count) }
    if !isStable(last) {
      let number = number(of: last)
      if random.next(2) == 0 { going.append(number) } else { try load(number..<number + 1, &random) }
    }
    let gone = Set(going)
    try bench.write { writer in
      let keyed = try writer.keyedObjects(of: 0).filter { gone.contains(number(of: $0.key)) }
      _ = try writer.delete(keyed.map(\.id), of: 0)
    }
  }

  private func load(_ numbers: Range<Int>, _ random: inout SplitMix) throws {
    let objects = numbers.map { number in
      IndexedItems.object(IndexedItems.key(number, type), &random, longOnes: longOnes)
    }
    try bench.load("[" + objects.joined(separator: ",") + "]")
  }

  private func query(_ random: inout SplitMix) throws -> (Query<Plan>, String) {
    var query = bench.plan.query
    var name = "a query"
    let filters = [
      nil, nil, "@.status", "@.number >= 0", "lower(@.status) != \"a\"", "@.team == \"t1\" || !@.real",
      "@.status == \"open\"",
    ]
    if let filter = filters[random.next(filters.count)] {
      query = query.where(try Filter(filter))
      name += " with \(filter)"
    }
    let orders: [[(String, Bool)]] = [
      [], [("id", false)], [("id", true)], [("status", false)], [("status", true)],
      [("status", false), ("number", true)], [("at", true), ("flag", false)], [("real", false)],
      [("real", true), ("number", true)], [("blob", false), ("status", false)], [("team", true)],
      [("flag", true), ("real", false)],
    ]
    for (field, isDescending) in orders[random.next(orders.count)] {
      let isLowercased = field == "status" && random.next(3) == 0
      let path = FilterTerm.path(FilterPath([FilterStep(.name(field))]))
      query = query.sorted(by: isLowercased ? .lowercased(path) : path, descending: isDescending)
      name += ", by \(isDescending ? "-" : "")\(field)\(isLowercased ? " in lower case" : "")"
    }
    return (query, name)
  }
}

extension StoreWriter {
  fileprivate mutating func keyedObjects(of entity: Int) throws -> [(id: ObjectID, key: PrimaryKey)] {
    var found: [(id: ObjectID, key: PrimaryKey)] = []
    try reader.forEachPage(of: entity, keys: nil, isDescending: false, pageSize: 1000) { _, page in
      for case (let id, let key?) in zip(page.ids, page.keys) { found.append((id, key)) }
      return true
    }
    return found
  }
}
