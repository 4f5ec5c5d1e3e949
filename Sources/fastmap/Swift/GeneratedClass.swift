import FastMapCore

/// A Swift class for an entity of a mapping file.
struct GeneratedClass {
  let entity: String
  /// Its name in Swift.
  let name: String
  private(set) var properties: [Property] = []
  private(set) var mappings: [GeneratedMapping] = []

  private var places: [ByteName: Int] = [:]
  private var names = SwiftScope()
  private var statics = SwiftScope()

  struct Property {
    /// Its name in Swift.
    let name: String
    let type: PropertyType
    /// Its initial value; nil for none.
    var initial: String?
  }

  enum PropertyType {
    case value(AttributeKind, isOptional: Bool)
    case toOne(String)
    case toMany(String)
    /// The inverse of a relationship, to one object. It does not keep the object alive.
    case owner(String)
  }

  init(_ entity: String, name: String) { (self.entity, self.name) = (entity, name) }

  subscript(field: String) -> Property? { places[ByteName(field)].map { properties[$0] } }

  mutating func addProperty(_ field: String, _ type: PropertyType, initial: String? = nil) {
    guard places[ByteName(field)] == nil else { return }
    places[ByteName(field)] = properties.count
    properties.append(
      Property(name: names.take(SwiftName.property(field), or: "value"), type: type, initial: initial))
  }

  /// Adds a mapping. The mapping with the entity's own name, or the only one, is `mapping`.
  mutating func addMapping(_ definition: MappingDefinition, isMain: Bool) {
    mappings.append(
      GeneratedMapping(
        definition: definition, name: statics.take(staticName(of: definition, isMain), or: "mapping")))
  }

  private func staticName(of definition: MappingDefinition, _ isMain: Bool) -> String {
    if isMain { return "mapping" }
    let rest =
      definition.name.hasPrefix(entity) ? String(definition.name.dropFirst(entity.count)) : definition.name
    let short = SwiftName.property(rest)
    return (short.isEmpty ? SwiftName.property(definition.name) : short) + "Mapping"
  }
}

/// A static property of a class.
struct GeneratedMapping {
  let definition: MappingDefinition
  /// Its name in Swift.
  let name: String
}

extension MappingDefinition {
  /// Its attributes as a file declares them, without the attribute that joins the parts of a key.
  var declaredAttributes: [AttributeDefinition] {
    guard let key = keyFields, !key.parts.isEmpty, let joined = primaryKey else { return attributes }
    return attributes.filter { ByteName($0.name) != ByteName(joined) }
  }
}
