// The initialisers of Mapping+KindClasses.swift, once more for a `MainActorMapping`: see MainActorFields.swift.

extension MainActorMapping {
  /// Makes a mapping of a main-actor class whose objects are instances of subclasses: see ``Kinds``.
  ///
  ///     MainActorMapping(
  ///       Event.self, "AnyEvent", entity: "Event", primaryKey: "id",
  ///       kinds: Kinds("type", ["PushEvent": .mapping(Event.push)]), make: Event.init
  ///     ) {
  ///       Attribute("id", \.id)
  ///     }
  ///
  /// - SeeAlso: ``Mapping``, whose parameters it has. `make` is called on the main actor.
  @MainActor
  public init(
    _ type: Object.Type, _ name: String, entity: String? = nil, rootPath: JSONKeyPath = .wholeValue,
    primaryKey: KeyFields? = nil, missingPrimaryKey: MissingPrimaryKey = .error, newerBy: String? = nil,
    deletedBy: DeletedBy? = nil, ignores: [JSONKeyPath] = [], keys: KeyStrategy = .asDeclared,
    was: String? = nil, kinds: Kinds, make: @escaping @MainActor () -> Object,
    @MappingBuilder<MainActorMapping<Object>> _ fields: @MainActor () -> [MappingField]
  ) {
    self.init(
      definition: MappingDefinition(
        name, entity: entity, rootPath: rootPath, primaryKey: primaryKey,
        missingPrimaryKey: missingPrimaryKey, newerBy: newerBy, deletedBy: deletedBy, keyedBy: nil,
        ignores: ignores, keys,
        fields(), objects: ObjectAccess(onMain: type, takesSubclasses: false, make: make), kinds: kinds,
        was: was))
  }

  /// Makes a mapping of a main-actor subclass that is one of several kinds: see ``Kinds``.
  ///
  ///     static let push = MainActorMapping(PushEvent.self, "Push", kindOf: Event.mapping, make: PushEvent.init) {
  ///       Attribute("size", \.size)
  ///     }
  ///
  /// - SeeAlso: ``Mapping``, whose parameters it has. `make` is called on the main actor.
  @MainActor
  public init<Base: AnyObject>(
    _ type: Object.Type, _ name: String, kindOf base: MainActorMapping<Base>,
    ignores: [JSONKeyPath] = [], keys: KeyStrategy = .asDeclared, takesSubclasses: Bool = false,
    make: @escaping @MainActor () -> Object,
    @MappingBuilder<MainActorMapping<Object>> _ fields: @MainActor () -> [MappingField]
  ) {
    let base = base.definition
    self.init(
      definition: MappingDefinition(
        name, entity: base.entity, rootPath: base.rootPath, primaryKey: base.keyFields,
        missingPrimaryKey: base.missingPrimaryKey, newerBy: nil, deletedBy: nil, keyedBy: nil,
        ignores: ignores, keys, fields(),
        objects: ObjectAccess(onMain: type, takesSubclasses: takesSubclasses, make: make), base: base))
  }
}

extension RelationshipDefinition.Destination {
  /// A mapping of a main-actor class.
  ///
  ///     Kinds("type", ["PushEvent": .mapping(Event.push)])
  ///
  /// - Parameter mapping: It is asked for when a plan is compiled, on the main actor.
  public static func mapping<Object: AnyObject>(
    _ mapping: @autoclosure @escaping @MainActor @Sendable () -> MainActorMapping<Object>
  ) -> Self {
    .onMain(mapping)
  }
}
