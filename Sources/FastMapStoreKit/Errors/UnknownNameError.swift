/// A name that is not in the plan of a read, or not in a store.
///
///     no entity named "Persn"; did you mean "Person"?
///     Person has no field named "agee"; did you mean "age"?
public struct UnknownNameError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  package init(_ description: String) { self.description = description }

  /// An index that a store does not keep.
  ///
  ///     throw UnknownNameError(index: "stauts", of: "Order", among: ["status", "-created_at"])
  ///
  /// - Parameters:
  ///   - name: The name that was asked for.
  ///   - entity: The name of the entity.
  ///   - known: The names of the entity's indexes.
  public init(index name: String, of entity: String, among known: [String]) {
    let place = "\(escaped(entity)) has no index named"
    self.init(
      known.isEmpty
        ? "\(place) \(quoted(name)); it has no index"
        : unknownName("index", named: name, among: known, verb: place))
  }

  /// An entity that a store does not have.
  package init(entity name: String, among known: [String]) {
    self.init(
      unknownName("entity", named: name, among: known, verb: "no entity named"))
  }
}

extension Schema {
  package func number(of name: String) throws(UnknownNameError) -> Int {
    if let number = entity(named: name) { return number }
    if entities.isEmpty {
      throw UnknownNameError("no entity named \(quoted(name)); the read was begun without a plan")
    }
    throw UnknownNameError(
      unknownName(
        "entity", named: name, among: entities.map(\.name), verb: "no entity named"))
  }

  package func field(named name: String, of entity: Int) throws(UnknownNameError) -> Int {
    let fields = entities[entity].fields
    if let number = fields.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return number }
    if entities[entity].inverseNumber(named: name) != nil {
      throw UnknownNameError(
        "\(quoted(name)) of \(escaped(entities[entity].name)) is an inverse, which is in records and instances, but not in rows"
      )
    }
    throw UnknownNameError(
      unknownName(
        "field", named: name, among: fields.map(\.name),
        verb: "\(escaped(entities[entity].name)) has no field named"))
  }

  package func target(of name: String, of entity: Int) throws(UnknownNameError) -> Int {
    let fields = entities[entity].fields
    if let field = fields.first(where: { $0.name.utf8.elementsEqual(name.utf8) }),
      let target = field.kind.target
    {
      return target.entity
    }
    if let number = entities[entity].inverseNumber(named: name), let target = entities[entity].target(number)
    {
      return target
    }
    throw UnknownNameError(
      unknownName(
        "relationship", named: name,
        among: fields.filter { $0.kind.target != nil }.map(\.name) + entities[entity].inverses.map(\.name),
        verb: "\(escaped(entities[entity].name)) has no relationship named"))
  }
}
