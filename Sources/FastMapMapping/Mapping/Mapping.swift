/// How the objects of one kind look in JSON.
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
/// A mapping is checked when a ``Plan`` is compiled from it. Mappings may refer to each other and to themselves in any
/// way.
public struct Mapping<Object>: Sendable {
  /// The mapping without the type of its objects.
  public let definition: MappingDefinition

  private let compiled = CompiledOnce<Plan>()

  package init(definition: MappingDefinition) { self.definition = definition }

  /// The same mapping, all of whose attributes and relationships are lenient. The mappings of its targets are not changed.
  ///
  ///     static let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
  ///       Attribute("id", \.id)
  ///       ToOne("car", \.car, Car.mapping)
  ///     }.lenient
  ///
  /// Each access makes another mapping. Keep it, for example in a `static let`.
  public var lenient: Mapping { Mapping(definition: definition.lenient) }

  /// Its name, for other mappings and messages.
  package var name: String { definition.name }
  /// The kind of its objects in the store; several mappings may share one.
  public var entity: String { definition.entity }

  /// The mapping compiled once, with all that it refers to.
  ///
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  public func plan() throws(MappingDefinitionError) -> Plan {
    try compiled.value { () throws(MappingDefinitionError) in try Plan(definition) }
  }
}

extension Mapping where Object == Record {
  /// Makes a mapping whose objects are records.
  ///
  /// - Parameters:
  ///   - name: Its name, not empty.
  ///   - entity: The kind of object; the mapping's name by default.
  ///   - rootPath: The place of the objects in a payload.
  ///   - primaryKey: The name of an attribute of type `integer` or `string`, or two to four parts: see ``KeyFields``. Without
  ///     one, each import makes new objects, or they belong to their owner.
  ///   - missingPrimaryKey: Decides about an object whose primary key is missing or null.
  ///   - newerBy: The name of an attribute with an order: a date, a number or a string. An occurrence of an object whose
  ///     value is less than the object's changes nothing of the object. By default each occurrence counts.
  ///   - deletedBy: The attribute whose value marks an object as deleted: see ``DeletedBy``.
  ///   - keyedBy: The name of the primary key, if the root objects are the members of one object, `{"7": {…}, "9": {…}}`, and
  ///     their names are its values. NDJSON has the objects themselves.
  ///   - ignores: The key paths of members that no field reads and that a report does not count: see ``ImportReport/unread``.
  ///     [``JSONKeyPath/wholeValue``] stands for all.
  ///   - keys: How names of fields become names of JSON members.
  ///   - was: The earlier name of its entity, which the first import replaces in the store.
  ///   - fields: Its attributes and relationships.
  public init(
    _ name: String, entity: String? = nil, rootPath: JSONKeyPath = .wholeValue, primaryKey: KeyFields? = nil,
    missingPrimaryKey: MissingPrimaryKey = .error, newerBy: String? = nil, deletedBy: DeletedBy? = nil,
    keyedBy: String? = nil, ignores: [JSONKeyPath] = [], keys: KeyStrategy = .asDeclared, was: String? = nil,
    @MappingBuilder<Record> _ fields: () -> [MappingField]
  ) {
    definition = MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      newerBy: newerBy, deletedBy: deletedBy, keyedBy: keyedBy, ignores: ignores, keys, fields(),
      objects: nil,
      was: was)
  }
}

extension Mapping where Object == Record {
  /// Makes a mapping that chooses another one for each object.
  ///
  ///     let event = Mapping(
  ///       "AnyEvent", entity: "Event", primaryKey: "id",
  ///       kinds: Kinds("type", ["PushEvent": .mapping { push.definition }, "WatchEvent": .mapping { watch.definition }]))
  ///
  /// - Parameters:
  ///   - name: Its name, not empty.
  ///   - entity: The kind of object; by default the entity of its mappings.
  ///   - rootPath: The place of the objects in a payload.
  ///   - primaryKey: The name of the primary key, or its parts; by default the key of its mappings.
  ///   - missingPrimaryKey: Decides about an object whose primary key is missing or null, and whose mapping is not known. A chosen
  ///     mapping has a rule of its own.
  ///   - newerBy: The name of an attribute with an order, as of any mapping, for the mappings that name none.
  ///   - deletedBy: The attribute whose value marks an object as deleted, for the mappings that name none.
  ///   - ignores: The key paths of members that no field reads and that a report does not count: see ``ImportReport/unread``.
  ///     [``JSONKeyPath/wholeValue``] stands for all.
  ///   - was: The earlier name of its entity, which the first import replaces in the store.
  ///   - kinds: The values and their mappings.
  public init(
    _ name: String, entity: String? = nil, rootPath: JSONKeyPath = .wholeValue, primaryKey: KeyFields? = nil,
    missingPrimaryKey: MissingPrimaryKey = .error, newerBy: String? = nil,
    deletedBy: DeletedBy? = nil, ignores: [JSONKeyPath] = [], was: String? = nil, kinds: Kinds
  ) {
    definition = MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      newerBy: newerBy, deletedBy: deletedBy, ignores: ignores, attributes: [], kinds: kinds, was: was)
  }
}

