/// Makes errors of objects with the same values in a unique index. A relationship is shown as the key of its target.
struct UniquenessErrors {
  private let plan: Plan
  private var keys: [ObjectID: PrimaryKey] = [:]
  private var known: Set<ObjectID> = []

  init(_ plan: Plan) { self.plan = plan }

  /// Reads the keys of all targets among the values of pairs, in sets.
  mutating func readTargets<R: StoreReader>(of pairs: [DuplicateValues], in reader: inout R) throws {
    var wanted: [Int: Set<ObjectID>] = [:]
    for pair in pairs {
      let indexes = try plan.schema.entities[pair.entity].indexes + reader.indexes(of: pair.entity)
      // If the schema lacks a field of the index, no key is shown.
      guard let index = indexes.first(where: { $0.name.utf8.elementsEqual(pair.index.utf8) }) else {
        continue
      }
      for (part, content) in zip(index.parts, pair.contents) {
        guard case .object(let id) = content, !known.contains(id),
          let target = plan.schema.entities[pair.entity].fields[part.field].kind.target
        else { continue }
        wanted[target.entity, default: []].insert(id)
      }
    }
    for (entity, ids) in wanted {
      let fields = plan.traits.keyFields[entity]
      let ids = ids.sorted()
      known.formUnion(ids)
      for start in stride(from: 0, to: ids.count, by: 4096) {
        let some = Array(ids[start..<min(start + 4096, ids.count)])
        try reader.read(some, of: entity) { index, row in
          if let key = row.key(in: fields) { keys[some[index]] = key }
        }
      }
    }
  }

  /// - Parameter pair: The object that stays comes first.
  mutating func error<R: StoreReader>(of pair: DuplicateValues, in reader: inout R) throws -> UniquenessError
  {
    try readTargets(of: [pair], in: &reader)
    let values = pair.contents.map { content -> Value in
      switch content {
      case .none: .null
      case .value(let value): value
      case .object(let id):
        switch keys[id] {
        case .integer(let key): .integer(key)
        case .string(let key): .string(key)
        case nil: .null
        }
      }
    }
    return UniquenessError(
      entity: plan.schema.entities[pair.entity].name, index: pair.index, values: values,
      keys: [pair.first.key, pair.second.key])
  }
}
