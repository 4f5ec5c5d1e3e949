public import FastMapMapping

/// A rename or conversion of stored entities, attributes or relationships.
///
///     var configuration = LMDBStore.Configuration()
///     configuration.migrations = [
///       .rename("mail", of: "Person", to: "email"),
///       .rename(entity: "Person", to: "Customer"),
///       .convert("age", of: "Customer", to: .integer),
///     ]
///     let store = try LMDBStore(at: "people.db", configuration: configuration)
///
/// Fields that are only added or removed need no migration.
///
/// The list is a history. Append to it, and keep each migration as long as some store may not have it. Opening a
/// store for writing applies the missing migrations in order, in one transaction. The store remembers them and never
/// applies one twice. A migration of an unknown entity has nothing to do and counts as applied, so a new store skips the
/// past. If a similar name exists, the unknown name is probably misspelt, and that is an error.
///
/// A rename of a field that a stored entity does not have, under its old name or a new one, is an error. Imports would store
/// the new name, and then no rename could give it the old values. Where older stores may never have had the field, say so:
///
///     .rename("mail", of: "Person", to: "email", ifStored: true)
///
/// A rename that you do not declare loses no data, but the new name has no values. An import reports that in
/// `ImportReport.notes`.
///
/// Before you migrate, end all programs that use the old names. They would not see renamed data.
///
/// - Note: Thread rule: a value; any thread may use it.
public struct Migration: Sendable, CustomStringConvertible {
  let action: Action

  enum Action: Sendable {
    case renameEntity(String, to: String)
    case renameField(String, of: String, to: String, ifStored: Bool)
    case convert(String, of: String, Conversion)
  }

  /// Converts the values of an attribute to another type.
  struct Conversion: Sendable {
    let kind: AttributeKind
    /// Whether values that already have that kind are skipped.
    let isBuiltIn: Bool
    let convert: @Sendable (Value) throws -> Value?
  }

  /// Renames an entity. Its objects, and relationships to them, are unchanged.
  ///
  /// - Parameters:
  ///   - entity: The current name.
  ///   - name: The new name. No entity of the store may have it.
  /// - Complexity: O(1); no object is written.
  public static func rename(entity: String, to name: String) -> Migration {
    Migration(action: .renameEntity(entity, to: name))
  }

  /// Renames an attribute or a relationship. Values and targets are unchanged.
  ///
  /// - Parameters:
  ///   - field: The name of the attribute or relationship in the mappings. JSON names are not stored.
  ///   - entity: The name of its entity at this point of the list.
  ///   - name: The new name. No attribute or relationship that the entity ever had may have it. One that mappings no
  ///     longer use is still stored, so rename that one first.
  ///   - ifStored: Whether a stored entity may never have had the field. The rename has nothing to do then.
  /// - Complexity: O(1); no object is written.
  public static func rename(
    _ field: String, of entity: String, to name: String, ifStored: Bool = false
  ) -> Migration {
    Migration(action: .renameField(field, of: entity, to: name, ifStored: ifStored))
  }

  /// Changes the type of an attribute and converts its values.
  ///
  /// Values are converted as a lenient attribute reads JSON: `"12"` and 12.0 become the integer 12, and 0, 1, `"true"` and
  /// `"false"` become booleans. Strings become dates and data, and numbers become dates by their epoch. Any value
  /// becomes a string: its JSON text, and for dates ISO 8601. The empty string is an error for any other type.
  ///
  /// If a value cannot be converted, nothing is changed, and the error names the object and the value.
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute. A primary key can become an integer or a string, if no two objects get
  ///     the same key.
  ///   - entity: The name of its entity at this point of the list.
  ///   - type: The new type. The format of a date decides how its values are read.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public static func convert(
    _ attribute: String, of entity: String, to type: AttributeType
  ) -> Migration {
    let conversion = Conversion(kind: type.kind, isBuiltIn: true) { try type.converted($0) }
    return Migration(action: .convert(attribute, of: entity, conversion))
  }

  /// Converts the values of an attribute with a closure, to another type or the same.
  ///
  ///     .convert("price", of: "Item", to: .integer) { value in
  ///       guard case .number(let euros) = value else { return nil }
  ///       return .integer(Int64((euros * 100).rounded()))
  ///     }
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute. A primary key can become an integer or a string, if no two objects get
  ///     the same key.
  ///   - entity: The name of its entity at this point of the list.
  ///   - kind: The kind of the new values.
  ///   - convert: Returns the new value; nil or null clears it. Called on the opening thread for every stored
  ///     value, but not for missing ones. If the store has to grow, it is called again from the start, so it must
  ///     have no side effects. If it throws, nothing is changed.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public static func convert(
    _ attribute: String, of entity: String, to kind: AttributeKind,
    _ convert: @escaping @Sendable (Value) throws -> Value?
  ) -> Migration {
    let conversion = Conversion(kind: kind, isBuiltIn: false, convert: convert)
    return Migration(action: .convert(attribute, of: entity, conversion))
  }

  /// A description for messages: `rename "mail" of Person to "email"`.
  public var description: String {
    switch action {
    case .renameEntity(let entity, let name): "rename entity \(quoted(entity)) to \(quoted(name))"
    case .renameField(let field, let entity, let name, _):
      "rename \(quoted(field)) of \(escaped(entity)) to \(quoted(name))"
    case .convert(let attribute, let entity, let conversion):
      "convert \(quoted(attribute)) of \(escaped(entity)) to \(conversion.kind.noun)"
    }
  }
}

// MARK: - The stored history

extension Migration {
  /// The identity of a migration, as a store remembers it. Two migrations of one list may be equal.
  ///
  ///     meta "changes"   →   (kind 1 | entity name | field name | new name, or name of the new kind)…
  ///
  /// Kind 0 renames an entity, whose field name is empty; 1 renames a field, 2 converts an attribute.
  struct Mark: Hashable {
    var kind: UInt8
    var entity: [UInt8]
    var field: [UInt8]
    var target: [UInt8]
  }

  var mark: Mark {
    switch action {
    case .renameEntity(let entity, let name):
      Mark(kind: 0, entity: Array(entity.utf8), field: [], target: Array(name.utf8))
    case .renameField(let field, let entity, let name, _):
      Mark(kind: 1, entity: Array(entity.utf8), field: Array(field.utf8), target: Array(name.utf8))
    case .convert(let attribute, let entity, let conversion):
      Mark(
        kind: 2, entity: Array(entity.utf8), field: Array(attribute.utf8),
        target: Array(conversion.kind.rawValue.utf8))
    }
  }

  /// The migrations of a list that a store does not have yet. If a migration occurs twice in the list, the store may
  /// have had it once.
  static func pending(of changes: [Migration], after made: [Mark]) -> [Migration] {
    var counts = made.reduce(into: [Mark: Int]()) { $0[$1, default: 0] += 1 }
    return changes.filter { change in
      guard let count = counts[change.mark], count > 0 else { return true }
      counts[change.mark] = count - 1
      return false
    }
  }
}
