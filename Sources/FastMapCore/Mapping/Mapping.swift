/// How the objects of one kind stand in JSON.
///
///     let person = Mapping("Person", primaryKey: "id") {
///       Attribute("id", .integer)
///       Attribute("email", .string, at: "user_email")
///       ToMany("phones", phone, policy: .merge)
///     }
///
/// A mapping is a description, checked when a ``Plan`` is compiled from it. Mappings may refer to each other and to
/// themselves in any way.
public final class Mapping: Sendable {
  /// What it is called by other mappings, by a mapping file and on the command line.
  public let name: String

  /// The kind of object in the store; several mappings may share one.
  public let entity: String

  /// Where the objects stand in a payload; used only where this mapping is the one imported. Nil is the root itself.
  public let rootPath: JSONKeyPath?

  /// The name of the attribute that tells one object from another; nil for objects that are made anew, or belong to their
  /// owner.
  public let primaryKey: String?

  /// What is done with an object whose primary key is missing or null.
  public let missingPrimaryKey: MissingPrimaryKey

  /// The attributes in the order they were declared.
  public let attributes: [Attribute]

  /// The relationships in the order they were declared.
  public let relationships: [Relationship]

  /// Makes a mapping from its parts.
  ///
  /// - Parameters:
  ///   - name: Its name, not empty.
  ///   - entity: The kind of object; the mapping's name by default.
  ///   - primaryKey: The name of an attribute of type `integer` or `string`.
  public init(
    _ name: String, entity: String? = nil, rootPath: JSONKeyPath? = nil, primaryKey: String? = nil,
    missingPrimaryKey: MissingPrimaryKey = .error, attributes: [Attribute], relationships: [Relationship] = []
  ) {
    self.name = name
    self.entity = entity ?? name
    self.rootPath = rootPath
    self.primaryKey = primaryKey
    self.missingPrimaryKey = missingPrimaryKey
    self.attributes = attributes
    self.relationships = relationships
  }

  /// Makes a mapping from its attributes and relationships, one a line.
  public convenience init(
    _ name: String, entity: String? = nil, rootPath: JSONKeyPath? = nil, primaryKey: String? = nil,
    missingPrimaryKey: MissingPrimaryKey = .error, @MappingBuilder _ fields: () -> [MappingField]
  ) {
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    for field in fields() {
      switch field {
      case .attribute(let attribute): attributes.append(attribute)
      case .relationship(let relationship): relationships.append(relationship)
      }
    }
    self.init(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      attributes: attributes, relationships: relationships)
  }
}

/// What is done with an object whose mapping has a primary key and whose representation has none.
public enum MissingPrimaryKey: String, Sendable, CaseIterable {
  /// It is an error.
  case error
  /// It is left out and counted.
  case skip
  /// It is made anew, without a key.
  case insert
}

/// One line of a mapping.
public enum MappingField: Sendable {
  case attribute(Attribute)
  case relationship(Relationship)
}

/// Collects the lines of a mapping.
@resultBuilder
public enum MappingBuilder {
  public static func buildExpression(_ attribute: Attribute) -> [MappingField] { [.attribute(attribute)] }
  public static func buildExpression(_ relationship: Relationship) -> [MappingField] {
    [.relationship(relationship)]
  }
  public static func buildBlock(_ fields: [MappingField]...) -> [MappingField] { fields.flatMap { $0 } }
  public static func buildArray(_ fields: [[MappingField]]) -> [MappingField] { fields.flatMap { $0 } }
  public static func buildOptional(_ fields: [MappingField]?) -> [MappingField] { fields ?? [] }
  public static func buildEither(first fields: [MappingField]) -> [MappingField] { fields }
  public static func buildEither(second fields: [MappingField]) -> [MappingField] { fields }
}
