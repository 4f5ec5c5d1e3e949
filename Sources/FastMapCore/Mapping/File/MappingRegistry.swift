internal import Synchronization

/// Mappings to be found by name, wherever they are made.
///
///     let mappings = MappingRegistry()
///     mappings.register(Person.mapping)
///     let mapping = mappings.mapping("Person", of: Person.self)
///
/// - Note: Thread rule: any thread may use it.
public final class MappingRegistry: Sendable {
  private struct Entry {
    var definition: MappingDefinition
    var mapping: any Sendable
  }

  private struct Entries {
    var list: [Entry] = []
    var places: [ByteName: Int] = [:]

    subscript(name: String) -> Entry? { places[ByteName(name)].map { list[$0] } }
  }

  private let entries = Mutex(Entries())

  /// Makes an empty registry.
  public init() {}

  /// Makes a mapping known by its name. An earlier mapping with the name is forgotten.
  public func register<Object>(_ mapping: Mapping<Object>) {
    let entry = Entry(definition: mapping.definition, mapping: mapping)
    entries.withLock { entries in
      if let index = entries.places[ByteName(mapping.name)] {
        entries.list[index] = entry
      } else {
        entries.places[ByteName(mapping.name)] = entries.list.count
        entries.list.append(entry)
      }
    }
  }

  /// The mapping with a name; nil where there is none, or its objects are others.
  ///
  /// - Parameters:
  ///   - name: The mapping's name.
  ///   - type: The class of its objects, or ``Record``.
  public func mapping<Object>(_ name: String, of type: Object.Type = Record.self) -> Mapping<Object>? {
    entries.withLock { $0[name]?.mapping as? Mapping<Object> }
  }

  /// The mapping with a name, whatever its objects.
  public subscript(name: String) -> MappingDefinition? {
    entries.withLock { $0[name]?.definition }
  }

  /// The mappings that it knows, in the order in which their names came: for relationships that go by name.
  public var set: MappingSet { MappingSet(entries.withLock { $0.list.map(\.definition) }) }
}
