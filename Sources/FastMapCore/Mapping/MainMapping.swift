/// How the objects of a class of the main actor stand in JSON.
///
///     @MainActor @Observable final class Person {
///       var id = 0
///       var name: String?
///       var manager: Person?
///
///       static let mapping: MainMapping<Person> = MainMapping(
///         Person.self, "Person", primaryKey: "id", make: Person.init
///       ) {
///         Attribute("id", \.id)
///         Attribute("name", \.name)
///         ToOne("manager", \.manager, Person.mapping)
///       }
///     }
///
///     let people = try await mapper.objects(from: text, as: Person.mapping)
///
/// Its instances are made, read and set on the main actor, and nowhere else: the compiler refuses its use from another
/// actor. Its `plan()`, which is made on the main actor, may go anywhere.
///
/// A mapping that names itself needs its type written out, as above.
public struct MainMapping<Object: AnyObject>: Sendable {
  let description: MappingDefinition

  private let compiled = CompiledOnce()

  /// What it is called in messages.
  public var name: String { description.name }
  /// The kind of its objects in the store; several mappings may share one.
  public var entity: String { description.entity }

  /// Makes a mapping whose objects are instances of a class of the main actor.
  ///
  /// - Parameters:
  ///   - type: The class, final or not. Properties that it inherits are mapped like its own.
  ///   - name: The mapping's name, not empty.
  ///   - entity: The kind of object in a store; the mapping's name by default.
  ///   - rootPath: Where the objects stand in a payload; nil is the root itself.
  ///   - primaryKey: The name of an attribute with an integer or a string property; nil for objects that are
  ///     made anew, or belong to their owner.
  ///   - missingPrimaryKey: What is done with an object whose primary key is missing or null.
  ///   - keys: What the names of fields that say no key path are in JSON.
  ///   - make: Makes a new instance, on the main actor.
  ///   - fields: Its attributes and relationships.
  @MainActor
  public init(
    _ type: Object.Type, _ name: String, entity: String? = nil, rootPath: JSONKeyPath? = nil,
    primaryKey: String? = nil, missingPrimaryKey: MissingPrimaryKey = .error,
    keys: KeyStrategy = .asDeclared, make: @escaping @MainActor () -> Object,
    @MappingBuilder<OnMain<Object>> _ fields: @MainActor () -> [MappingField<OnMain<Object>>]
  ) {
    description = MappingDefinition(
      name, entity: entity, rootPath: rootPath, primaryKey: primaryKey, missingPrimaryKey: missingPrimaryKey,
      keys, fields(), objects: ObjectAccess(onMain: type, make: make))
  }
}

// Only the main actor may use the conformance: what takes a `ClassMapping` need not ask who calls it.
extension MainMapping: @MainActor ClassMapping {
  @MainActor
  public func plan(transforms: Transforms) throws(MappingDefinitionError) -> Plan {
    guard transforms.isEmpty else { return try compile(transforms) }
    return try compiled.plan { () throws(MappingDefinitionError) in try compile(Transforms()) }
  }

  private func compile(_ transforms: Transforms) throws(MappingDefinitionError) -> Plan {
    // Where a generic function of a user's hides the mapping from the compiler.
    let isOnMain = MainIsolation.isCurrent
    return try Plan(description, MappingSet([MappingDefinition]()), transforms, isOnMain: isOnMain)
  }
}

/// Stands for a class of the main actor in the lines of its ``MainMapping``, whose key paths no other actor may use.
///
///     let line: Attribute<OnMain<Person>> = Attribute("name", \.name)
public enum OnMain<Object: AnyObject> {}
