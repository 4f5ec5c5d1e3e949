/// Makes errors of objects with the same values in a unique index. A relationship is shown as the key of its target.
struct UniquenessErrors {
  private let plan: Plan
  /// Nil for a target without a key.
  private var keys: [ObjectIdentity: PrimaryKey?] = [:]

  init(_ plan: Plan) { self.plan = plan }

  /// Reads the keys of all targets among the values of pairs, in sets.
  mutating func readTargets<R: StoreReader>(of pairs: [DuplicateValues], in reader: inout R) throws {
    var wanted: [Int: Set<ObjectID>] = [:]
    for pair in pairs {
      for case let target? in try targets(of: pair, in: &reader) where keys[target] == nil {
        wanted[target.entity, default: []].insert(target.id)
      }
    }
    for (entity, ids) in wanted {
      let fields = plan.traits.keyFields[entity]
      let ids = ids.sorted()
      for id in ids { keys[.init(entity: entity, id: id)] = .some(nil) }
      for start in stride(from: 0, to: ids.count, by: 4096) {
        let some = Array(ids[start..<min(start + 4096, ids.count)])
        try reader.read(some, of: entity) { index, row in
          keys[.init(entity: entity, id: some[index])] = row.key(in: fields)
        }
      }
    }
  }

  /// The targets among the values of a pair. If the schema lacks a field of the index, there are none, and no key is shown.
  private func targets<R: StoreReader>(
    of pair: DuplicateValues, in reader: inout R
  ) throws -> [ObjectIdentity?] {
    let layout = plan.schema.entities[pair.entity]
    let indexes = try layout.indexes + reader.indexes(of: pair.entity)
    let index = indexes.first { $0.name.utf8.elementsEqual(pair.index.utf8) }
    return pair.contents.enumerated().map { place, content in
      guard case .object(let id) = content, let index, place < index.parts.count,
        let target = layout.fields[index.parts[place].field].kind.target
      else { return nil }
      return ObjectIdentity(entity: target.entity, id: id)
    }
  }

  /// - Parameter pair: The object that stays comes first.
  mutating func error<R: StoreReader>(of pair: DuplicateValues, in reader: inout R) throws -> UniquenessError
  {
    try readTargets(of: [pair], in: &reader)
    let values = try zip(pair.contents, targets(of: pair, in: &reader)).map { content, target -> Value in
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
