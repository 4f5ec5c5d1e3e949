/// The fields of a mapping that is recorded.
struct RecordedFields {
  private enum Field {
    case attribute(AttributeDefinition)
    case relationship(RelationshipDefinition)

    var name: String {
      switch self {
      case .attribute(let attribute): attribute.name
      case .relationship(let relationship): relationship.name
      }
    }
  }

  /// As the type encodes them.
  private let recorded: [Field]
  /// As a payload has them.
  private var fields: [Field]
  private var others: [MappingField] = []
  private let properties: [String: String]
  private var isPlacedAnew = false

  init(_ members: [Recorder.Member]) {
    recorded = members.compactMap { member in
      if var attribute = member.shape.attribute(member.name) {
        if member.isOptional { attribute.rules.keepsOnNull = false }
        return .attribute(attribute)
      }
      return member.shape.relationship(member.name, at: .ownName).map { .relationship($0) }
    }
    fields = recorded
    properties = Dictionary(members.map { ($0.property, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: The key

  /// The name of the field that is the key.
  func key(of type: Any.Type, _ key: MappingOptions.Key, isRoot: Bool, _ faults: inout [String]) -> String? {
    let property: String?
    switch key {
    case .none: return nil
    case .identifiable:
      guard type is any Identifiable.Type else { return nil }
      property = "id"
    case .property(let path): property = path.propertyName
    }
    guard let property, let name = properties[property] else {
      // A nested object belongs to its owner then.
      if isRoot {
        faults.append(
          "the key \(property.map { "\(type).\($0)" } ?? "of \(type)") is no stored property that is decoded; "
            + "name one: Mapping(\(type).self, key: …)")
      }
      return nil
    }
    guard case .attribute(let attribute)? = fields.first(where: { $0.name == name }),
      attribute.type == .integer || attribute.type == .string
    else {
      if isRoot { faults.append("the key \(type).\(property) is neither an integer nor a string") }
      return nil
    }
    return name
  }

  // MARK: The builder

  /// Takes the fields of a builder, which replace recorded ones of their names.
  mutating func replace(by new: [MappingField], _ faults: inout [String]) {
    for field in new {
      switch field.kind {
      case .attribute(let attribute): put(.attribute(attribute), &faults)
      case .relationship(let relationship): put(.relationship(relationship), &faults)
      case .index, .inverse: others.append(field)
      }
    }
  }

  private mutating func put(_ new: Field, _ faults: inout [String]) {
    guard let place = fields.firstIndex(where: { $0.name == new.name }) else {
      if let name = properties[new.name] {
        faults.append("\(quoted(new.name)) is a property; its field is \(quoted(name))")
      }
      return fields.append(new)
    }
    switch (fields[place], new) {
    case (.attribute(let old), .attribute(var new)):
      if old.type != new.type || !new.isAtOwnName { isPlacedAnew = true }
      if old.type == new.type {
        let (value, isLenient) = (new.rules.defaultValue, new.rules.isLenient)
        new.rules = old.rules
        new.rules.defaultValue = value
        new.rules.isLenient = isLenient
      }
      fields[place] = .attribute(new)
      return
    case (.relationship(let old), .relationship(let new)):
      isPlacedAnew = true
      if old.isToMany != new.isToMany {
        faults.append(
          "\(quoted(new.name)) is \(old.isToMany ? "a list" : "one object"); use \(old.isToMany ? "ToMany" : "ToOne")"
        )
      }
    default:
      isPlacedAnew = true
      // Objects may be kept as JSON, and values are no objects.
      if case .relationship = new {
        faults.append("\(quoted(new.name)) has no objects, so it is no relationship")
      }
    }
    fields[place] = new
  }

  // MARK: The mapping

  func definition(
    _ name: String, key: String?, _ options: MappingOptions, type: ObjectIdentifier, faults: [String]
  ) -> MappingDefinition {
    let place = JSONPath([.member("mappings"), .member(name)])
    func make(_ fields: [Field], rootPath: JSONKeyPath, _ recorded: RecordedType?) -> MappingDefinition {
      MappingDefinition(
        name, rootPath: rootPath, primaryKey: key.map { KeyFields($0) }, newerBy: options.newerBy,
        deletedBy: options.deletedBy,
        attributes: fields.compactMap { if case .attribute(let field) = $0 { field } else { nil } },
        relationships: fields.compactMap { if case .relationship(let field) = $0 { field } else { nil } },
        inverses: others.compactMap { if case .inverse(let field) = $0.kind { field } else { nil } },
        indexes: others.compactMap { if case .index(let field) = $0.kind { field } else { nil } },
        was: options.was, recorded: recorded)
    }
    let isEncodedAnew = isPlacedAnew || !options.rootPath.isWhole
    let encoded = isEncodedAnew ? make(encodedFields, rootPath: .wholeValue, nil) : nil
    let recorded = RecordedType(
      type: type, fields: properties, faults: faults.map { .init(place: place, reason: $0) },
      encoded: encoded.map { Mapping(definition: $0) })
    return make(fields, rootPath: options.rootPath, recorded)
  }

  /// The fields with the rules of the builder, where the type encodes them.
  private var encodedFields: [Field] {
    fields.map { field in
      switch (recorded.first { $0.name == field.name }, field) {
      case (.attribute(var old)?, .attribute(let new)):
        if let value = new.defaultValue { old = old.default(value) }
        old.was = new.was
        return .attribute(old)
      case (.relationship(let old)?, .relationship(let new)):
        return .relationship(
          RelationshipDefinition(
            old.name, new.destination.encoded, isToMany: old.isToMany, policy: new.policy, isWeak: new.isWeak,
            was: new.was))
      default: return field
      }
    }
  }
}

extension AttributeDefinition {
  fileprivate var isAtOwnName: Bool { outerPath == nil && keyPath == JSONKeyPath.ownName.resolved(for: name) }
}

extension RelationshipDefinition.Destination {
  /// The same mapping, with its fields where its type encodes them.
  fileprivate var encoded: Self {
    guard case .mapping(let mapping) = self else { return self }
    return .mapping {
      let definition = mapping()
      return definition.recorded?.encoded?.definition ?? definition
    }
  }
}
