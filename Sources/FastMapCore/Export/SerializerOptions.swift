/// How objects are written. The defaults are: no nulls, and each related object in full at most once in a root object.
///
///     var options = SerializerOptions()
///     options.cycles = .repeatAsKey
///     options.includesNulls = true
public struct SerializerOptions: Sendable {
  /// Which related objects are written as nothing but their key, as `{"id":7}`.
  ///
  /// With each of them writing ends for any graph. An object without a key has no such short form: it is left
  /// out where it is inside of itself, and written in full anywhere else. Where that makes an output that is out of
  /// all proportion, an error says so: more than 100 000 of them, and more than 16 times the rest, stand below one that is
  /// itself written again. ``ancestorAsKey`` has no such limit.
  ///
  /// An object counts as written once a mapping wrote all that the one at hand would write of it.
  public enum Cycles: Sendable, CaseIterable {
    /// Those whose entity is on the path from the root object down, and those that the output of the root object already
    /// has.
    ///
    /// The output of a root object is linear in the objects that it reaches, and an export in proportion to the store. An object
    /// that only others of its own entity lead to is in it as its key: export its entity too, or use ``repeatAsKey``.
    case entityAsKey
    /// Those that have been written in full before, in the same object or document: all that is reached is written once.
    ///
    /// The output of a root object is linear in the objects that it reaches.
    case repeatAsKey
    /// Only those that are on the path from the root down: every way to an object is written.
    ///
    /// This may take exponential time and space: in a cyclic graph each level more multiplies the text, 3.7 times for
    /// the countries of the world with their borders. ``SerializerOptions/depth`` bounds it, and
    /// ``SerializerOptions/maxObjectBytes`` ends it.
    case ancestorAsKey
  }

  /// Whether to write the relationship of a mapping.
  public typealias RelationshipFilter = @Sendable (MappingDefinition, RelationshipDefinition) -> Bool

  /// Whether values that are missing or null are written as `null`, and empty to-many relationships as `[]`.
  public var includesNulls = false

  /// Which related objects are written as their key.
  ///
  /// Nil, the default, is linear in what is reached: ``Cycles/entityAsKey`` for stored objects and for exports, and
  /// ``Cycles/repeatAsKey`` for instances that are written as one text, which has all of them.
  public var cycles: Cycles?

  /// How many levels of related objects are written in full; those further down are written as keys. Nil is
  /// no limit.
  ///
  /// Objects without a key are written in full on any level. `cycles` counts as well.
  public var depth: Int?

  /// The bytes that the text of one root object may have, 1 GiB by default.
  ///
  /// A larger one is an error that names the object and the limit. An export hands out the text of a large object piece
  /// by piece; anything else has it in memory.
  public var maxObjectBytes = 1 << 30

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
