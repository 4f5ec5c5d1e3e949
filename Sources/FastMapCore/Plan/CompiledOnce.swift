internal import Synchronization

/// The plan of one mapping, compiled when it is first asked for.
final class CompiledOnce: Sendable {
  private let compiled = Mutex<Plan?>(nil)

  func plan(_ compile: () throws(MappingDefinitionError) -> Plan) throws(MappingDefinitionError) -> Plan {
    if let plan = compiled.withLock({ $0 }) { return plan }
    // Compiled outside of the lock: the closures of relationships may ask for other plans.
    let plan = try compile()
    compiled.withLock { $0 = $0 ?? plan }
    return plan
  }
}
