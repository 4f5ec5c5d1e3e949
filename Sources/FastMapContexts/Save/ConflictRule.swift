/// Decides about a field that you and another writer have changed.
///
///     try context.save(onConflict: .mine)
///     try context.save(onConflict: .custom { $0.field == "stock" ? .theirs : .fail })
///
/// A field that only the other writer has changed is no conflict: it keeps their value, and the instance shows it after
/// the save. Equal changes by both are no conflict either: two writers that both raise a counter from 5 to 6 lose one
/// count.
///
/// Each edit of an object that is not stored any more is a conflict with no value. A link to such an object is a
/// conflict with the stored targets. The save fails unless the choice is `.theirs`, for all edited fields of the object.
/// Then the object leaves the context. A list keeps its other targets.
public struct ConflictRule: Sendable {
  /// The outcome for one field.
  public enum Choice: Sendable {
    /// The save fails with ``SaveConflictError``.
    case fail
    /// The value of the instance is saved.
    case mine
    /// The stored value stays, and the instance shows it after the save.
    case theirs
  }

  let choice: @Sendable (ObjectConflict) throws -> Choice
  /// The fields that it names: `"Entity.field"`.
  private var names: [String] = []

  private init(choice: @escaping @Sendable (ObjectConflict) throws -> Choice) { self.choice = choice }

  /// The save fails.
  public static let fail = ConflictRule(choice: { _ in .fail })
  /// The values of the instances are saved.
  public static let mine = ConflictRule(choice: { _ in .mine })
  /// The stored values stay. Edits of objects that are not stored any more are dropped, and so are links to them.
  public static let theirs = ConflictRule(choice: { _ in .theirs })

  /// A choice for some fields.
  ///
  /// - Parameters:
  ///   - fields: The choices by `"Entity.field"`, an attribute or a relationship. A save whose context does not know one throws
  ///     ``UnknownNameError``, and saves nothing.
  ///   - otherwise: The choice for all others.
  public static func fields(_ fields: [String: Choice], otherwise: Choice = .fail) -> ConflictRule {
    var rule = ConflictRule(choice: { fields["\($0.entity).\($0.field)"] ?? otherwise })
    rule.names = fields.keys.sorted()
    return rule
  }

  /// - Throws: ``UnknownNameError`` for a field that no object can have a conflict in.
  func check(_ schema: Schema) throws(UnknownNameError) {
    if names.isEmpty { return }
    let known = schema.entities.flatMap { entity in entity.fields.map { "\(entity.name).\($0.name)" } }
    let index = NameIndex(known)
    for name in names where index[name] == nil {
      // Names may have dots, so the entity is looked for.
      guard let entity = schema.entities.firstIndex(where: { name.hasPrefix("\($0.name).") }) else {
        _ = try schema.number(of: String(name.prefix { $0 != "." }))
        throw UnknownNameError("expected \"Entity.field\" in a conflict rule, found \(quoted(name))")
      }
      let field = String(name.dropFirst(schema.entities[entity].name.count + 1))
      if schema.entities[entity].inverseNumber(named: field) != nil {
        throw UnknownNameError("\(quoted(name)) is an inverse, which has no conflicts")
      }
      _ = try schema.field(named: field, of: entity)
    }
  }

  /// A choice that a closure makes.
  ///
  /// - Parameter choice: Called for each conflict, and again if the store repeats the transaction. The closure must
  ///   not use the context or the store. An error that it throws ends the save.
  public static func custom(
    _ choice: @escaping @Sendable (ObjectConflict) throws -> Choice
  ) -> ConflictRule {
    ConflictRule(choice: choice)
  }
}
