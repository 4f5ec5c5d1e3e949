internal import FastMapCore

/// The mappings that the checks use.
enum Fixture {
  /// An object with every sort of relationship, all to objects of its own kind except the owned ones.
  static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToOne("one", item)
    ToOne("keptOne", item, policy: .merge)
    ToOne("onlyOne", item, policy: .replace)
    ToMany("many", item)
    ToMany("merged", item, policy: .merge)
    ToMany("replaced", item, policy: .replace)
    ToMany("notes", note)
  }

  static let note = Mapping("Note") { Attribute("text", .string) }

  /// Objects with string keys.
  static let word = Mapping("Word", primaryKey: "id") {
    Attribute("id", .string)
    Attribute("length", .integer)
  }

  /// Objects with and without a key.
  static let visitor = Mapping("Visitor", primaryKey: "id", missingPrimaryKey: .insert) {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  /// Every kind of attribute.
  static let typed = Mapping("Typed", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("boolean", .boolean)
    Attribute("integer", .integer)
    Attribute("number", .number)
    Attribute("string", .string)
    Attribute("date", .date(.iso8601))
    Attribute("data", .data)
    Attribute("json", .json)
  }
}

/// A store with the plan it is used with.
struct Bench<S: Store> {
  let store: S
  let plan: Plan

  @discardableResult
  func load(_ json: String, as other: Plan? = nil) throws -> ImportReport {
    try Mapper(store).importJSON(Array(json.utf8), as: other ?? plan)
  }

  /// The number of an object; fails where there is none.
  func id(_ key: PrimaryKey, of entity: Int = 0) throws -> ObjectID {
    guard let id = try store.read(plan.schema, { try $0.find(key, of: entity) }) else {
      throw Failure(reason: "the object \(key) is not found")
    }
    return id
  }

  func count(of entity: Int = 0) throws -> Int { try store.read(plan.schema) { try $0.count(of: entity) } }

  /// What is stored of an object: `name="a" one=2 many=[3 4]`; nil where there is none.
  func show(_ key: PrimaryKey, as other: Plan? = nil) throws -> String? {
    let plan = other ?? plan
    return try store.read(plan.schema) { reader in try reader.show(key, plan.schema) }
  }

  func expectObject(_ key: PrimaryKey, is expected: String?, _ when: String = "") throws {
    let found = try show(key)
    if found != expected {
      let text = "the object \(key): expected \(expected ?? "none"), found \(found ?? "none")"
      throw Failure(reason: when.isEmpty ? text : "\(when), \(text)")
    }
  }

  /// The number of a field of the first entity.
  func field(_ name: String) -> Int {
    guard let field = plan.schema.entities[0].fields.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("the fixture has a field \(name)")
    }
    return field
  }

  /// Runs a write that commits.
  func write(_ body: (inout S.Writer) throws -> Void) throws {
    try store.write(plan.schema) { writer in
      try body(&writer)
      return .commit(())
    }
  }
}

extension StoreReader {
  /// What is stored of an object of the first entity.
  mutating func show(_ key: PrimaryKey, _ schema: Schema) throws -> String? {
    guard let id = try find(key, of: 0), let record = try record(id, of: 0, in: schema, key: key) else {
      return nil
    }
    var parts: [String] = []
    for field in schema.entities[0].fields where field.name != "id" {
      switch field.kind {
      case .attribute:
        if let value = record[field.name] { parts.append("\(field.name)=\(value.text)") }
      case .toOne(let entity, _):
        if let target = record.target(field.name) {
          parts.append("\(field.name)=\(try name(of: target, entity, schema))")
        }
      case .toMany(let entity, _):
        let targets = record.targets(field.name)
        if targets.isEmpty { continue }
        let names = try targets.map { try name(of: $0, entity, schema) }
        parts.append("\(field.name)=[\(names.joined(separator: " "))]")
      }
    }
    return parts.joined(separator: " ")
  }

  private mutating func name(of id: ObjectID, _ entity: Int, _ schema: Schema) throws -> String {
    guard let record = try record(id, of: entity, in: schema) else { return "nothing" }
    return record.key.map { "\($0)" } ?? record["text"]?.text ?? "?"
  }
}

extension Value {
  /// For a comparison: a number to the last bit.
  var text: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): "\"\(text)\""
    case .date(let instant): "@\(instant.seconds).\(instant.nanoseconds)"
    case .data(let bytes): "\(bytes)"
    case .json(let text): text
    }
  }
}

extension StoreWriter {
  /// Inserts or updates an object of the first entity with the fields `id` and `name`, as an import does.
  ///
  /// - Returns: Its number, and whether the store says that it changed.
  @discardableResult
  mutating func put(_ key: Int64, name: Value, _ schema: Schema) throws -> (id: ObjectID, isChanged: Bool) {
    let stored = try find(.integer(key), of: 0)
    let id = try stored ?? reserve(of: 0)
    let fields = schema.entities[0].fields
    var buffer = RowBuffer()
    buffer.reset(count: fields.count)
    for (index, field) in fields.enumerated() {
      if field.name == "id" { buffer.set(.integer(key), at: index) }
      if field.name == "name" { buffer.set(name, at: index) }
    }
    var batch = ChangeBatch(schema: schema)
    let change = ObjectChange(
      id: id, entity: 0, isNew: stored == nil, keyField: fields.firstIndex { $0.name == "id" },
      row: buffer.row)
    batch.changes.append(change)
    try apply(&batch)
    buffer.reset(count: 0)  // the row was borrowed until here
    return (id, batch.changes[0].isChanged)
  }

  /// Updates the name of an object of the first entity that is stored.
  mutating func rename(_ id: ObjectID, to name: String, _ schema: Schema) throws {
    let fields = schema.entities[0].fields
    var buffer = RowBuffer()
    buffer.reset(count: fields.count)
    if let field = fields.firstIndex(where: { $0.name == "name" }) { buffer.set(.string(name), at: field) }
    var batch = ChangeBatch(schema: schema)
    batch.changes.append(ObjectChange(id: id, entity: 0, isNew: false, keyField: nil, row: buffer.row))
    try apply(&batch)
    buffer.reset(count: 0)  // the row was borrowed until here
  }
}

/// Where a store can be opened again, and what it is used with.
struct Place<S: Store> {
  let open: () throws -> S
  let plan: Plan

  /// Lends the store, which is closed when `body` returns.
  @discardableResult
  func open<R>(_ body: (Bench<S>) throws -> R) throws -> R { try body(Bench(store: open(), plan: plan)) }
}
