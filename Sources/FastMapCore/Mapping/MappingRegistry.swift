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
    var name: String
    var description: MappingDescription
    var mapping: any Sendable
  }

  private let entries = Mutex<[Entry]>([])

  /// Makes an empty registry.
  public init() {}

  /// Makes a mapping known by its name. One that had the name before is forgotten.
  public func register<Object>(_ mapping: Mapping<Object>) {
    let entry = Entry(name: mapping.name, description: mapping.description, mapping: mapping)
    entries.withLock { entries in
      if let index = entries.firstIndex(where: { $0.name == mapping.name }) {
        entries[index] = entry
      } else {
        entries.append(entry)
      }
    }
  }

  /// The mapping with a name; nil where there is none, or its objects are others.
  ///
  /// - Parameters:
  ///   - name: What it was registered by.
  ///   - type: The class of its objects, or ``Record``.
  public func mapping<Object>(_ name: String, of type: Object.Type = Record.self) -> Mapping<Object>? {
    entries.withLock { $0.first { $0.name == name }?.mapping as? Mapping<Object> }
  }

  /// The mapping with a name, whatever its objects.
  public subscript(name: String) -> MappingDescription? {
    entries.withLock { $0.first { $0.name == name }?.description }
  }

  /// The mappings that it knows, in the order in which their names came: for relationships that go by name.
  public var set: MappingSet { MappingSet(entries.withLock { $0.map(\.description) }) }
}
