/// A mapping that contradicts the stored data.
///
///     entity Person: "age" is stored as an integer, the mapping says a string
public struct SchemaMismatchError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the entity.
  public let entity: String
  /// The attribute or relationship; nil for the primary key, and for the objects themselves.
  public let field: String?
  private let isOfObjects: Bool
  /// The end of the message.
  private var addition = ""
  /// The stored type, with its article.
  public let stored: String
  /// The type in the mapping, with its article.
  public let mapped: String

  /// Makes the error, for a store to throw.
  public init(entity: String, field: String?, stored: String, mapped: String) {
    self.entity = entity
    self.field = field
    self.stored = stored
    self.mapped = mapped
    isOfObjects = false
  }

  /// Makes the error for objects of another class, for a store to throw.
  package init(entity: String, stored: String, mapped: String) {
    self.entity = entity
    field = nil
    self.stored = stored
    self.mapped = mapped
    isOfObjects = true
  }

  /// Makes the error for a name that the store has not changed yet.
  init(_ entity: String, field: String?, stored: String) {
    if let field {
      self.init(entity: entity, field: field, stored: quoted(stored), mapped: quoted(field))
    } else {
      self.init(entity: entity, stored: "stored as \(quoted(stored))", mapped: quoted(entity))
    }
    addition = "; the first import with this mapping renames \(field == nil ? "them" : "it")"
  }

  func adding(_ text: String) -> SchemaMismatchError {
    var error = self
    error.addition += text
    return error
  }

  public var description: String {
    if isOfObjects {
      return "entity \(escaped(entity)): its objects are \(stored), the mapping says \(mapped)\(addition)"
    }
    let name = field.map { quoted($0) } ?? "the primary key"
    return "entity \(escaped(entity)): \(name) is stored as \(stored), the mapping says \(mapped)\(addition)"
  }
}

extension Schema.Entity {
  /// Throws if the mapped primary key has another type than the stored one, or if the mappings have none. Objects without a key
  /// would mix with the objects that the store finds by their keys.
  ///
  /// - Parameter stored: The type of the stored primary keys; nil if the store knows none.
  public func checkKeyKind(_ stored: AttributeKind?) throws(SchemaMismatchError) {
    guard let stored, stored != keyKind else { return }
    if let keyKind {
      throw SchemaMismatchError(entity: name, field: nil, stored: stored.noun, mapped: keyKind.noun)
    }
    if isKeyless {
      throw SchemaMismatchError(
        entity: name, stored: "stored with \(stored.noun) as the primary key", mapped: "without a primary key"
      )
    }
  }

  /// Throws if the mapped primary key has another name than the stored one.
  package func checkKeyField(_ stored: String) throws(SchemaMismatchError) {
    guard let mapped = keyField.map({ fields[$0].name }), !mapped.utf8.elementsEqual(stored.utf8) else {
      return
    }
    throw SchemaMismatchError(
      entity: name, field: nil, stored: "the attribute \(quoted(stored))",
      mapped: "the attribute \(quoted(mapped))")
  }
}

extension Schema {
  /// A field's kind for messages: `an integer`, `a to-many relationship to Phone`.
  public func noun(of kind: Kind) -> String {
    switch kind {
    case .attribute(let kind): kind.noun
    case .toOne(let entity, let isOwned): Self.noun(isToMany: false, entities[entity].name, isOwned: isOwned)
    case .toMany(let entity, let isOwned): Self.noun(isToMany: true, entities[entity].name, isOwned: isOwned)
    }
  }

  /// A relationship for messages.
  public static func noun(isToMany: Bool, _ entity: String, isOwned: Bool) -> String {
    "a to-\(isToMany ? "many" : "one") relationship to \(escaped(entity))\(isOwned ? " without a key" : "")"
  }
}
