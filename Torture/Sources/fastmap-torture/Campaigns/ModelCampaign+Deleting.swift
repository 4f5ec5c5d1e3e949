import FastMapCore
import FastMapLMDB

/// Deletions by key, by keys, by ranges, and of all objects of an entity.
extension ModelCampaign {
  mutating func delete(_ policies: Policies) throws {
    let old = model.counts
    let report = try delete(policies, with: world.plan(policies), from: open())
    let new = model.counts
    let expected = old.mapValues { $0 }.reduce(into: [String: Int]()) { all, entity in
      let gone = entity.value - new[entity.key, default: 0]
      if gone > 0 { all[entity.key] = gone }
    }
    let found = Dictionary(uniqueKeysWithValues: report.entities.map { ($0.entity, $0.counts.deleted) })
    if found != expected { fault("\(policies.words): deleted \(found) for \(expected)") }
    run.add(to: "deletions")
    run.add(report.total, to: "objects gone with them")
  }

  private mutating func delete(
    _ policies: Policies, with plan: Plan, from store: LMDBStore
  ) throws -> DeletionReport {
    switch random.next(below: 40) {
    case 0:
      model.delete(Set(model.nodes.keys.map { .node($0) }), policies)
      return try store.delete(plan.query(of: "Node"))
    case 1:
      model.delete(Set(model.tags.keys.map { .tag($0) }), policies)
      return try store.delete(plan.query(of: "Tag"))
    case 2:
      model.deleteNotes()
      return try store.delete(plan.query(of: "Note"))
    case 3:
      model.deleteBoxes()
      return try store.delete(plan.query(of: "Box"))
    case 4..<10:
      let key = random.pick(model.tagKeys + ["no tag"])
      model.delete([.tag(key)], policies)
      return try store.delete(plan.query(of: "Tag").keys([key]))
    case 10..<20:
      // Some occur more than once, and some are not stored.
      let keys = (0..<random.next(below: random.once(in: 10) ? 100 : 6)).map { _ in someKey() }
      model.delete(Set(keys.map { .node($0) }), policies)
      return try store.delete(plan.query(of: "Node").keys(keys))
    case 20..<28:
      let range = someRange()
      model.delete(Set(model.nodeKeys(range).map { .node($0) }), policies)
      if range.isHalfOpen, let lower = range.lower, let upper = range.upper {
        return try store.delete(plan.query(of: "Node").keys(lower..<upper))
      }
      return try store.delete(plan.query(of: "Node").keys(KeyRange(from: range.lower, to: range.upper)))
    default:
      let key = someKey()
      model.delete([.node(key)], policies)
      return try store.delete(plan.query(of: "Node").keys([key]))
    }
  }

  /// A key that a node may have.
  mutating func someKey() -> PrimaryKey {
    PayloadMaker.key(random.next(below: keyCount + 2), isText: world.hasTextKeys)
  }

  /// A range, usually a short one. It is half-open only if it has both bounds in order.
  mutating func someRange() -> Model.KeyRange {
    let keys = model.nodeKeys()
    var range = Model.KeyRange(lower: someKey(), upper: someKey())
    if !keys.isEmpty, !random.once(in: 4) {
      let first = random.next(below: keys.count)
      range = .init(lower: keys[first], upper: keys[min(keys.count - 1, first + random.next(below: 6))])
    }
    guard let lower = range.lower, let upper = range.upper else { return range }
    if !Model.isBefore(upper, lower), random.once(in: 3) { range.isHalfOpen = true }
    if random.once(in: 12) {
      range = random.once(in: 2) ? .init(upper: upper) : .init(lower: lower)
    }
    return range
  }
}