extension Mapping where Object: AnyObject {
  /// Makes a mapping whose objects are instances of a class.
  ///
  /// - Parameters:
  ///   - type: The class, final or not. Properties that it inherits are mapped like its own.
  ///   - name: The mapping's name, not empty.
  ///   - entity: The kind of object in a store; the mapping's name by default.
  ///   - rootPath: The place of the objects in a payload.
  ///   - primaryKey: The name of an attribute with an integer or a string property, or two to four parts: see ``KeyFields``.
  ///     Without one, each import makes new objects, or they belong to their owner.
  ///   - missingPrimaryKey: Decides about an object whose primary key is missing or null.
  ///   - newerBy: The name of an attribute with an order: a date, a number or a string. An occurrence of an object whose
  ///     value is less than the object's changes nothing of the object. By default each occurrence counts.
  ///   - deletedBy: The attribute whose value marks an object as deleted: see ``DeletedBy``.
  ///   - keyedBy: The name of the primary key, if the root objects are the members of one object, `{"7": {…}, "9": {…}}`, and
  ///     their names are its values. NDJSON has the objects themselves.
  ///   - ignores: The key paths of members that no field reads and that a report does not count: see ``ImportReport/unread``.
  ///     [``JSONKeyPath/wholeValue``] stands for all.
  ///   - keys: How names of fields become names of JSON members.
  ///   - takesSubclasses: Whether a context stores an instance of a subclass as an object of this class, without the fields that
  ///     only the subclass has. By default such an instance is refused.
  ///   - was: The earlier name of its entity, which the first import replaces in the store.
  ///   - make: Makes a new instance, on the thread that reads.
  ///   - fields: Its attributes and relationships.
  public init(
    _ type: Object.Type, _ name: String, entity: String? = nil, rootPath: JSONKeyPath = .wholeValue,
    primaryKey: KeyFields? = nil, missingPrimaryKey: MissingPrimaryKey = .error,
    newerBy: String? = nil, deletedBy: DeletedBy? = nil, keyedBy: String? = nil,
    ignores: [JSONKeyPath] = [], keys: KeyStrategy = .asDeclared,
    takesSubclasses: Bool = false, was: String? = nil, make: @escaping @Sendable () -> Object,
    @MappingBuilder<Object> _ fields: () -> [MappingField]
  ) {
    definition = MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      newerBy: newerBy, deletedBy: deletedBy, keyedBy: keyedBy, ignores: ignores, keys, fields(),
      objects: ObjectAccess(type: type, takesSubclasses: takesSubclasses, make: make), was: was)
  }
}

extension MappingDefinition {
  convenience init(
    _ name: String, entity: String?, rootPath: JSONKeyPath, primaryKey: KeyFields?,
    missingPrimaryKey: MissingPrimaryKey, newerBy: String?, deletedBy: DeletedBy?, keyedBy: String?,
    ignores: [JSONKeyPath], _ keys: KeyStrategy,
    _ fields: [MappingField], objects: ObjectAccess?, kinds: Kinds? = nil, base: MappingDefinition? = nil,
    was: String? = nil
  ) {
    var attributes: [AttributeDefinition] = []
    var relationships: [RelationshipDefinition] = []
    var indexes: [Index] = []
    var inverses: [InverseDefinition] = []
    for field in fields {
      switch field.kind {
      case .attribute(var attribute):
        attribute.keyPath = attribute.keyPath.following(keys, attribute.name)
        attributes.append(attribute)
      case .relationship(var relationship):
        relationship.keyPath = relationship.keyPath.following(keys, relationship.name)
        relationships.append(relationship)
      case .index(let index): indexes.append(index)
      case .inverse(let inverse): inverses.append(inverse)
      }
    }
    self.init(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      newerBy: newerBy, deletedBy: deletedBy, keyedBy: keyedBy, ignores: ignores, attributes: attributes,
      relationships: relationships,
      inverses: inverses, indexes: indexes, objects: objects, kinds: kinds, base: base,
      was: was)
  }
}
