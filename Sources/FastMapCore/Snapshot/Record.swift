/// A copy of one stored object.
///
///     let lucas = try store.read(plan) { try $0.record("Person", key: 314) }
///     if case .string(let name)? = lucas?["name"] { print(name) }
///     let phones = lucas?.targets("phones") ?? []
///
/// It has the attributes and relationships of the plan.
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

  /// The target of a to-one relationship; nil if it has none.
  public func target(_ name: String) -> ObjectID? { targets(name).first }

  /// The targets of a relationship, in order.
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
  ///   - schema: The schema of the read.
  ///   - key: Its primary key if the caller knows it. Otherwise it is looked up.
  /// - Complexity: O(*n*) in its fields and targets, plus a look-up or two for an unknown key.
  public mutating func record(
    _ id: ObjectID, of entity: Int, in schema: Schema, key: PrimaryKey? = nil
  ) throws -> Record? {
    var buffer = RowBuffer()
    guard try read(id, of: entity, into: &buffer) else { return nil }
    var values: [(name: String, value: Value)] = []
    var links: [(name: String, targets: [ObjectID])] = []
    for (index, field) in schema.entities[entity].fields.enumerated() {
      switch field.kind {
      case .attribute:
        if let value = buffer.row[index].value, value != .null { values.append((field.name, value)) }
      case .toOne:
        if let target = buffer.row[index].target { links.append((field.name, [target])) }
      case .toMany:
        links.append((field.name, try targets(of: [id], entity: entity, field: index).first ?? []))
      }
    }
    let foundKey = try key ?? self.key(of: id, entity, among: values)
    return Record(entity: schema.entities[entity].name, id: id, key: foundKey, values: values, links: links)
  }

  /// The value that finds the object as a key.
  private mutating func key(
    of id: ObjectID, _ entity: Int, among values: [(name: String, value: Value)]
  ) throws -> PrimaryKey? {
    for (_, value) in values {
      let key: PrimaryKey
      switch value {
      case .integer(let value): key = .integer(value)
      case .string(let text): key = .string(text)
      default: continue
      }
      if try find(key, of: entity) == id { return key }
    }
    return nil
  }
}
