internal import CFastMap
public import FastMapStoreKit

/// Indexes of a write.
extension LMDBWriter {
  public mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) throws {
    let all = reader.layout.indexes
    let total = all.reduce(0) { sum, index in
      sum + indexes.looks(for: index) * Int(reader.layout.entities[Int(index.entity)].counts.objects)
    }
    var done = 0
    reader.layout.indexes = try environment.whole {
      try indexes.finish(all) { objects in
        done += objects
        try onProgress(done, total)
      }
    }
  }

  public mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {
    let (binding, layout) = (reader.binding, reader.layout)
    try environment.whole {
      try indexes.forEachPair(limit: limit, in: { binding.entity(ofNumber: $0.entity) != nil }) { pair in
        guard let entity = binding.entity(ofNumber: pair.index.entity) else { return }
        try body(
          DuplicateValues(
            entity: entity, index: pair.index.name(in: layout),
            contents: pair.index.parts.map { pair.second.content(of: Int($0.field)) },
            first: pair.first.indexed, second: pair.second.indexed))
      }
    }
  }

  /// Builds new indexes, and refuses objects with the same values in a unique index.
  mutating func finishIndexes() throws {
    try buildIndexes { _, _ in }
    try indexes.forEachPair(limit: 1) { throw try indexes.error(of: $0, in: reader.layout) }
  }
}

extension IndexWriter {
  /// The error that users see. A relationship is shown as the key of its target.
  func error(of pair: Pair, in layout: StoreLayout) throws -> UniquenessError {
    var finder = KeyFinder(view, tables)
    let values = try pair.index.parts.map { part -> Value in
      switch pair.second.content(of: Int(part.field)) {
      case .none: return .null
      case .value(let value): return value
      case .object(let id):
        guard try finder.find(id) else { return .null }
        return switch PrimaryKey(slot: RecordKey(finder.key.bytes).slot) {
        case .integer(let key): .integer(key)
        case .string(let key): .string(key)
        case nil: .null
        }
      }
    }
    return UniquenessError(
      entity: layout.entities[Int(pair.index.entity)].name, index: pair.index.name(in: layout),
      values: values, keys: [pair.first.indexed.key, pair.second.indexed.key])
  }
}

extension RecordView {
  fileprivate var indexed: DuplicateValues.Object { .init(id: id, key: PrimaryKey(slot: key.slot)) }

  fileprivate func content(of field: Int) -> IndexRange.Content {
    guard let slot = slot(field) else { return .none }
    if let target = slot.object { return .object(target) }
    return slot.value.flatMap { $0 == .null ? nil : .value($0) } ?? .none
  }
}

extension LMDBStore {
  public func dropIndex(_ name: String, of entity: String) throws {
    guard !isReadOnly else { throw environment.error(.readOnly) }
    try environment.write { transaction in
      let old = try StoreLayout(transaction.view, tables, isWriting: true)
      guard let stored = old.entities.first(where: { $0.name.utf8.elementsEqual(entity.utf8) }) else {
        throw UnknownNameError(entity: entity, among: old.entities.map(\.name))
      }
      let indexes = old.indexes.filter { $0.entity == stored.number }
      guard let index = indexes.first(where: { $0.name(in: old).utf8.elementsEqual(name.utf8) }) else {
        throw UnknownNameError(index: name, of: stored.name, among: indexes.map { $0.name(in: old) })
      }
      var layout = old
      layout.indexes.removeAll { $0.number == index.number }
      try IndexWriter(old.indexes, transaction.view, tables).remove(index)
      try layout.write(WriteView(view: transaction.view), tables, since: old)
    }
  }
}
