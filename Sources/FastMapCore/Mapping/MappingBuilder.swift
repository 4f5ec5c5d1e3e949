/// One line of a mapping.
///
///     let line = MappingField<Record>.attribute(Attribute("id", .integer))
///
/// A ``MappingBuilder`` makes it from an attribute or a relationship.
public enum MappingField<Object>: Sendable {
  /// A value of the object.
  case attribute(Attribute<Object>)
  /// A link to other objects.
  case relationship(Relationship<Object>)
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
  public static func buildExpression(_ attribute: Attribute<Object>) -> [MappingField<Object>] {
    [.attribute(attribute)]
  }
  public static func buildExpression(_ relationship: Relationship<Object>) -> [MappingField<Object>] {
    [.relationship(relationship)]
  }
  public static func buildBlock(_ fields: [MappingField<Object>]...) -> [MappingField<Object>] {
    fields.flatMap { $0 }
  }
  public static func buildArray(_ fields: [[MappingField<Object>]]) -> [MappingField<Object>] {
    fields.flatMap { $0 }
  }
  public static func buildOptional(_ fields: [MappingField<Object>]?) -> [MappingField<Object>] {
    fields ?? []
  }
  public static func buildEither(first fields: [MappingField<Object>]) -> [MappingField<Object>] { fields }
  public static func buildEither(second fields: [MappingField<Object>]) -> [MappingField<Object>] { fields }
}
