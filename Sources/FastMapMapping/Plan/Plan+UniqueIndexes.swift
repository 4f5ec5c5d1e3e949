/// Unique indexes are a promise. A store that keeps none refuses the write that declares one.
extension Plan {
  /// - Throws: ``MappingDefinitionError`` if a mapping declares a unique index and the store keeps none.
  package func checkUniqueIndexes(_ capabilities: StoreCapabilities) throws(MappingDefinitionError) {
    if capabilities.keepsUniqueIndexes { return }
    let faults = mappings.flatMap { planned in
      planned.mapping.indexes.enumerated().filter(\.element.isUnique).map { number, index in
        MappingDefinitionError.Fault(
          place: planned.mapping.place.appending("indexes").appending(.index(number)),
          reason:
            "the store keeps no unique indexes, found \(quoted(index.description)); expected an index without "
            + "\"unique\", or a store that keeps them")
      }
    }
    if !faults.isEmpty { throw MappingDefinitionError(faults) }
  }
}
