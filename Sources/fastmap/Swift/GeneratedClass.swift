import FastMapCore

/// A Swift class for an entity of a mapping file, or for a kind of its objects.
struct GeneratedClass {
  let entity: String
  let name: String
  /// The class of the entity, if this one is of a kind.
  let base: Base?
  /// The kind's mapping; nil for the class of an entity.
  var kind: String?
  private(set) var properties: [Property] = []
  private(set) var mappings: [GeneratedMapping] = []

  private var places: [ByteName: Int] = [:]
  private var names = SwiftScope()
  private var statics = SwiftScope()

  struct Property {
    let name: String
    let type: PropertyType
    /// Its initial value; nil for none.
    var initial: String?
  }

  enum PropertyType: Equatable {
    case value(AttributeKind, isOptional: Bool)
    case list(GeneratedList)
    case toOne(String)
    case toMany(String)
    /// The inverse of a relationship, to one object, which does not keep the object alive.
    case owner(String)
  }

  /// The place and the name of a base class.
  struct Base {
    let number: Int
    let name: String
  }

  init(_ entity: String, name: String) { (self.entity, self.name, base) = (entity, name, nil) }

  /// Makes the class of a kind.
  ///
  /// - Parameter other: The base class with all of its properties.
  init(kind: String, name: String, number: Int, of other: GeneratedClass) {
    (entity, self.name, self.kind) = (other.entity, name, kind)
    base = Base(number: number, name: other.name)
    names = other.names
  }

  subscript(field: String) -> Property? { places[ByteName(field)].map { properties[$0] } }

  mutating func addProperty(_ field: String, _ type: PropertyType, initial: String? = nil) {
    guard places[ByteName(field)] == nil else { return }
    places[ByteName(field)] = properties.count
    properties.append(
      Property(
        name: names.claim(SwiftName.property(field), or: "value"), type: type, initial: initial))
  }

  /// Adds a mapping. The mapping with the entity's own name, or the only one, is `mapping`.
  ///
  /// - Parameter type: The place of the class of its objects.
  mutating func addMapping(_ definition: MappingDefinition, isMain: Bool, type: Int) {
    mappings.append(
      GeneratedMapping(
        definition: definition,
        name: statics.claim(staticName(of: definition, isMain), or: "mapping"), type: type))
  }

  private func staticName(of definition: MappingDefinition, _ isMain: Bool) -> String {
    if isMain { return "mapping" }
    let rest =
      definition.name.hasPrefix(entity)
      ? String(definition.name.dropFirst(entity.count)) : definition.name
    let short = SwiftName.property(rest)
    return (short.isEmpty ? SwiftName.property(definition.name) : short) + "Mapping"
  }
}

/// A static property of a class.
struct GeneratedMapping {
  let definition: MappingDefinition
  let name: String
  /// The place of the class of its objects.
  let type: Int
}

extension GeneratedClass.PropertyType {
  var isList: Bool { if case .list = self { true } else { false } }
}

extension MappingDefinition {
  /// Its attributes as a file declares them, without the attribute that joins the parts of a key.
  var declaredAttributes: [AttributeDefinition] {
    guard let key = keyFields, !key.parts.isEmpty, let joined = primaryKey else {
      return attributes
    }
    return attributes.filter { ByteName($0.name) != ByteName(joined) }
  }
}
