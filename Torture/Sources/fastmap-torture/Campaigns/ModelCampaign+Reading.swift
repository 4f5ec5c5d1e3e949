import FastMapCore
import FastMapLMDB

/// Reads of many keys, of ranges and of relationships, compared with the model.
extension ModelCampaign {
  /// A node as a read returns it.
  private struct Answer: Equatable {
    let key: PrimaryKey?
    let values: [String: Value]
  }

  mutating func read() throws {
    let keys = (0..<random.next(below: random.once(in: 5) ? 200 : 12)).map { _ in someKey() }
    let range = someRange()
    let isDescending = random.once(in: 2)
    let limit = random.pick([1, 3, 20, .max])
    let store = try open()
    let plan = try world.plan(Policies(.assign), isWhole: true)
    let wrong = try store.read(plan) { reader in
      try faults(&reader, plan, keys: keys)
        + faults(&reader, plan, range, isDescending, limit)
        + faults(&reader, around: keys.first ?? 0)
    }
    run.add(to: "reads")
    run.add(keys.count, to: "keys read in sweeps")
    if let first = wrong.first { fault("read of \(first)") }
  }

  private func faults(
    _ reader: inout Snapshot, _ plan: Plan, keys: [PrimaryKey]
  ) throws -> [String] {
    let found = try reader.records(plan.query(of: "Node").keys(keys)).map(answer)
    let asked = Set(keys)
    return fault(found, answers(model.nodeKeys().filter(asked.contains)), "\(keys.count) keys")
  }

  private func faults(
    _ reader: inout Snapshot, _ plan: Plan, _ range: Model.KeyRange, _ isDescending: Bool, _ limit: Int
  ) throws -> [String] {
    let all = model.nodeKeys(range)
    let expected = answers(Array((isDescending ? all.reversed() : all).prefix(limit)))
    let words = "\(range), \(isDescending ? "descending" : "ascending"), \(limit)"
    var query = plan.query(of: "Node")
    if range.isHalfOpen, let lower = range.lower, let upper = range.upper {
      query = query.keys(lower..<upper)
    } else {
      query = query.keys(KeyRange(from: range.lower, to: range.upper))
    }
    let count = try reader.count(query)
    if isDescending { query = query.sorted(by: plan.root.primaryKey ?? "", descending: true) }
    let found = try reader.records(query.limit(limit))
    return fault(found.map(answer), expected, words) + fault(count, all.count, "the count of \(words)")
      + fault(try reader.count(of: "Node"), model.nodes.count, "the count of all")
  }

  /// The targets of the node with a key.
  private func faults(
    _ reader: inout Snapshot, around key: PrimaryKey
  ) throws -> [String] {
    let record = try reader.record("Node", key: key)
    var faults = fault(record != nil, model.nodes[key] != nil, "whether \(key) is there")
    guard let node = model.nodes[key], let record else { return faults }
    for link in Link.allCases {
      let found = try reader.records(world.stored("\(link)"), of: record).map(\.key)
      faults += fault(found, Model.targets(of: node, link), "\(link) of \(key)")
    }
    return faults
  }

  // MARK: Answers

  private func answers(_ keys: [PrimaryKey]) -> [Answer] {
    keys.map { Answer(key: $0, values: model.nodes[$0]?.values ?? [:]) }
  }

  private func answer(_ record: Record) -> Answer {
    let names = Dictionary(uniqueKeysWithValues: world.names.map { ($0.value, $0.key) })
    let values = record.values.map { (names[$0.name] ?? $0.name, $0.value.inModel) }
    return Answer(key: record.key, values: Dictionary(uniqueKeysWithValues: values))
  }

  private func fault<Found: Equatable>(_ found: Found, _ expected: Found, _ what: String) -> [String] {
    found == expected ? [] : ["\(what): \("\(found)".prefix(600)) for \("\(expected)".prefix(600))"]
  }
}
