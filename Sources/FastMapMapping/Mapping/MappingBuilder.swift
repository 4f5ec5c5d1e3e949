/// One line of a mapping, without the type of its object.
///
/// A ``MappingBuilder`` makes it from an ``Attribute``, a ``ToOne``, a ``ToMany`` or an ``Index``.
public struct MappingField: Sendable {
  package enum Kind: Sendable {
    /// A value of the object.
    case attribute(AttributeDefinition)
    /// A link to other objects.
    case relationship(RelationshipDefinition)
    /// An order that the store keeps.
    case index(Index)
    /// The other side of a link.
    case inverse(InverseDefinition)
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }
}

extension MappingField {
  /// The same line, which takes other JSON that means the same.
  var lenient: MappingField {
    switch kind {
    case .attribute(let attribute): MappingField(.attribute(attribute.lenient))
    case .relationship(let relationship): MappingField(.relationship(relationship.lenient))
    case .index, .inverse: self
    }
  }
}

/// Collects the lines of a mapping.
///
///     Mapping("Person", primaryKey: "id") {
///       Attribute("id", .integer)
///       if hasNames { Attribute("name", .string) }
///       for tag in ["red", "green"] { Attribute(tag, .boolean) }
///     }
@resultBuilder
public enum MappingBuilder<Object> {
  public static func buildExpression(_ attribute: Attribute<Object>) -> [MappingField] {
    [MappingField(.attribute(attribute.definition))]
  }
  public static func buildExpression(_ relationship: ToOne<Object>) -> [MappingField] {
    [relationship.field]
  }
  public static func buildExpression(_ relationship: ToMany<Object>) -> [MappingField] {
    [relationship.field]
  }
  public static func buildExpression(_ index: Index) -> [MappingField] { [MappingField(.index(index))] }
  public static func buildBlock(_ fields: [MappingField]...) -> [MappingField] { fields.flatMap { $0 } }
  public static func buildArray(_ fields: [[MappingField]]) -> [MappingField] { fields.flatMap { $0 } }
  public static func buildOptional(_ fields: [MappingField]?) -> [MappingField] { fields ?? [] }
  public static func buildEither(first fields: [MappingField]) -> [MappingField] { fields }
  public static func buildEither(second fields: [MappingField]) -> [MappingField] { fields }
}
