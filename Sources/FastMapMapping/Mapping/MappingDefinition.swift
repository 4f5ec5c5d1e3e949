/// A mapping without the type of its objects. Plans are compiled from definitions.
///
///     let definition = Person.mapping.definition
///     print(definition.entity, definition.attributes.map(\.name))
///
/// ``Mapping`` makes one, and so does a mapping file. The definition is checked when a ``Plan`` is compiled. Mappings may
/// refer to each other and to themselves in any way. Two definitions are the same mapping if they are the same
/// instance.
public final class MappingDefinition: Sendable {
  /// Its name, for other mappings, mapping files and the command line.
  public let name: String

  /// The kind of object in the store; several mappings may share one.
  public let entity: String

  /// The place of the objects in a payload, which counts only for the mapping that is imported.
  package let rootPath: JSONKeyPath

  /// The fields that identify an object. If nil, each import makes new objects, or they belong to their owner.
  package let keyFields: KeyFields?

  /// The name of the attribute that identifies an object; of a key with several parts, a name that joins theirs.
  public var primaryKey: String? { keyFields?.name }

  /// Decides about an object whose primary key is missing or null.
  package let missingPrimaryKey: MissingPrimaryKey

  /// The name of the attribute by which an occurrence of an object is newer or older than the object; nil where each
  /// occurrence counts.
  package let newerBy: String?

  /// The attribute whose value marks an object as deleted; nil where none does.
  package let deletedBy: DeletedBy?

  /// The attribute whose values are the names of the members, where the root objects are the members of one object.
  package let keyedBy: String?

  /// The members that no field reads and that a report does not count, by their key paths; ``JSONKeyPath/wholeValue`` for all.
  package let ignores: [JSONKeyPath]

  /// The attributes in the order they were declared.
  public let attributes: [AttributeDefinition]

  /// The relationships in the order they were declared.
  public let relationships: [RelationshipDefinition]

  /// The orders of its objects that a store keeps.
  package let indexes: [Index]
  /// The inverses of relationships, in the order they were declared.
  package let inverses: [InverseDefinition]

  /// The Swift class of its objects; nil for records.
  package let objects: ObjectAccess?

  /// The choice of another mapping for each object; nil for a mapping with fields of its own.
  package let kinds: Kinds?

  /// The mapping of a class whose kinds name this mapping; nil for any other mapping.
  package let base: MappingDefinition?

  /// The earlier name of its entity, under which a store may still have it.
  package let was: String?

  /// The type that it was recorded from; nil for a mapping that was written by hand.
  package let recorded: RecordedType?

  /// Whether it names its entity. Otherwise that is its own name, or under ``kinds`` the entity of its kinds.
  let namesEntity: Bool

