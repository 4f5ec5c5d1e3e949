import FastMapCore

/// Something in a store that no model can represent.
struct OddStore: Error, CustomStringConvertible {
  let description: String
}

extension Model {
  /// Reads a whole store through its public API.
  ///
  /// - Parameters:
  ///   - names: The store's names of the model's attributes and relationships, if they differ.
  ///   - mayHaveOrphans: Whether there may be owned objects without their owners.
  init(
    _ store: some Store, _ plan: Plan, names: [String: String] = [:], mayHaveOrphans: Bool = false
  ) throws {
    self = try store.read(plan.schema) {
      try Model(&$0, plan.schema, names: names, mayHaveOrphans: mayHaveOrphans)
    }
  }

  private struct Reader {
    let schema: Schema
    /// The model's names of fields with other names in the store.
    let names: [String: String]
    /// The keys of nodes and of tags.
    var keys: [ObjectID: PrimaryKey] = [:]
    var ownedCount = ["Note": 0, "Box": 0]

    func entity(_ name: String) throws -> Int {
      guard let entity = schema.entity(named: name) else { throw OddStore(description: "no entity \(name)") }
      return entity
    }

    func key(_ id: ObjectID) throws -> PrimaryKey {
      guard let key = keys[id] else {
        throw OddStore(description: "a link leads to \(id), which is not there")
      }
      return key
    }
  }

  init(
    _ store: inout some StoreReader, _ schema: Schema, names: [String: String] = [:],
    mayHaveOrphans: Bool = false
  ) throws {
    var reader = Reader(
      schema: schema, names: Dictionary(uniqueKeysWithValues: names.map { ($0.value, $0.key) }))
    var ids: [String: [ObjectID]] = [:]
    for name in ["Node", "Tag"] {
      var last: PrimaryKey?
      var found: [ObjectID] = []
      try store.forEachObject(of: reader.entity(name), keys: nil, isDescending: false) { _, id, key in
        guard let key else { throw OddStore(description: "\(name) \(id) has no key") }
        if let last, last >= key { throw OddStore(description: "\(name) \(key) after \(last)") }
        last = key
        reader.keys[id] = key
        found.append(id)
        return true
      }
      ids[name] = found
      guard try store.count(of: reader.entity(name)) == found.count else {
        throw OddStore(description: "the count of \(name) is not \(found.count)")
      }
    }
    for id in ids["Tag"] ?? [] {
      tags[try reader.key(id)] = try Self.values(id, "Tag", &store, reader).values
    }
    for id in ids["Node"] ?? [] {
      let key = try reader.key(id)
      guard try store.find(key, of: reader.entity("Node")) == id else {
        throw OddStore(description: "Node \(key) is not found by its key")
      }
      nodes[key] = try Self.node(id, &store, &reader)
    }
    if mayHaveOrphans { return }
    for (name, count) in reader.ownedCount where try store.count(of: reader.entity(name)) != count {
      throw OddStore(description: "the count of \(name) is not \(count)")
    }
  }

  private static func node(_ id: ObjectID, _ store: inout some StoreReader, _ reader: inout Reader) throws
    -> Node
  {
    let (values, targets) = try values(id, "Node", &store, reader)
    var node = Node(values: values)
    node.parent = try targets["parent"].map { try reader.key($0) }
    node.tag = try targets["tag"].map { try reader.key($0) }
    let fields = reader.schema.entities[try reader.entity("Node")].fields
    for (index, field) in fields.enumerated() {
      guard case .toMany = field.kind else { continue }
      let found = try store.targets(of: [id], entity: reader.entity("Node"), field: index).first ?? []
      switch reader.names[field.name] ?? field.name {
      case "friends": node.friends = try found.map { try reader.key($0) }
      case "kids": node.kids = try found.map { try reader.key($0) }
      case "tags": node.tags = try found.map { try reader.key($0) }
      default: node.notes = try found.map { try note($0, "Note", &store, &reader) }
      }
    }
    node.box = try targets["box"].map { try note($0, "Box", &store, &reader) }
    return node
  }

  private static func note(
    _ id: ObjectID, _ entity: String, _ store: inout some StoreReader, _ reader: inout Reader
  ) throws -> Note {
    reader.ownedCount[entity, default: 0] += 1
    let (values, targets) = try values(id, entity, &store, reader)
    return Note(values: values, about: try targets["about"].map { try reader.key($0) })
  }

  private static func values(
    _ id: ObjectID, _ entity: String, _ store: inout some StoreReader, _ reader: Reader
  ) throws -> (values: [String: Value], targets: [String: ObjectID]) {
    let number = try reader.entity(entity)
    var buffer = RowBuffer()
    guard try store.read(id, of: number, into: &buffer) else {
      throw OddStore(description: "\(entity) \(id) is not there")
    }
    var values: [String: Value] = [:]
    var targets: [String: ObjectID] = [:]
    for (index, field) in reader.schema.entities[number].fields.enumerated() {
      let name = reader.names[field.name] ?? field.name
      switch field.kind {
      case .attribute:
        if let value = buffer.row[index].value, value != .null { values[name] = value.inModel }
      case .toOne: targets[name] = buffer.row[index].target
      case .toMany: break
      }
    }
    return (values, targets)
  }
}

extension Value {
  /// The value as the model has it, which knows no decimals: a widened integer is an integer.
  var inModel: Value {
    guard case .decimal(let number) = self, let integer = Int64(number.text) else { return self }
    return .integer(integer)
  }
}
