internal import FastMapSQL
public import FastMapStoreKit

/// The objects that a write has inserted and updated in entities with a unique index, shared by the copies of a writer.
final class Touched {
  fileprivate var objects: [Int64: [ObjectID]] = [:]
  /// The indexes that are new, or were not unique before, by their numbers.
  fileprivate var newIndexes: Set<Int64> = []

  func add(_ batch: ChangeBatch, _ binding: SQLBinding) {
    for change in batch.changes {
      guard let stored = binding[change.entity]?.stored, stored.indexes.contains(where: \.isUnique) else {
        continue
      }
      objects[stored.number, default: []].append(change.id)
    }
  }
}

/// Declared indexes, in the transaction of the write.
extension SQLiteWriter {
  public mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) throws {
    let old = Set(reader.catalog.entities.flatMap(\.indexes).filter(\.isUnique).map(\.number))
    var catalog = reader.catalog
    try catalog.extend(to: reader.schema, indexes: true, connection)
    let new = Set(catalog.entities.flatMap(\.indexes).filter(\.isUnique).map(\.number))
    touched.newIndexes.formUnion(new.subtracting(old))
    reader = try SQLiteReader(connection, catalog, reader.schema)
  }

  public mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {
    var rest = limit
    for entity in reader.schema.entities.indices {
      guard let bound = reader.binding[entity] else { continue }
      for index in bound.stored.indexes where index.isUnique && rest > 0 {
        try forEachDuplicate(in: index, of: bound.stored, entity, limit: rest) {
          rest -= 1
          try body($0)
        }
      }
    }
  }

  private func forEachDuplicate(
    in index: SQLCatalog.Index, of table: SQLCatalog.Entity, _ entity: Int, limit: Int,
    _ body: (DuplicateValues) throws -> Void
  ) throws {
    let isNew = touched.newIndexes.contains(index.number)
    let ids = touched.objects[table.number] ?? []
    if !isNew, ids.isEmpty { return }
    let fields = index.parts.compactMap { part in table.fields.first { $0.number == part.field } }
    let columns = zip(index.parts, fields).flatMap { part, field in
      Conditions.sortColumns("", field.kind).indices.map { place in
        SQLDuplicates.Column(isOptional: place > 0, isDescending: part.isDescending) { alias in
          Conditions.sortColumns(alias + field.identifier, field.kind)[place]
        }
      }
    }
    let select = (["fastmap_id", "fastmap_key"] + fields.map(\.identifier)).map { "t.\($0)" }
    let order = zip(index.parts, fields).flatMap { part, field in
      Conditions.sortColumns("t.\(field.identifier)", field.kind).map {
        "\($0) \(part.isDescending ? "DESC" : "ASC")"
      }
    }
    let sql = SQLDuplicates.statement(
      table: table.identifier, columns: columns, present: fields.map(\.identifier),
      touched: isNew ? nil : "SELECT value FROM json_each(?1)", select: select.joined(separator: ", "),
      order: (order + ["(t.fastmap_key IS NULL)", "t.fastmap_key", "t.fastmap_id"]).joined(separator: ", "),
      limit: limit)
    var count = 0
    try connection.query(sql) { statement in
      if !isNew { try statement.bind(ids, at: 1) }
      var last: (contents: [IndexRange.Content], object: DuplicateValues.Object)?
      while count < limit, try statement.step() {
        let contents = try statement.position(fields).contents
        let object = DuplicateValues.Object(id: statement.id(0), key: try statement.key(1))
        if let last, last.contents.isSame(as: contents) {
          count += 1
          try body(
            DuplicateValues(
              entity: entity, index: index.name, contents: contents, first: last.object, second: object))
        }
        last = (contents, object)
      }
    }
  }

  /// Makes the indexes, and fails if a unique one has two objects with the same values.
  mutating func finish() throws {
    try buildIndexes { _, _ in }
    var found: DuplicateValues?
    try forEachDuplicate(limit: 1) { found = $0 }
    guard let pair = found else { return }
    let entity = reader.schema.entities[pair.entity]
    let parts = try reader.indexes(of: pair.entity).first { $0.name.utf8.elementsEqual(pair.index.utf8) }?
      .parts
    let values = try pair.contents.enumerated().map { place, content -> Value in
      switch content {
      case .none: return .null
      case .value(let value): return value
      case .object(let id):
        guard let parts, let target = entity.fields[parts[place].field].kind.target?.entity,
          let table = reader.binding[target]?.stored
        else { return .null }
        let sql = "SELECT fastmap_key FROM \(table.identifier) WHERE fastmap_id = ?1"
        return try connection.query(sql) { statement in
          try statement.bind(id, at: 1)
          guard try statement.step(), let key = try statement.key(0) else { return .null }
          switch key {
          case .integer(let key): return .integer(key)
          case .string(let key): return .string(key)
          }
        }
      }
    }
    throw UniquenessError(
      entity: entity.name, index: pair.index, values: values, keys: [pair.first.key, pair.second.key])
  }
}

extension SQLiteStore {
  public func dropIndex(_ name: String, of entity: String) throws {
    try turn.take {
      try pool.transact("BEGIN IMMEDIATE") { connection in
        let stored = try connection.catalog().entity(named: entity)
        guard let index = stored?.index(named: name) else {
          throw UnknownNameError(index: name, of: entity, among: stored?.indexes.map(\.name) ?? [])
        }
        connection.known = nil
        try connection.execute("DROP INDEX \(index.sqlName)")
        try connection.query("DELETE FROM fastmap_index WHERE number = ?1") { statement in
          try statement.bind(index.number, at: 1)
          try statement.step()
        }
        return .commit(())
      }
    }
  }
}

extension [IndexRange.Content] {
  /// Whether all values are the same: strings by their bytes, which `==` does not compare.
  fileprivate func isSame(as other: [IndexRange.Content]) -> Bool {
    zip(self, other).allSatisfy { a, b in
      if case .value(.string(let a)) = a, case .value(.string(let b)) = b {
        return a.utf8.elementsEqual(b.utf8)
      }
      return a == b
    }
  }
}