  /// Makes a mapping from its parts.
  ///
  /// - Parameters:
  ///   - name: Its name, not empty.
  ///   - entity: The kind of object; the mapping's name by default.
  ///   - rootPath: The place of the objects in a payload.
  ///   - primaryKey: The name of an attribute of type `integer` or `string`, or two to four parts: see ``KeyFields``. Without
  ///     one, each import makes new objects, or they belong to their owner.
  ///   - missingPrimaryKey: Decides about an object whose primary key is missing or null.
  ///   - newerBy: The name of an attribute with an order. An occurrence with a lesser value than the object changes nothing.
  ///   - deletedBy: The attribute whose value marks an object as deleted.
  ///   - keyedBy: The name of the primary key, if the root objects are the members of one object, and their names are its
  ///     values.
  ///   - ignores: The members that no field reads and that a report does not count.
  ///   - attributes: In the order in which they are exported.
  ///   - relationships: In the order in which they are exported, after the attributes.
  ///   - inverses: The other sides of relationships, which are not exported.
  ///   - indexes: The orders of its objects that a store keeps.
  ///   - kinds: The choice of another mapping for each object, in place of attributes and relationships.
  ///   - objects: The Swift class of its objects; nil for records.
  ///   - base: The mapping of a class whose kinds name this mapping.
  ///   - was: The earlier name of its entity.
  ///   - recorded: The type that it was recorded from.
  package init(
    _ name: String, entity: String? = nil, rootPath: JSONKeyPath = .wholeValue, primaryKey: KeyFields? = nil,
    missingPrimaryKey: MissingPrimaryKey = .error, newerBy: String? = nil, deletedBy: DeletedBy? = nil,
    keyedBy: String? = nil, ignores: [JSONKeyPath] = [],
    attributes: [AttributeDefinition], relationships: [RelationshipDefinition] = [],
    inverses: [InverseDefinition] = [], indexes: [Index] = [], objects: ObjectAccess? = nil,
    kinds: Kinds? = nil, base: MappingDefinition? = nil, was: String? = nil, recorded: RecordedType? = nil
  ) {
    self.name = name
    self.was = was
    self.recorded = recorded
    self.entity = entity ?? name
    namesEntity = entity != nil
    self.rootPath = rootPath
    keyFields = primaryKey
    self.missingPrimaryKey = missingPrimaryKey
    self.newerBy = newerBy
    self.deletedBy = deletedBy
    self.keyedBy = keyedBy
    self.ignores = ignores
    // Copies have the joined key already.
    let isJoined = attributes.contains { $0.source == .parts }
    let joined = primaryKey.flatMap { key in
      key.parts.isEmpty || isJoined
        ? nil
        : AttributeDefinition(joining: key) { part in
          attributes.first { NameIndex.isSame($0.name, part) }?.was
            ?? relationships.first { NameIndex.isSame($0.name, part) }?.was
        }
    }
    self.attributes = attributes + (joined.map { [$0] } ?? [])
    self.relationships = relationships
    self.indexes = indexes
    self.inverses = inverses
    self.objects = objects
    self.kinds = kinds
    self.base = base
  }

  /// The same mapping, all of whose attributes and relationships are lenient. The mappings of its targets are not changed.
  ///
  /// Each access makes another mapping. Keep it, for example in a `static let`.
  package var lenient: MappingDefinition {
    copy(attributes.map(\.lenient), relationships.map(\.lenient), keyedBy: keyedBy)
  }

  /// A copy for objects that are members of an object: the name of the member is the value of an attribute.
  package func named(by name: String) -> MappingDefinition {
    copy(
      attributes.map { NameIndex.isSame($0.name, name) ? $0.asMemberName : $0 }, relationships, keyedBy: nil)
  }

  /// The same mapping with other fields.
  ///
  /// - Parameter chooser: The mapping whose kinds name it, which has the marks of age and deletion that it lacks.
  func copy(
    _ attributes: [AttributeDefinition], _ relationships: [RelationshipDefinition], keyedBy: String?,
    chosenBy chooser: MappingDefinition? = nil
  ) -> MappingDefinition {
    MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: keyFields, missingPrimaryKey: missingPrimaryKey,
      newerBy: newerBy ?? chooser?.newerBy, deletedBy: deletedBy ?? chooser?.deletedBy, keyedBy: keyedBy,
      ignores: ignores,
      attributes: attributes, relationships: relationships, inverses: inverses, indexes: indexes,
      objects: objects, kinds: kinds, base: base, was: was, recorded: recorded)
  }

  /// Whether an object without its key is kept although the mapping has one.
  package var keepsKeyless: Bool {
    primaryKey != nil && (missingPrimaryKey == .insert || missingPrimaryKey == .owned)
  }
}

/// Decides about an object without a primary key whose mapping has one.
///
///     let person = Mapping("Person", primaryKey: "id", missingPrimaryKey: .skip) {
///       Attribute("id", .integer)
///     }
public enum MissingPrimaryKey: String, Sendable, CaseIterable {
  /// The object is an error.
  case error
  /// The object is left out and counted.
  case skip
  /// At the root, each import makes a new object without a key. In a relationship it belongs to its owner, as with
  /// `owned`.
  case insert
  /// In a relationship it belongs to its owner, and is deleted when its owner no longer has it. In a list it is a value: the
  /// next import keeps an equal element, and any other is new. At the root, each import makes a new object.
  case owned
}
