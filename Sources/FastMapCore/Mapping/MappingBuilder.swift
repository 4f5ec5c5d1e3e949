/// One line of a mapping.
public enum MappingField<Object>: Sendable {
  case attribute(Attribute<Object>)
  case relationship(Relationship<Object>)
}

/// Collects the lines of a mapping.
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
