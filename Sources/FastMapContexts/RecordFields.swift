/// The fields of an entity's records in a context: names, kinds and targets.
final class RecordFields {
  struct Attribute {
    let name: String
    let kind: AttributeKind
    let defaultValue: Value?
  }

  /// A relationship or an inverse.
  struct Link {
    let name: String
    let target: Int
    let isToMany: Bool
    /// The relationship that it is the inverse of, in messages: `Book.author`.
    let inverseOf: String?
    /// The class of the targets; nil for records.
    let objects: ObjectAccess?

    var isInverse: Bool { inverseOf != nil }
  }

  let schema: Schema
  let number: Int
  /// The context, by its graph.
  let graph: ObjectIdentifier
  let attributes: [Attribute]
  /// In the order of the context's: relationships, and then inverses.
  let links: [Link]
  /// The attributes that are the primary key of a mapping.
  let keys: [Int]
  let keyFields: [Int]
  private let attributePlaces: NameIndex
  private let linkPlaces: NameIndex

  init(_ number: Int, of plan: Plan, in graph: ObjectIdentifier) {
    let entity = plan.schema.entities[number]
    schema = plan.schema
    self.number = number
    self.graph = graph
    var attributes: [Attribute] = []
    var keys: [Int] = []
    for (field, layout) in entity.fields.enumerated() {
      guard case .attribute(let kind) = layout.kind else { continue }
      if plan.traits.keyFields[number].contains(field) { keys.append(attributes.count) }
      attributes.append(Attribute(name: layout.name, kind: kind, defaultValue: layout.defaultValue))
    }
    self.attributes = attributes
    self.keys = keys
    keyFields = plan.traits.keyFields[number]
    links =
      entity.fields.compactMap { layout in
        layout.kind.target.map {
          Link(
            name: layout.name, target: $0.entity, isToMany: layout.kind.isToMany, inverseOf: nil,
            objects: plan.classes[$0.entity].objects)
        }
      }
      + entity.inverses.map {
        Link(
          name: $0.name, target: $0.entity, isToMany: $0.isToMany,
          inverseOf: plan.schema.relationship(of: $0), objects: plan.classes[$0.entity].objects)
      }
    attributePlaces = NameIndex(attributes.map(\.name))
    linkPlaces = NameIndex(links.map(\.name))
  }

  var entity: String { schema.entities[number].name }

  /// The place of an attribute; nil for another name.
  func attribute(_ name: String) -> Int? { attributePlaces[name] }

  /// The place of a relationship or an inverse.
  func link(_ name: String) throws(UnknownNameError) -> Int {
    if let place = linkPlaces[name] { return place }
    if attribute(name) != nil {
      throw UnknownNameError("\(quoted(name)) of \(escaped(entity)) is an attribute, not a relationship")
    }
    _ = try schema.target(of: name, of: number)
    throw UnknownNameError("\(escaped(entity)) has no relationship named \(quoted(name))")
  }

  func unknownAttribute(_ name: String) -> UnknownNameError {
    if linkPlaces[name] != nil {
      return UnknownNameError("\(quoted(name)) of \(escaped(entity)) is a relationship, not an attribute")
    }
    return UnknownNameError(
      unknownName(
        "attribute", named: name, among: attributes.map(\.name),
        verb: "\(escaped(entity)) has no attribute named"))
  }
}

extension EntityClass {
  /// The fields and inverses of an entity as properties of ``EditableRecord``.
  convenience init(ofRecords entity: Schema.Entity) {
    var (attributes, links) = (0, 0)
    func nextLink() -> RelationshipAccess {
      defer { links += 1 }
      return RelationshipAccess(ofRecordsAt: links)
    }
    let properties = entity.fields.map { field -> FieldAccess? in
      guard case .attribute(let kind) = field.kind else { return .relationship(nextLink()) }
      defer { attributes += 1 }
      return .attribute(AttributeAccess(ofRecordsAt: attributes, kind))
    }
    self.init(
      of: entity, nil, properties, inverses: entity.inverses.map { _ in .relationship(nextLink()) },
      namesDefault: entity.fields.map { _ in false })
  }
}

extension AttributeAccess {
  fileprivate init(ofRecordsAt place: Int, _ kind: AttributeKind) {
    self.init(
      access: { object, field, writer in
        guard let record = object as? EditableRecord else { return nil }
        if let writer {
          writer.pointee.set(record.contents[place] ?? .null)
        } else if !field.isMissing {
          record.show(field, at: place)
        }
        return nil
      },
      normalise: { field, writer in
        writer.set(field.value ?? .null)
        return true
      },
      kind: kind, typeName: "Value")
  }
}

extension RelationshipAccess {
  fileprivate init(ofRecordsAt place: Int) {
    self.init(
      access: { object, step in
        guard let record = object as? EditableRecord else { return [] }
        switch step {
        case .get: return record.related[place]
        case .set(let targets): record.related[place] = targets ?? []
        case .property: break
        }
        return []
      }, shape: .ordered)
  }
}
