/// How the objects of one kind stand in JSON.
///
///     final class Person { var id = 0; var name: String?; var phones: [Phone] = [] }
///
///     extension Person {
///       static let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
///         Attribute("id", \.id)
///         Attribute("name", \.name)
///         ToMany("phones", \.phones, Phone.mapping, policy: .merge)
///       }
///     }
///
/// Without a Swift class the same words give records:
///
///     let person = Mapping("Person", primaryKey: "id") {
///       Attribute("id", .integer)
///       Attribute("email", .string, at: "user_email")
///     }
///
/// A mapping is a description, checked when a ``Plan`` is compiled from it. Mappings may refer to each other
/// and to themselves in any way.
public struct Mapping<Object>: Sendable {
  /// The mapping without the type of its objects.
  public let description: MappingDefinition

  private let compiled = CompiledOnce()

  /// What it is called by other mappings and in messages.
  public var name: String { description.name }
  /// The kind of its objects in the store; several mappings may share one.
  public var entity: String { description.entity }

  /// The mapping compiled with all it refers to, made once.
  ///
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  public func plan() throws(MappingDefinitionError) -> Plan {
    try compiled.plan { () throws(MappingDefinitionError) in try Plan(description) }
  }
}

extension Mapping where Object == Record {
  /// Makes a mapping whose objects are records.
  ///
  /// - Parameters:
  ///   - name: Its name, not empty.
  ///   - entity: The kind of object; the mapping's name by default.
  ///   - rootPath: Where the objects stand in a payload; nil is the root itself.
  ///   - primaryKey: The name of an attribute of type `integer` or `string`; nil for objects that are made
  ///     anew, or belong to their owner.
  ///   - missingPrimaryKey: What is done with an object whose primary key is missing or null.
  ///   - keys: What the names of fields that say no key path are in JSON.
  ///   - fields: Its attributes and relationships.
  public init(
    _ name: String, entity: String? = nil, rootPath: JSONKeyPath? = nil, primaryKey: String? = nil,
    missingPrimaryKey: MissingPrimaryKey = .error, keys: KeyStrategy = .asDeclared,
    @MappingBuilder<Record> _ fields: () -> [MappingField<Record>]
  ) {
    description = MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      keys, fields(), objects: nil)
  }
}

extension Mapping where Object == Record {
  /// Makes a mapping of records from its parts.
  public init(
    _ name: String, entity: String? = nil, rootPath: JSONKeyPath? = nil, primaryKey: String? = nil,
    missingPrimaryKey: MissingPrimaryKey = .error, keys: KeyStrategy = .asDeclared,
    attributes: [Attribute<Record>], relationships: [Relationship<Record>] = []
  ) {
    description = MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      keys, attributes.map { .attribute($0) } + relationships.map { .relationship($0) }, objects: nil)
  }
}

extension Mapping where Object: AnyObject {
  /// Makes a mapping whose objects are instances of a class.
  ///
  /// - Parameters:
  ///   - type: The class, final or not. Properties that it inherits are mapped like its own.
  ///   - name: The mapping's name, not empty.
  ///   - entity: The kind of object in a store; the mapping's name by default.
  ///   - rootPath: Where the objects stand in a payload; nil is the root itself.
  ///   - primaryKey: The name of an attribute with an integer or a string property; nil for objects that are
  ///     made anew, or belong to their owner.
  ///   - missingPrimaryKey: What is done with an object whose primary key is missing or null.
  ///   - keys: What the names of fields that say no key path are in JSON.
  ///   - make: Makes a new instance, on the thread that reads.
  ///   - fields: Its attributes and relationships.
  public init(
    _ type: Object.Type, _ name: String, entity: String? = nil, rootPath: JSONKeyPath? = nil,
    primaryKey: String? = nil, missingPrimaryKey: MissingPrimaryKey = .error,
    keys: KeyStrategy = .asDeclared, make: @escaping @Sendable () -> Object,
    @MappingBuilder<Object> _ fields: () -> [MappingField<Object>]
  ) {
    description = MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      keys, fields(), objects: ObjectAccess(type: type, make: make))
  }
}

extension MappingDefinition {
  convenience init<Object>(
    _ name: String, entity: String?, rootPath: JSONKeyPath?, primaryKey: String?,
    missingPrimaryKey: MissingPrimaryKey, _ keys: KeyStrategy, _ fields: [MappingField<Object>],
    objects: ObjectAccess?
  ) {
    var attributes: [AttributeDefinition] = []
    var relationships: [RelationshipDefinition] = []
    for field in fields {
      switch field {
      case .attribute(let attribute):
        var description = attribute.description
        description.keyPath = description.keyPath.following(keys, description.name)
        attributes.append(description)
      case .relationship(let relationship):
        var description = relationship.description
        description.keyPath = description.keyPath.following(keys, description.name)
        relationships.append(description)
      }
    }
    self.init(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      attributes: attributes, relationships: relationships, objects: objects)
  }
}
