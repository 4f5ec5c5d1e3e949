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

  /// Objects with and without a key that refer to others.
  static let shelf = Mapping("Shelf", primaryKey: "id", missingPrimaryKey: .insert) {
    Attribute("id", .integer)
    ToOne("best", item)
    ToMany("items", item)
  }

  /// Objects with string keys that refer to themselves.
  static let page: Mapping<Record> = Mapping("Page", primaryKey: "url") {
    Attribute("url", .string)
    ToOne("parent", page)
    ToMany("links", page)
  }

  /// Every kind of attribute.
  static let typed = Mapping("Typed", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("boolean", .boolean)
    Attribute("integer", .integer)
    Attribute("number", .number)
    Attribute("decimal", .decimal)
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

  /// - Parameter patiently: Whether to repeat it as often as it conflicts with other writes.
  @discardableResult
  func load(
    _ json: String, as other: Plan? = nil, options: ImportOptions = ImportOptions(), patiently: Bool = false
  ) throws -> ImportReport {
    var options = options
    if patiently { options.retries = .patient }
    return try Mapper(store).importJSON(Array(json.utf8), as: other ?? plan, options: options)
  }

  /// Runs an import dry, after `prepare` if the store refuses to add a field to a stored entity without it.
  func dryRun(
    _ json: String, as other: Plan? = nil, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    var options = options
    options.isDryRun = true
    do {
      return try load(json, as: other, options: options)
    } catch {
      _ = try store.prepare((other ?? plan).schema)
      return try load(json, as: other, options: options)
    }
  }

  /// The number of an object; fails where there is none.
  func id(_ key: PrimaryKey, of entity: Int = 0) throws -> ObjectID {
    guard let id = try store.read(plan.schema, { try $0.find(key, of: entity) }) else {
      throw Failure(reason: "the object \(key) is not found")
    }
    return id
  }

  func count(of entity: Int = 0) throws -> Int { try store.read(plan.schema) { try $0.count(of: entity) } }

  /// The stored values of an object: `name="a" one=2 many=[3 4]`; nil if it is not stored.
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

  func field(_ name: String) -> Int {
    guard let field = plan.schema.entities[0].fields.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("the fixture has a field \(name)")
    }
    return field
  }

  /// Runs a write that commits.
  @discardableResult
  func write<R>(_ body: (inout S.Writer) throws -> R) throws -> R {
    _ = try store.prepare(plan.schema)
    return try store.transact(plan.schema) { writer in .commit(try body(&writer)) }
  }
}

extension StoreReader {
  /// The stored values of an object of the first entity.
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
    case .decimal(let value): "\(value)"
    case .string(let text): "\"\(text)\""
    case .date(let instant): "@\(instant.seconds).\(instant.nanoseconds)"
    case .data(let bytes): "\(bytes)"
    case .json(let text): text
    }
  }
}

/// A place that a store can be opened at again, and the plan that it is used with.
struct Place<S: Store> {
  let open: () throws -> S
  let plan: Plan

  /// Lends the store, which is closed when `body` returns.
  @discardableResult
  func open<R>(_ body: (Bench<S>) throws -> R) throws -> R { try body(Bench(store: open(), plan: plan)) }
}
