/// How the objects of a class of the main actor look in JSON.
///
///     @MainActor @Observable final class Person {
///       var id = 0
///       var name: String?
///       var manager: Person?
///
///       static let mapping: MainActorMapping<Person> = MainActorMapping(
///         Person.self, "Person", primaryKey: "id", make: Person.init
///       ) {
///         Attribute("id", \.id)
///         Attribute("name", \.name)
///         ToOne("manager", \.manager, Person.mapping)
///       }
///     }
///
///     let people = try await Person.mapping.objects(from: text)
///
/// Its instances are made, read and set on the main actor and nowhere else: the compiler refuses its use from another
/// actor. Its `plan()` is made on the main actor and can be used anywhere.
///
/// A mapping that names itself needs its type written out, as above.
public struct MainActorMapping<Object: AnyObject>: Sendable {
  let definition: MappingDefinition

  private let compiled = CompiledOnce<Plan>()

  init(definition: MappingDefinition) { self.definition = definition }

  /// The same mapping, all of whose attributes and relationships are lenient: see ``Mapping/lenient``.
  public var lenient: MainActorMapping { MainActorMapping(definition: definition.lenient) }

  /// The kind of its objects in the store; several mappings may share one.
  public var entity: String { definition.entity }

  /// Makes a mapping whose objects are instances of a class of the main actor. `make` is called there, too.
  ///
  /// - SeeAlso: ``Mapping``, whose parameters it has.
  @MainActor
  public init(
    _ type: Object.Type, _ name: String, entity: String? = nil, rootPath: JSONKeyPath = .wholeValue,
    primaryKey: KeyFields? = nil, missingPrimaryKey: MissingPrimaryKey = .error,
    newerBy: String? = nil, deletedBy: DeletedBy? = nil, keyedBy: String? = nil,
    ignores: [JSONKeyPath] = [], keys: KeyStrategy = .asDeclared,
    takesSubclasses: Bool = false, was: String? = nil, make: @escaping @MainActor () -> Object,
    @MappingBuilder<MainActorMapping<Object>> _ fields: @MainActor () -> [MappingField]
  ) {
    definition = MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      newerBy: newerBy, deletedBy: deletedBy, keyedBy: keyedBy, ignores: ignores, keys, fields(),
      objects: ObjectAccess(onMain: type, takesSubclasses: takesSubclasses, make: make), was: was)
  }
}

extension MainActorMapping {
  /// The compiled mapping.
  ///
  /// - Parameter transforms: For every property of their types that has none of its own.
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  @MainActor
  public func plan(transforms: Transforms) throws(MappingDefinitionError) -> Plan {
    guard transforms.isEmpty else { return try compile(transforms) }
    return try compiled.value { () throws(MappingDefinitionError) in try compile(Transforms()) }
  }

  private func compile(_ transforms: Transforms) throws(MappingDefinitionError) -> Plan {
    // A generic function of the user can hide the mapping from the compiler.
    let isOnMain = MainIsolation.isCurrent
    return try Plan(definition, MappingSet([MappingDefinition]()), transforms, isOnMain: isOnMain)
  }
}
