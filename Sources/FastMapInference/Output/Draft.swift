import FastMapCore

/// Writes the mappings of a schema.
struct Draft {
  let schema: Schema
  let references: References
  var mappings: [JSONTree.Member] = []
  /// In the order of the schema's entities.
  private(set) var fields: [Fields] = []
  var names: Set<String>
  private var referenceMappings: [JSONTree.Member] = []
  var notes: [String] = []
  /// Mappings that only write.
  private var lineMappings: [String] = []
  /// The mappings of the root collections, in their order.
  var roots: [String] = []

  init(_ schema: Schema) {
    self.schema = schema
    references = References(schema)
    names = Set(schema.entities.map(\.name))
    notes = schema.roots.notes + schema.notes
    addRootValue()
    for entity in schema.entities { fields.append(makeFields(of: entity)) }
    for entity in schema.entities { add(entity) }
    addReferences()
    prune()
  }

  /// Removes mappings that no root leads to: their objects are inside JSON.
  private mutating func prune() {
    let all = Dictionary((mappings + referenceMappings).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    var reached = Set(roots + lineMappings)
    var pending = roots
    while let name = pending.popLast() {
      let links = (all[name]?["relationships"]?.members ?? []).compactMap { $0.value["mapping"]?.text }
      for target in links + (all[name].map(Self.kinds) ?? []) where reached.insert(target).inserted {
        pending.append(target)
      }
    }
    mappings.removeAll { !reached.contains($0.name) }
    referenceMappings.removeAll { !reached.contains($0.name) }
  }

  var file: JSONTree {
    .object([
      "fastmap": .number("1"), "inferred": .boolean(true), "mappings": .object(mappings + referenceMappings),
    ])
  }

  // MARK: Mappings

  private mutating func add(_ entity: Entity) {
    if let kinds = entity.kinds, addKinds(kinds, of: entity) { return }
    let fields = fields(of: entity)
    let places = schema.roots.collections.filter { schema.entity(of: $0.place) === entity }
    var root: RootCollection? = places.first
    repeat {
      var name = entity.name
      if let root, root.place !== places.first?.place {
        name = uniqueName(Words.entity(of: root.path.last ?? name))
      }
      if root != nil { roots.append(name) }
      mappings.append(.init(name: name, value: mapping(entity, named: name, root, fields)))
      if root?.isKeyed ?? false, entity.isValue { addLineMapping(entity) }
      root = root.flatMap { root in
        places.firstIndex { $0.place === root.place }.flatMap { $0 + 1 < places.count ? places[$0 + 1] : nil }
      }
    } while root != nil
    if schema.roots.document.map({ schema.entity(of: $0) === entity }) ?? false { roots.append(entity.name) }
  }

  /// Adds a mapping that writes a value with its key beside it, for exports.
  private mutating func addLineMapping(_ entity: Entity) {
    guard let key = entity.key, let part = key.single else { return }
    let name = uniqueName(entity.name + "Line")
    lineMappings.append(name)
    let attributes = JSONTree.object([
      .init(name: part, value: .string(key.isInteger ? "integer" : "string")),
      .init(name: part == "value" ? "content" : "value", value: FieldType(entity.shape).tree),
    ])
    mappings.append(
      .init(
        name: name,
        value: .object([
          "entity": .string(entity.name), "primaryKey": .string(part), "attributes": attributes,
        ])))
    notes.append(
      "\(entity.name): exports use the mapping \"\(name)\", because a value alone does not show its key")
  }

  func mapping(
    _ entity: Entity, named name: String, _ root: RootCollection?, _ fields: Fields
  ) -> JSONTree {
    var tree = head(entity, named: name, root)
    tree["attributes"] = .object(
      fields.attributes.map { .init(name: $0.name, value: $0.tree) }
        + (entity.rest.map { [.init(name: $0, value: .string("rest"))] } ?? []))
    if !fields.relationships.isEmpty {
      tree["relationships"] = .object(fields.relationships.map { .init(name: $0.name, value: $0.tree) })
    }
    return tree
  }

  /// A mapping without its fields.
  func head(_ entity: Entity, named name: String, _ root: RootCollection?) -> JSONTree {
    var tree = JSONTree.object([])
    if name != entity.name { tree["entity"] = .string(entity.name) }
    if let path = root?.rootPath { tree["rootPath"] = .string(path) }
    if let root, root.isKeyed, let key = entity.key?.single { tree["keyedBy"] = .string(key) }
    if let key = entity.key {
      tree["primaryKey"] = key.single.map { .string($0) } ?? .list(key.parts.map { .string($0) })
      if key.isScoped { tree["keyScope"] = .string("parent") }
    }
    return tree
  }

  func fields(of entity: Entity) -> Fields {
    schema.entities.firstIndex { $0 === entity }.map { fields[$0] } ?? Fields()
  }

  mutating func uniqueName(_ name: String) -> String {
    var (result, number) = (name, 2)
    while !names.insert(result).inserted {
      result = name + String(number)
      number += 1
    }
    return result
  }

  /// One value for each root element.
  private mutating func addRootValue() {
    guard let values = schema.roots.values else { return }
    let type = FieldType(values)
    let name = uniqueName(schema.roots.isNamed ? Words.entity(of: schema.roots.name) : "Value")
    var field = Self.object(type.tree)
    field["keyPath"] = .null
    mappings.append(.init(name: name, value: .object(["attributes": .object(["value": field])])))
    roots.append(name)
  }

  static func object(_ type: JSONTree) -> JSONTree {
    if case .object = type { type } else { .object(["type": type]) }
  }

  // MARK: References

  private mutating func addReferences() {
    for entity in schema.entities {
      guard let name = entity.reference, let key = entity.key, let part = key.single else { continue }
      let type = JSONTree.string(key.isInteger ? "integer" : "string")
      let tree = JSONTree.object([
        "entity": .string(entity.name), "primaryKey": .string(part),
        "attributes": .object([.init(name: part, value: .object(["type": type, "keyPath": .null]))]),
      ])
      referenceMappings.append(.init(name: name, value: tree))
    }
  }

  mutating func referenceMapping(of entity: Entity) -> String {
    if let name = entity.reference { return name }
    let name = uniqueName(entity.name + "Ref")
    entity.reference = name
    return name
  }
}
