/// How objects are written. The defaults are: no nulls, all related objects in full, ancestors as keys.
///
///     var options = SerializerOptions()
///     options.cycles = .entityAsKey
///     options.includesNulls = true
public struct SerializerOptions: Sendable {
  /// Which related objects are written as nothing but their key, as `{"id":7}`.
  ///
  /// With each of them writing ends for any graph. An object without a key has no such short form: it is left
  /// out where it is inside of itself, and written in full anywhere else.
  public enum Cycles: Sendable, CaseIterable {
    /// Those that are on the path from the root down.
    case ancestorAsKey
    /// Those whose entity is on the path from the root down: what is written stays in proportion to the
    /// store.
    case entityAsKey
    /// Those that have been written in full before, in the same object or document.
    case repeatAsKey
  }

  /// Whether to write the relationship of a mapping.
  public typealias RelationshipFilter = @Sendable (MappingDescription, RelationshipDescription) -> Bool

  /// Whether values that are missing or null are written as `null`, and empty to-many relationships as `[]`.
  public var includesNulls = false

  public var cycles = Cycles.ancestorAsKey

  /// How many levels of related objects are written in full; those further down are written as keys. Nil is
  /// no limit.
  ///
  /// Objects without a key are written in full on any level. `cycles` counts as well.
  public var depth: Int?

  /// Whether objects whose mapping reads a bare key are written in full: through the mapping of their entity, among those
  /// of the plan whose key is a member, that has the most attributes, the first of them. Where the plan has none, it
  /// knows nothing of them but the key, which is written as ever.
  ///
  ///     // boss: PersonRef {id<-null}     false: {"boss":7}     true: {"boss":{"id":7,"name":"Ada"}}
  ///
  /// The mapping that wrote such a text cannot read it.
  public var expandsKeys = false

  /// Leaves out the relationships for which it returns false.
  ///
  /// It is asked once for each relationship, when the serializer is made; nil writes all of them.
  public var shouldWrite: RelationshipFilter?

  /// Makes the default options.
  public init() {}
}
