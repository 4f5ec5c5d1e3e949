package import FastMapCore

extension Mapper {
  /// Imports, and reads copies of all objects of the mapping from the store.
  package func roundTrip<Source: ClassMapping>(
    _ json: some JSONSource & ~Escapable, as mapping: Source, depth: Int = 0,
    options: ImportOptions = ImportOptions()
  ) throws -> [Source.Object] {
    _ = try importJSON(json, as: mapping, options: options)
    return try store.read { try $0.objects(mapping, depth: depth) }
  }

  /// Imports, and reads copies of all objects of the mapping from the store, on threads of their own.
  @MainActor
  package func roundTrip<Object: AnyObject & Sendable>(
    _ json: some JSONSource & Sendable, as mapping: MainActorMapping<Object>, depth: Int = 0,
    options: ImportOptions = ImportOptions()
  ) async throws -> [Object] {
    _ = try await importJSON(json, as: mapping, options: options)
    return try await store.objects(mapping, depth: depth)
  }
}

/// The forms that objects take. Tests of properties must hold for both.
package enum Form: CaseIterable {
  case records
  case classes
}

extension World {
  /// Imports, and returns copies of all stored objects of the mapping.
  package func instances<Object: AnyObject>(_ json: String, as mapping: Mapping<Object>) throws -> [Object] {
    try Mapper(store).roundTrip(json, as: mapping, depth: .max)
  }

  /// The instance for a stored object.
  package func instance<Object: AnyObject>(_ mapping: Mapping<Object>, _ key: PrimaryKey) throws -> Object? {
    try store.read { try $0.object(mapping, key: key, depth: .max) }
  }

  /// The keys of an entity's objects, ascending: `1 2`.
  package func keys(of entity: String, as name: String? = nil) throws -> String {
    try store.read(plan(name)) { reader in
      try reader.records(entity).map { $0.key.map { "\($0)" } ?? "-" }.joined(separator: " ")
    }
  }
}
