internal import Synchronization

/// What an import or a deletion goes through: a mapping that needs no other by name, or a plan.
///
///     try mapper.importJSON(text, as: Person.mapping)
///     try mapper.importJSON(text, as: mappings.plan(for: "Person"))
public protocol PlanSource: Sendable {
  /// The compiled mapping.
  ///
  /// - Parameter transforms: For every property of their types that has none of its own. A plan has its own.
  /// - Throws: ``MappingFaults`` with every fault found.
  func plan(transforms: Transforms) throws(MappingFaults) -> Plan
}

extension PlanSource {
  /// The compiled mapping, without further transforms.
  ///
  /// - Throws: ``MappingFaults`` with every fault found.
  public func plan() throws(MappingFaults) -> Plan { try plan(transforms: Transforms()) }
}

extension Plan: PlanSource {
  public func plan(transforms: Transforms) -> Plan { self }
}

extension Mapping: PlanSource {
  public func plan(transforms: Transforms) throws(MappingFaults) -> Plan {
    transforms.isEmpty ? try plan() : try Plan(self, transforms: transforms)
  }
}

/// The plan of one mapping, compiled when it is first asked for.
final class CompiledOnce: Sendable {
  private let compiled = Mutex<Plan?>(nil)

  func plan(of mapping: MappingDescription) throws(MappingFaults) -> Plan {
    if let plan = compiled.withLock({ $0 }) { return plan }
    // Compiled outside of the lock: the closures of relationships may ask for other plans.
    let plan = try Plan(mapping)
    compiled.withLock { $0 = $0 ?? plan }
    return plan
  }
}
