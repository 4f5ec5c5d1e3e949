/// A copy of one stored object.
///
///     let lucas = try store.read(plan) { try $0.record("Person", key: 314) }
///     if case .string(let name)? = lucas?["name"] { print(name) }
///     let phones = lucas?.targets("phones") ?? []
///
/// A record has the attributes and relationships of the plan, and the objects of its inverses.
public struct Record: Sendable {
  /// The name of its entity.
  public let entity: String

  /// The object's number in the store.
  public let id: ObjectID

  /// Its primary key; nil for an object without one.
  public let key: PrimaryKey?

  /// The attributes with a value, in the order of the schema.
  public let values: [(name: String, value: Value)]

  fileprivate let links: [(name: String, targets: [ObjectID])]

  /// The value of an attribute; nil if it has none.
  ///
  /// - Complexity: O(*n*) in the attributes.
  public subscript(name: String) -> Value? { values.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

  /// The target of a to-one relationship or inverse; nil if it has none.
  public func target(_ name: String) -> ObjectID? { targets(name).first }

  /// The targets of a relationship, in order. The objects of an inverse ascend by key.
  public func targets(_ name: String) -> [ObjectID] {
    links.first { $0.name.utf8.elementsEqual(name.utf8) }?.targets ?? []
  }
}

extension StoreReader {
  /// A copy of an object; nil if it is not stored.
  ///
  /// - Parameters:
  ///   - id: The object's number.
  ///   - entity: The number of its entity in `schema`.
  ///   - schema: Any schema. The reader has its numbers afterwards.
  ///   - key: Its primary key if the caller knows it. Otherwise it is looked up.
  /// - Complexity: O(*n*) in its fields and targets, plus a look-up or two for an unknown key.
  package mutating func record(
    _ id: ObjectID, of entity: Int, in schema: Schema, key: PrimaryKey? = nil
  ) throws -> Record? {
    try use(schema)
    return try copy(id, of: entity, in: schema, key: key)
  }

  /// ``record(_:of:in:key:)`` of a reader that has the numbers of `schema`.
  package mutating func copy(_ id: ObjectID, of entity: Int, in schema: Schema, key: PrimaryKey? = nil) throws
    -> Record?
  {
    if prefersSets { return try records([id], of: entity, in: schema, keys: [key])[0] }
    // A set of one would take half as long again.
    let fields = schema.entities[entity].fields
    let found = try withRow(id, of: entity) { row in
      try row.check(fields: fields.count)
      return RecordRow(row, fields)
    }
    guard var row = found else { return nil }
    for (index, field) in fields.enumerated() {
      guard case .toMany = field.kind else { continue }
      row.add(try targets(of: id, entity: entity, field: index), of: field.name, index)
    }
    for inverse in schema.entities[entity].inverses {
      row.add(try owners(of: [id], by: inverse)[0], of: inverse.name, .max)
    }
    let foundKey = try key ?? self.keys(of: [id], entity, in: schema, [row], known: [nil])[0]
    return Record(entity: schema.entities[entity].name, id: id, key: foundKey, row)
  }

  /// Copies of objects; nil for each one that is not stored.
  ///
  /// This takes one question for the rows, one for the targets, and at most two for unknown keys.
  ///
  /// - Parameters:
  ///   - ids: In any order, with or without repeats.
  ///   - keys: Their primary keys as far as the caller knows them, as many as `ids`. The others are looked up.
  /// - Returns: As many results as `ids`, in the same order.
  package mutating func records(
    _ ids: [ObjectID], of entity: Int, in schema: Schema, keys: [PrimaryKey?]
  ) throws -> [Record?] {
    if ids.count == 1, !prefersSets {
      return [try record(ids[0], of: entity, in: schema, key: keys[0])]
    }
    let fields = schema.entities[entity].fields
    var rows = [RecordRow?](repeating: nil, count: ids.count)
    try read(ids, of: entity) { index, row in
      try row.check(index, of: ids, fields: fields.count)
      rows[index] = RecordRow(row, fields)
    }
    let stored = rows.indices.filter { rows[$0] != nil }
    let lists = fields.indices.filter { fields[$0].kind.isToMany }
    if !lists.isEmpty, !stored.isEmpty {
      let targets = try checkedTargets(of: stored.map { ids[$0] }, entity: entity, fields: lists)
      for (field, targets) in zip(lists, targets) {
        for (index, targets) in zip(stored, targets) {
          rows[index]?.add(targets, of: fields[field].name, field)
        }
      }
    }
    for inverse in schema.entities[entity].inverses where !stored.isEmpty {
      let owners = try owners(of: stored.map { ids[$0] }, by: inverse)
      for (index, owners) in zip(stored, owners) { rows[index]?.add(owners, of: inverse.name, .max) }
    }
    let found = try self.keys(of: ids, entity, in: schema, rows, known: keys)
    return rows.indices.map { index in
      rows[index].map { Record(entity: schema.entities[entity].name, id: ids[index], key: found[index], $0) }
    }
  }

  /// The keys of objects: the values that find them. The field of most keys is tried first.
  private mutating func keys(
    of ids: [ObjectID], _ entity: Int, in schema: Schema, _ rows: [RecordRow?], known: [PrimaryKey?]
  ) throws -> [PrimaryKey?] {
    var result = known
    let usual = schema.entities[entity].keyField.map { schema.entities[entity].fields[$0].name }
    for name in usual.map({ [$0, nil] }) ?? [nil] {
      var owners: [Int] = []
      var candidates: [PrimaryKey] = []
      for (index, row) in rows.enumerated() where result[index] == nil {
        for (field, value) in row?.values ?? [] where name.map({ NameIndex.isSame($0, field) }) ?? true {
          guard let key = value.key else { continue }
          owners.append(index)
          candidates.append(key)
        }
      }
      if candidates.isEmpty { continue }
      for (index, (key, id)) in zip(owners, zip(candidates, try checkedFind(candidates, of: entity))) {
        if id == ids[index], result[index] == nil { result[index] = key }
      }
    }
    return result
  }
}

/// A row that becomes a record.
private struct RecordRow {
  var values: [(name: String, value: Value)] = []
  /// In the order of the fields.
  var links: [(name: String, field: Int, targets: [ObjectID])] = []

  init(_ row: Row, _ fields: [Schema.Field]) {
    for (index, field) in fields.enumerated() {
      if case .attribute = field.kind {
        if let value = row[index].value, value != .null { values.append((field.name, value)) }
      } else if let target = row[index].target {
        links.append((field.name, index, [target]))
      }
    }
  }

  /// Adds a to-many relationship or an inverse. They come in the order of the fields, inverses after them.
  mutating func add(_ targets: [ObjectID], of name: String, _ field: Int) {
    let place = links.firstIndex { $0.field > field } ?? links.count
    links.insert((name, field, targets), at: place)
  }
}

extension Record {
  fileprivate init(entity: String, id: ObjectID, key: PrimaryKey?, _ row: RecordRow) {
    self.init(
      entity: entity, id: id, key: key, values: row.values,
      links: row.links.map { (name: $0.name, targets: $0.targets) })
  }
}

extension Value {
  /// The value as a primary key; nil if it cannot be one.
  fileprivate var key: PrimaryKey? {
    switch self {
    case .integer(let value): .integer(value)
    case .string(let text): .string(text)
    default: nil
    }
  }
}
