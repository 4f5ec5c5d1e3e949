/// Makes errors of objects with the same values in a unique index. A relationship is shown as the key of its target.
struct UniquenessErrors {
  private let plan: Plan
  /// Nil for a target without a key.
  private var keys: [ObjectIdentity: PrimaryKey?] = [:]

  init(_ plan: Plan) { self.plan = plan }

  /// Reads the keys of all targets among the values of pairs, in sets.
  mutating func readTargets<R: StoreReader>(of pairs: [DuplicateValues], in reader: inout R) throws {
    try readKeys(of: pairs.flatMap { try targets(of: $0, in: &reader) }, in: &reader)
  }

  private mutating func readKeys<R: StoreReader>(of targets: [ObjectIdentity?], in reader: inout R) throws {
    var wanted: [Int: Set<ObjectID>] = [:]
    for case let target? in targets where keys[target] == nil {
      wanted[target.entity, default: []].insert(target.id)
    }
    for (entity, ids) in wanted.mapValues({ $0.sorted() }) {
      for id in ids { keys[.init(entity: entity, id: id)] = .some(nil) }
      for start in stride(from: 0, to: ids.count, by: 4096) {
        let some = Array(ids[start..<min(start + 4096, ids.count)])
        try reader.read(some, of: entity) { index, row in
          keys[.init(entity: entity, id: some[index])] = row.key(in: plan.traits.keyFields[entity])
        }
      }
    }
  }

  /// The targets among the values of a pair. If the schema lacks a field of the index, there are none, and no key is shown.
  private func targets<R: StoreReader>(
    of pair: DuplicateValues, in reader: inout R
  ) throws -> [ObjectIdentity?] {
    let layout = plan.schema.entities[pair.entity]
    let index = try (layout.indexes + reader.indexes(of: pair.entity))
      .first { $0.name.utf8.elementsEqual(pair.index.utf8) }
    return pair.contents.enumerated().map { place, content in
      guard case .object(let id) = content, let index, place < index.parts.count,
        let target = layout.fields[index.parts[place].field].kind.target
      else { return nil }
      return ObjectIdentity(entity: target.entity, id: id)
    }
  }

  /// - Parameter pair: The object that stays comes first.
  mutating func error(of pair: DuplicateValues, in reader: inout some StoreReader) throws -> UniquenessError {
    let targets = try targets(of: pair, in: &reader)
    try readKeys(of: targets, in: &reader)
    let values = zip(pair.contents, targets).map { content, target -> Value in
      if case .value(let value) = content { return value }
      return switch target.flatMap({ keys[$0] ?? nil }) {
      case .integer(let key): .integer(key)
      case .string(let key): .string(key)
      case nil: .null
      }
    }
    return UniquenessError(
      entity: plan.schema.entities[pair.entity].name, index: pair.index, values: values,
      keys: [pair.first.key, pair.second.key])
  }
}
