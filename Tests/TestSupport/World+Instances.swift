package import FastMapCore

/// The forms that objects take. Tests of properties must hold for both.
package enum Form: CaseIterable {
  case records
  case classes
}

extension World {
  /// Imports and returns the instances of the root objects.
  package func instances<Object: AnyObject>(_ json: String, as mapping: Mapping<Object>) throws -> [Object] {
    try Mapper(store).objects(from: Array(json.utf8), as: mapping, depth: .max)
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
