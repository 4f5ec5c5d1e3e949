/// A name that is not in the plan of a read.
///
///     no entity named "Persn"; did you mean "Person"?
///     Person has no field named "agee"; did you mean "age"?
public struct UnknownNameError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension Schema {
  /// The number of the entity with a name.
  func number(of name: String) throws(UnknownNameError) -> Int {
    if let number = entity(named: name) { return number }
    if entities.isEmpty {
      throw UnknownNameError("no entity named \(quoted(name)); the read was begun without a plan")
    }
    throw UnknownNameError(
      MappingDefinitionError.unknown(
        "entity", named: name, among: entities.map(\.name), verb: "no entity named"))
  }

  /// The number of a field of an entity.
  func field(named name: String, of entity: Int) throws(UnknownNameError) -> Int {
    let fields = entities[entity].fields
    if let number = fields.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return number }
    throw UnknownNameError(
      MappingDefinitionError.unknown(
        "field", named: name, among: fields.map(\.name), verb: "\(entities[entity].name) has no field named"))
  }

  /// The target entity of a relationship.
  func target(of name: String, of entity: Int) throws(UnknownNameError) -> Int {
    let fields = entities[entity].fields
    if let field = fields.first(where: { $0.name.utf8.elementsEqual(name.utf8) }),
      let target = field.kind.target
    {
      return target.entity
    }
    throw UnknownNameError(
      MappingDefinitionError.unknown(
        "relationship", named: name, among: fields.filter { $0.kind.target != nil }.map(\.name),
        verb: "\(entities[entity].name) has no relationship named"))
  }
}
