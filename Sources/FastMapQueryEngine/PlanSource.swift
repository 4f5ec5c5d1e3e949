/// The source of a plan for imports, reads, exports and deletions: a mapping that needs no other by name, or a plan.
///
///     try mapper.importJSON(text, as: Person.mapping)
///     try mapper.importJSON(text, as: mappings.plan(for: "Person"))
///
/// A ``MainActorMapping`` is one on the main actor only.
// Swift 6.3 checks that for a function's first generic parameter only, and not beside an argument whose conformance has
// a condition, such as a range of keys. So calls take a `PlanSource` first, and ranges of keys as existentials. In an
// extension of a protocol, where Self comes first, they take the source as an existential too. Remaining cases are
// refused at run time: see MainActorError.
public protocol PlanSource: QueryConvertible where Source == Self {
  /// The compiled mapping.
  ///
  /// - Parameter transforms: For every property of their types that has none of its own. A plan has its own.
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  func plan(transforms: Transforms) throws(MappingDefinitionError) -> Plan
}

extension PlanSource {
  /// The compiled mapping, without further transforms.
  ///
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  public func plan() throws(MappingDefinitionError) -> Plan { try plan(transforms: Transforms()) }
}

extension Plan: PlanSource {
  public func plan(transforms: Transforms) -> Plan { self }
}

extension Mapping: PlanSource {
  public func plan(transforms: Transforms) throws(MappingDefinitionError) -> Plan {
    transforms.isEmpty ? try plan() : try Plan(self, transforms: transforms)
  }
}

/// A mapping of instances of a class: a ``Mapping``, or a ``MainActorMapping`` on the main actor.
///
///     let people = try Person.mapping.objects(from: text)
public protocol ClassMapping<Object>: PlanSource {
  /// The class.
  associatedtype Object: AnyObject
}

extension Mapping: ClassMapping where Object: AnyObject {}

// Only the main actor may use the conformance, so code that takes a `ClassMapping` need not check its caller.
extension MainActorMapping: @MainActor ClassMapping {}
