extension MappingSet {
  /// Compiles the entities and fields of all mappings.
  ///
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  package func schema() throws(MappingDefinitionError) -> Schema {
    try checkNames()
    let reached = try PlanCompiler.reach(mappings, in: self, isOnMain: false)
    return try PlanCompiler.number(reached, Transforms(), beside: mappings).0
  }
}
