#if Postgres
  internal import FastMapCore

  /// Objects and values that a write sets and the store has no tables or columns for. A dry run has them, because it
  /// adds nothing to the store; it counts correctly, and is rolled back.
  struct Unprepared {
    /// The new objects with a key, by the names of their entities.
    private var objects: [String: [PrimaryKey: ObjectID]] = [:]
    /// Objects with a value or a list for which there is no column or table.
    private var changed: Set<ObjectID> = []
    /// The first thing that is missing, for the error of a commit.
    private(set) var missing: String?

    /// Notes a change of an entity without a table.
    mutating func note(_ change: ObjectChange, _ schema: Schema) {
      let name = schema.entities[change.entity].name
      missing = missing ?? "table for the entity \(name)"
      changed.insert(change.id)
      if let key = change.key { objects[name, default: [:]][key] = change.id }
    }

    /// Notes a value of a field without a column.
    mutating func note(_ change: ObjectChange, field: Int, _ schema: Schema) {
      let entity = schema.entities[change.entity]
      missing = missing ?? "column for \(entity.fields[field].name) of the entity \(entity.name)"
      changed.insert(change.id)
    }

    func isChanged(_ id: ObjectID) -> Bool { changed.contains(id) }

    /// Sets the numbers of the objects that only this write knows.
    func resolve(_ lookup: KeyLookup, _ schema: Schema) {
      guard !objects.isEmpty, let known = objects[schema.entities[lookup.entity].name] else { return }
      for (index, key) in lookup.keys.enumerated() where lookup.ids[index] == nil {
        lookup.ids[index] = key.key.flatMap { known[$0] }
      }
    }

    func find(_ keys: [PrimaryKey], of entity: String, _ found: [ObjectID?]) -> [ObjectID?] {
      guard !objects.isEmpty, let known = objects[entity] else { return found }
      return zip(keys, found).map { key, id in id ?? known[key] }
    }
  }
#endif
