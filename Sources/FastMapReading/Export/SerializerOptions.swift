/// How objects are written. By default, nulls are left out, and a root object contains each related object in full at
/// most once.
///
///     var options = SerializerOptions()
///     options.cycles = .repeatAsKey
///     options.includesNulls = true
public struct SerializerOptions: Sendable {
  /// Which related objects are abbreviated to their key, as in `{"id":7}`.
  ///
  ///     options.cycles = .repeatAsKey
  ///
  /// Every rule gives finite output for any graph. An object without a key cannot be abbreviated. Such an object is left out
  /// within itself, and written in full anywhere else. If that multiplies the output, the call throws an error. The
  /// limit is 100 000 such objects below a repeated one, if they are also more than 16 times the rest.
  /// ``ancestorAsKey`` has no such limit.
  ///
  /// An object counts as written once a mapping has written everything that the current mapping would write.
  public enum Cycles: Sendable, CaseIterable {
    /// Objects whose entity is on the path from the root, and objects that the root object's output already contains.
    ///
    /// The output of a root object is linear in the objects that it reaches, and an export is in proportion to the
    /// store. Objects that are reached only through others of their entity are abbreviated. To include them, export
    /// their entity too, or use ``repeatAsKey``.
    case entityAsKey
    /// Objects that the same object or document already contains in full. Each reached object is written once.
    ///
    /// The output of a root object is linear in the objects that it reaches.
    case repeatAsKey
    /// Only objects on the path from the root, so an object is written once for each path to it.
    ///
    /// This may take exponential time and space. In a cyclic graph, each level multiplies the text: 3.7 times for the
    /// countries of the world with their borders. ``SerializerOptions/depth`` limits the levels, and
    /// ``SerializerOptions/maxObjectBytes`` the text.
    case ancestorAsKey
  }

  /// Whether missing and null values are written as `null`, and empty to-many relationships as `[]`.
  public var includesNulls = false

  /// Whether `includesNulls` leaves out relationships without targets: an instance that was read without them looks the same.
  package var omitsEmptyRelationships = false

  /// Which related objects are abbreviated to their key.
  ///
  /// Nil, the default, is linear: ``Cycles/entityAsKey`` for stored objects and exports, and ``Cycles/repeatAsKey``
  /// for instances that are written as one text.
  public var cycles: Cycles?

  /// The number of levels of related objects that are written in full. Objects below are abbreviated to their key.
  /// Nil means no limit, and less than 0 is an ``OptionError``.
  ///
  /// Objects without a key are written in full at any level. `cycles` applies in addition.
  public var depth: Int?

  /// The maximum size of one root object's text, in bytes, at least 0. The default is 1 GiB.
  ///
  /// A larger object is an error that names the object and the limit. An export passes on large objects in pieces;
  /// every other call holds the whole text in memory.
  public var maxObjectBytes = 1 << 30

  /// Whether objects whose mapping reads a bare key are written in full.
  ///
  ///     // boss: PersonRef {id<-null}     false: {"boss":7}     true: {"boss":{"id":7,"name":"Ada"}}
  ///
  /// Such an object is written through another mapping of its entity in the plan, whose key is a member. If there are
  /// several, the first with the most attributes is used. If there is none, the bare key is written. The mapping that
  /// wrote such text cannot read it.
  public var expandsKeys = false

  /// Leaves out the relationships for which it returns false.
  ///
  /// Called once for each relationship, when the serializer is created. Nil writes all of them.
  public var shouldWrite: (@Sendable (MappingDefinition, RelationshipDefinition) -> Bool)?

  /// Writes an object that is met again with its attributes and the keys of its to-one relationships, without its lists. Nil
  /// abbreviates it to its key, as does a text of more than `mostBytes` of such objects, after a call of `onLimit`.
  package var repeats: (mostBytes: Int, onLimit: @Sendable () -> Void)?

  /// Makes the default options.
  public init() {}
}

extension SerializerOptions {
  func check() throws(OptionError) {
    try OptionError.check("depth", depth, atLeast: 0)
    try OptionError.check("maxObjectBytes", maxObjectBytes, atLeast: 0)
  }
}
