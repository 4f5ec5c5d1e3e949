public import FastMapCore

/// A change of a store's layout that has to be declared: another name for an entity, an attribute or a
/// relationship, or another type for an attribute. What is merely added to a mapping or dropped from it needs
/// no declaration.
///
///     var configuration = LMDBStore.Configuration()
///     configuration.migrations = [
///       .rename("mail", of: "Person", to: "email"),
///       .rename(entity: "Person", to: "Customer"),
///       .convert("age", of: "Customer", to: .integer),
///     ]
///     let store = try LMDBStore(at: "people.db", configuration: configuration)
///
/// The list is a history: add to its end, and keep a change in it as long as there may be a store that has not
/// had it. When a store is opened for writing, the changes that it has not had are made in their order, all of
/// them in one transaction or none; the store remembers them, and none is made twice. A change of what the
/// store has never met has nothing to do, and counts as made: so a store that is made today skips the past. A name
/// that the store does not have, nor what the changes make of it, is an error where it has one nearly like it: it is
/// taken for misspelt.
///
/// A rename that is not declared loses nothing, and shows nothing: the new name has no values. An import says so, in
/// `ImportReport.layoutNotes`.
///
/// End the programs that use the old names before: to them, what was renamed is not there.
///
/// - Note: Thread rule: a value, for any thread.
public struct Migration: Sendable, CustomStringConvertible {
  let action: Action

  enum Action: Sendable {
    case renameEntity(String, to: String)
    case renameField(String, of: String, to: String)
    case convert(String, of: String, Conversion)
  }

  /// How the values of an attribute become values of another type.
  struct Conversion: Sendable {
    let kind: AttributeKind
    /// Whether values that are of that kind already are left alone.
    let isBuiltIn: Bool
    let convert: @Sendable (Value) throws -> Value?
  }

  /// Gives an entity another name. Its objects, and the relationships to them, stay as they are.
  ///
  /// - Parameters:
  ///   - entity: The name that it has.
  ///   - name: The name that it gets, which no entity of the store may have.
  /// - Complexity: O(1); no object is written.
  public static func rename(entity: String, to name: String) -> Migration {
    Migration(action: .renameEntity(entity, to: name))
  }

  /// Gives an attribute or a relationship another name. Values and targets stay as they are.
  ///
  /// - Parameters:
  ///   - field: The name of the attribute or relationship in the mappings (not in JSON, which no store keeps).
  ///   - entity: The name that its entity has by then.
  ///   - name: The name that it gets. No attribute or relationship that the entity ever had may have it: one that
  ///     mappings have dropped is still stored, and has to be renamed first.
  /// - Complexity: O(1); no object is written.
  public static func rename(_ field: String, of entity: String, to name: String) -> Migration {
    Migration(action: .renameField(field, of: entity, to: name))
  }

  /// Gives an attribute another type, whose values say the same.
  ///
  /// A value is converted as its JSON is read by a lenient attribute: `"12"` and 12.0 become the integer 12, 0 and
  /// 1 booleans, strings become dates and data, numbers dates by their epoch. Beyond that, `"true"` and `"false"`
  /// become booleans, and everything has a string: its text in JSON, of dates ISO 8601. A value that the new
  /// type has no equal of stops the change, with the object and the value named; nothing is changed then.
  ///
  /// - Parameters:
  ///   - attribute: Its name. It may be the primary key, and then becomes an integer or a string; the keys of
  ///     two objects must not become the same.
  ///   - entity: The name that its entity has by then.
  ///   - type: The new type; a date's format says how its values are read.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public static func convert(
    _ attribute: String, of entity: String, to type: AttributeType
  ) -> Migration {
    let conversion = Conversion(kind: type.kind, isBuiltIn: true) { try type.converted($0) }
    return Migration(action: .convert(attribute, of: entity, conversion))
  }

  /// Gives an attribute another type, or the same type other values.
  ///
  ///     .convert("price", of: "Item", to: .integer) { value in
  ///       guard case .number(let euros) = value else { return nil }
  ///       return .integer(Int64((euros * 100).rounded()))
  ///     }
  ///
  /// - Parameters:
  ///   - attribute: Its name. It may be the primary key, and then becomes an integer or a string; the keys of
  ///     two objects must not become the same.
  ///   - entity: The name that its entity has by then.
  ///   - kind: What the store keeps of the new type.
  ///   - convert: Makes the new value; nil or null clears it. Called on the opening thread for every value that
  ///     is stored, not for those that are absent, and again from the start where the store has to grow: it must
  ///     do nothing else. An error that it throws stops the change, and nothing is changed.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public static func convert(
    _ attribute: String, of entity: String, to kind: AttributeKind,
    _ convert: @escaping @Sendable (Value) throws -> Value?
  ) -> Migration {
    let conversion = Conversion(kind: kind, isBuiltIn: false, convert: convert)
    return Migration(action: .convert(attribute, of: entity, conversion))
  }

  /// What is changed, in words: `rename "mail" of Person to "email"`.
  public var description: String {
    switch action {
    case .renameEntity(let entity, let name): "rename entity \(quoted(entity)) to \(quoted(name))"
    case .renameField(let field, let entity, let name):
      "rename \(quoted(field)) of \(entity) to \(quoted(name))"
    case .convert(let attribute, let entity, let conversion):
      "convert \(quoted(attribute)) of \(entity) to \(conversion.kind.noun)"
    }
  }
}

// MARK: - What a store remembers

extension Migration {
  /// What tells a change from others, as a store remembers it. Two changes of one list may be the same.
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
    case .renameField(let field, let entity, let name):
      Mark(kind: 1, entity: Array(entity.utf8), field: Array(field.utf8), target: Array(name.utf8))
    case .convert(let attribute, let entity, let conversion):
      Mark(
        kind: 2, entity: Array(entity.utf8), field: Array(attribute.utf8),
        target: Array(conversion.kind.rawValue.utf8))
    }
  }

  /// The changes of a list that a store has not had: where a change stands in it twice, a store may have had it
  /// once.
  static func pending(of changes: [Migration], after made: [Mark]) -> [Migration] {
    var counts = made.reduce(into: [Mark: Int]()) { $0[$1, default: 0] += 1 }
    return changes.filter { change in
      guard let count = counts[change.mark], count > 0 else { return true }
      counts[change.mark] = count - 1
      return false
    }
  }
}
