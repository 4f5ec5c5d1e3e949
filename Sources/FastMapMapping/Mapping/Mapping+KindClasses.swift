extension Mapping where Object: AnyObject {
  /// Makes a mapping of a class whose objects are instances of subclasses: see ``Kinds``.
  ///
  ///     Mapping(
  ///       Event.self, "AnyEvent", entity: "Event", primaryKey: "id",
  ///       kinds: Kinds("type", ["PushEvent": .mapping(Event.push)]), make: Event.init
  ///     ) {
  ///       Attribute("id", \.id)
  ///     }
  ///
  /// - Parameters:
  ///   - type: The base class.
  ///   - name: The mapping's name, not empty.
  ///   - entity: The kind of object in a store; the mapping's name by default. All kinds have it.
  ///   - rootPath: The place of the objects in a payload.
  ///   - primaryKey: The name of the primary key, or its parts. All kinds have it.
  ///   - missingPrimaryKey: Decides about an object whose primary key is missing or null.
  ///   - newerBy: The name of an attribute with an order, as of any mapping.
  ///   - deletedBy: The attribute whose value marks an object as deleted: see ``DeletedBy``.
  ///   - ignores: The key paths of members that no field reads and that a report does not count: see ``ImportReport/unread``.
  ///     [``JSONKeyPath/wholeValue``] stands for all.
  ///   - keys: How names of fields become names of JSON members.
  ///   - was: The earlier name of its entity, which the first import replaces in the store.
  ///   - kinds: The values and their mappings, which are made with `kindOf`.
  ///   - make: Makes an instance for an object that was met by its key alone.
  ///   - fields: The attributes and relationships that all kinds have.
  public init(
    _ type: Object.Type, _ name: String, entity: String? = nil, rootPath: JSONKeyPath = .wholeValue,
    primaryKey: KeyFields? = nil, missingPrimaryKey: MissingPrimaryKey = .error, newerBy: String? = nil,
    deletedBy: DeletedBy? = nil, ignores: [JSONKeyPath] = [], keys: KeyStrategy = .asDeclared,
    was: String? = nil, kinds: Kinds, make: @escaping @Sendable () -> Object,
    @MappingBuilder<Object> _ fields: () -> [MappingField]
  ) {
    self.init(
      definition: MappingDefinition(
        name, entity: entity, rootPath: rootPath, primaryKey: primaryKey,
        missingPrimaryKey: missingPrimaryKey, newerBy: newerBy, deletedBy: deletedBy, keyedBy: nil,
        ignores: ignores, keys,
        fields(),
        objects: ObjectAccess(type: type, takesSubclasses: false, make: make), kinds: kinds, was: was))
  }

  /// Makes a mapping of a subclass that is one of several kinds: see ``Kinds``.
  ///
  ///     static let push = Mapping(PushEvent.self, "Push", kindOf: Event.mapping, make: PushEvent.init) {
  ///       Attribute("size", \.size)
  ///     }
  ///
  /// The mapping has the entity, the root path, the key and the fields of the base class. A field that it declares
  /// again takes the place of the inherited one. Filters with its own key paths need that: `\PushEvent.id` is another
  /// key path than `\Event.id`.
  ///
  /// - Parameters:
  ///   - type: A subclass of the base class.
  ///   - name: The mapping's name, not empty: the attribute `kind` of the objects.
  ///   - base: The mapping of the base class, whose kinds name this mapping.
  ///   - ignores: The key paths of members that no field reads and that a report does not count, beside the base's own.
  ///   - keys: How names of fields become names of JSON members.
  ///   - takesSubclasses: Whether a context stores an instance of a subclass as an object of this class.
  ///   - make: Makes a new instance, on the thread that reads.
  ///   - fields: Its own attributes and relationships.
  public init<Base: AnyObject>(
    _ type: Object.Type, _ name: String, kindOf base: Mapping<Base>, ignores: [JSONKeyPath] = [],
    keys: KeyStrategy = .asDeclared, takesSubclasses: Bool = false, make: @escaping @Sendable () -> Object,
    @MappingBuilder<Object> _ fields: () -> [MappingField]
  ) {
    let base = base.definition
    self.init(
      definition: MappingDefinition(
        name, entity: base.entity, rootPath: base.rootPath, primaryKey: base.keyFields,
        missingPrimaryKey: base.missingPrimaryKey, newerBy: nil, deletedBy: nil, keyedBy: nil,
        ignores: ignores, keys, fields(),
        objects: ObjectAccess(type: type, takesSubclasses: takesSubclasses, make: make), base: base))
  }
}
