/// An inverse in a filter that wants one of some owners, by their keys.
///
///     @.parent == 7                 only targets of Parent.children of the object 7
///     @.parents[?@.id == 7]         the same of an inverse to many
///
/// The lists of the owners contain every possible match. The whole filter is tested on each object, because the first
/// of its owners may be another one.
package struct InverseBound {
  /// The number of the inverse in its entity.
  let number: Int
  /// The keys of the owners, ascending and without repeats.
  let keys: [PrimaryKey]

  /// The bound with the fewest owners; nil if the filter has none.
  static func fewest(in query: BoundQuery) -> InverseBound? {
    let entity = query.plan.schema.entities[query.entity]
    if entity.inverses.isEmpty { return nil }
    let parts = if case .all(let all) = query.condition { all } else { [query.condition] }
    return parts.compactMap { InverseBound($0, of: entity, query.plan) }.min { $0.keys.count < $1.keys.count }
  }

  /// The bound that a part of a filter is, if it has to be true; nil if it is none.
  private init?(_ part: BoundFilter.Condition, of entity: Schema.Entity, _ plan: Plan) {
    switch part {
    case .compare(.path(let path), .equal, .literal(let value)),
      .compare(.literal(let value), .equal, .path(let path)):
      self.init(path, [value], of: entity, plan)
    case .isOne(.path(let path), let values):
      self.init(path, values, of: entity, plan)
    case .exists(let path):
      guard case .inverseToMany(let number, let selectors)? = path.steps.first, selectors.count == 1,
        case .filtered(let filter) = selectors[0]
      else { return nil }
      switch AccessPlanner.access(filter.condition, [], filter.entity, plan).0 {
      case .lookUp(let keys): self.init(number: number, keys: keys)
      case .nothing: self.init(number: number, keys: [])
      case .scan, .keys, .index, .targets: return nil
      }
    case .any(let parts):
      let bounds = parts.compactMap { InverseBound($0, of: entity, plan) }
      guard bounds.count == parts.count, let number = bounds.first?.number,
        bounds.allSatisfy({ $0.number == number })
      else { return nil }
      self.init(number: number, keys: bounds.flatMap(\.keys))
    default: return nil
    }
  }

  /// A to-one inverse that equals one of some keys.
  private init?(_ path: BoundFilter.Path, _ values: [Value], of entity: Schema.Entity, _ plan: Plan) {
    guard path.steps.count == 1, case .inverseToOne(let number) = path.steps[0] else { return nil }
    switch path.end {
    case .object: break
    case .attribute(let field):
      guard plan.traits.keyFields[entity.inverses[number].entity] == [field] else { return nil }
    case .json: return nil
    }
    let (keys, others) = PrimaryKey.among(values)
    if others > 0 { return nil }
    self.init(number: number, keys: keys)
  }

  private init?(number: Int, keys: [PrimaryKey]) {
    // More lists may be as long as a scan.
    let distinct = Set(keys)
    if distinct.count > IndexPlanner.mostRanges { return nil }
    self.number = number
    self.keys = distinct.sorted()
  }
}

extension StoreReader {
  /// The objects in the lists of some owners, ascending by key.
  ///
  /// - Parameter most: The greatest number of objects for which using the lists pays.
  /// - Returns: Nil if there are more, or if one of them has no key, because its place in the order is not known.
  package mutating func objects(in bound: InverseBound, of query: BoundQuery, most: Int) throws -> ObjectPage?
  {
    let schema = query.plan.schema
    let entity = schema.entities[query.entity]
    guard let keyField = entity.keyField, query.plan.traits.keyFields[query.entity] == [keyField] else {
      return nil
    }
    let inverse = entity.inverses[bound.number]
    let owners = try checkedFind(bound.keys, of: inverse.entity).compactMap(\.self)
    var ids: [ObjectID] = []
    // A piece at a time: the length of a list is not known before it is read.
    for start in stride(from: 0, to: owners.count, by: 64) {
      let piece = Array(owners[start..<min(start + 64, owners.count)])
      for list in try checkedTargets(of: piece, entity: inverse.entity, fields: [inverse.field])[0] {
        ids += list
      }
      if ids.count > most { ids = ids.sortedUnique() }
      if ids.count > most { return nil }
    }
    ids = ids.sortedUnique()
    var keys = [PrimaryKey?](repeating: nil, count: ids.count)
    try read(ids, of: query.entity) { index, row in
      try row.check(index, of: ids, fields: entity.fields.count)
      keys[index] = PrimaryKey(slot: row[keyField].slot)
    }
    guard !keys.contains(nil) else { return nil }
    let order = keys.indices.sorted { a, b in
      guard let first = keys[a], let second = keys[b] else { return false }
      return first < second
    }
    return ObjectPage(ids: order.map { ids[$0] }, keys: order.map { keys[$0] })
  }
}
