@testable import FastMapMapping

extension Mapping where Object == Record {
  /// A recorded mapping without its type.
  init(recorded definition: MappingDefinition) { self.init(definition: definition) }
}
