#if Postgres
  internal import FastMapStoreKit

  /// Objects and relationships that a write sets and the store has no tables or columns for. Dry runs need the overlay,
  /// because they add nothing to the store. They count as the import would, and are rolled back.
  struct DryRunOverlay {
    /// An entity without a table, or with fields that have no column or table.
    private struct Entity {
      /// The new objects of an entity without a table; nil for one without a key.
      var keys: [ObjectID: PrimaryKey?] = [:]
      var byKey: [PrimaryKey: ObjectID] = [:]
      /// The numbers of its fields, by name.
      var fields: [ByteName: Int] = [:]
    }

    private struct Holder: Hashable {
      let field: Int
      let owner: ObjectID
    }

    private var entities: [ByteName: Entity] = [:]
    /// The entity of each field.
    private var owners: [ByteName] = []
    private var lists: [Holder: [ObjectID]] = [:]
    private var holders: [ObjectID: Set<Holder>] = [:]
    /// The values of attributes. `null` is no value, also where the attribute has a default.
    private var values: [Holder: Value] = [:]
    /// The first thing that is missing, for the error of a commit.
    private(set) var missing: String?

    /// Adds a change of an entity without a table.
    mutating func add(_ index: Int, of batch: inout ChangeBatch) {
      let change = batch.changes[index]
      let entity = batch.schema.entities[change.entity]
      let name = ByteName(entity.name)
      missing = missing ?? "table for the entity \(escaped(entity.name))"
      if change.isNew {
        let key = change.key
        entities[name, default: Entity()].keys[change.id] = .some(key)
        if let key { entities[name]?.byKey[key] = change.id }
      }
      for field in entity.fields.indices { set(field, by: index, of: &batch) }
    }

    /// Adds a field without a column or table.
    ///
    /// - Returns: Whether that changes the object.
    mutating func add(_ field: Int, by index: Int, of batch: inout ChangeBatch) -> Bool {
      let change = batch.changes[index]
      let entity = batch.schema.entities[change.entity]
      guard set(field, by: index, of: &batch) else { return false }
      missing =
        missing ?? "column for \(escaped(entity.fields[field].name)) of the entity \(escaped(entity.name))"
      return true
    }

    /// Whether an object has something that the store does not hold.
    func isChanged(_ id: ObjectID, of entity: Schema.Entity) -> Bool {
      guard missing != nil, let known = entities[ByteName(entity.name)] else { return false }
      return known.keys[id] != nil
        || entity.fields.contains { field in
          guard let number = known.fields[ByteName(field.name)] else { return false }
          let holder = Holder(field: number, owner: id)
          return lists[holder] != nil || values[holder].map { $0 != field.defaultValue ?? .null } ?? false
        }
    }

    /// Deletes objects with their relationships, and removes them from all relationships here.
    ///
    /// - Returns: The objects that only the overlay has, because their entity has no table.
    mutating func delete(_ ids: [ObjectID], of entity: Schema.Entity) -> [ObjectID] {
      if missing == nil { return [] }
      let (name, gone) = (ByteName(entity.name), Set(ids))
      for id in ids {
        for number in entities[name]?.fields.values ?? [:].values {
          let holder = Holder(field: number, owner: id)
          setTargets([], of: holder)
          values[holder] = nil
        }
      }
      // Each list once, however many of its targets are deleted.
      for holder in Set(ids.flatMap { holders[$0] ?? [] }) {
        setTargets((lists[holder] ?? []).filter { !gone.contains($0) }, of: holder)
      }
      return ids.filter { id in
        guard let key = entities[name]?.keys.removeValue(forKey: id) else { return false }
        if let key { entities[name]?.byKey[key] = nil }
        return true
      }
    }

    // MARK: Fields

    /// Sets a field, and reports the targets that a `replace` removes.
    ///
    /// - Returns: Whether its value or its targets change.
    @discardableResult
    private mutating func set(_ field: Int, by index: Int, of batch: inout ChangeBatch) -> Bool {
      let change = batch.changes[index]
      let (lent, update) = (change.row[field], change.update(of: field))
      if lent.isMissing { return false }
      let holder = Holder(field: number(of: batch.schema.entities[change.entity], field), owner: change.id)
      let mapped = batch.schema.entities[change.entity].fields[field]
      guard mapped.kind.target != nil else {
        // A stored object has the default. The import will store it with the new column.
        let start = change.isNew ? .null : mapped.defaultValue ?? .null
        let (old, new) = (values[holder] ?? start, lent.value ?? .null)
        values[holder] = new
        return new != old
      }
      let old = lists[holder] ?? []
      var new = lent.target.map { [$0] } ?? Array(lent.targets)
      if update == .merge, batch.schema.entities[change.entity].fields[field].kind.isToMany {
        var known = Set(old)
        new = old + new.filter { known.insert($0).inserted }
      }
      guard new != old else { return false }
      if update == .replace {
        var kept = Set(new)
        for target in old where kept.insert(target).inserted {
          batch.recordRemoved(target, from: field, of: change)
        }
      }
      setTargets(new, of: holder)
      return true
    }

    private mutating func setTargets(_ targets: [ObjectID], of holder: Holder) {
      for target in lists[holder] ?? [] { holders[target]?.remove(holder) }
      lists[holder] = targets.isEmpty ? nil : targets
      for target in targets { holders[target, default: []].insert(holder) }
    }

    private mutating func number(of entity: Schema.Entity, _ field: Int) -> Int {
      let (entity, name) = (ByteName(entity.name), ByteName(entity.fields[field].name))
      if let known = entities[entity]?.fields[name] { return known }
      owners.append(entity)
      entities[entity, default: Entity()].fields[name] = owners.count - 1
      return owners.count - 1
    }

    /// Sets the targets that are here.
    func addTargets(
      of ids: [ObjectID], _ entity: Schema.Entity, _ fields: [Int], to lists: inout [[[ObjectID]]]
    ) {
      guard !owners.isEmpty, let known = entities[ByteName(entity.name)]?.fields else { return }
      for (place, field) in fields.enumerated() {
        guard let number = known[ByteName(entity.fields[field].name)] else { continue }
        for (index, id) in ids.enumerated() {
          lists[place][index] = self.lists[Holder(field: number, owner: id)] ?? []
        }
      }
    }

    /// Appends the overlay's references to the store's.
    func addReferences(
      to ids: [ObjectID], after last: Reference?, limit: Int, in schema: Schema, to found: inout [[Reference]]
    ) {
      if lists.isEmpty { return }
      var numbers: [ByteName: Int] = [:]
      for (number, entity) in schema.entities.enumerated() { numbers[ByteName(entity.name)] = number }
      for (index, id) in ids.enumerated() where found[index].count < limit {
        let references = (holders[id] ?? []).map { holder in
          Reference(
            owner: holder.owner, entity: numbers[owners[holder.field]], field: Self.firstField + holder.field)
        }.filter { reference in last.map { ($0.field, $0.owner) < (reference.field, reference.owner) } ?? true
        }
        found[index] += references.sorted { ($0.field, $0.owner) < ($1.field, $1.owner) }
          .prefix(limit - found[index].count)
      }
    }

    /// The objects that have a target in a relationship, ascending by key, and then the objects without a key.
    func owners(of target: ObjectID, _ entity: Schema.Entity, _ field: Int) -> [ObjectID] {
      guard let known = entities[ByteName(entity.name)],
        let number = known.fields[ByteName(entity.fields[field].name)]
      else { return [] }
      let owners = (holders[target] ?? []).filter { $0.field == number }.map(\.owner)
      return owners.map { (key: known.keys[$0] ?? nil, id: $0) }.sorted { a, b in
        switch (a.key, b.key) {
        case (let first?, let second?): first < second
        case (nil, nil): a.id < b.id
        case (let first, _): first != nil
        }
      }.map(\.id)
    }

    /// Fields of the store have smaller numbers.
    private static let firstField = 1 << 48

    // MARK: Objects

    /// Lends the objects of an entity without a table.
    func read(_ ids: [ObjectID], of entity: Schema.Entity, _ body: (Int, Row) throws -> Void) throws {
      guard let known = entities[ByteName(entity.name)], !known.keys.isEmpty else { return }
      var buffer = RowBuffer()
      for (index, id) in ids.enumerated() where known.keys[id] != nil {
        buffer.reset(count: entity.fields.count)
        try add(id, known, entity, to: &buffer)
        try body(index, buffer.row)
      }
    }

    func objects(of entity: Schema.Entity) -> [DuplicateValues.Object] {
      entities[ByteName(entity.name)]?.keys.map { .init(id: $0, key: $1) } ?? []
    }

    func hasFields(of entity: Schema.Entity) -> Bool {
      missing != nil && entities[ByteName(entity.name)]?.fields.isEmpty == false
    }

    /// Lends a stored object with the fields that have no column.
    func read(_ row: Row, of id: ObjectID, _ entity: Schema.Entity, _ body: (Row) throws -> Void) throws {
      guard let known = entities[ByteName(entity.name)] else { return try body(row) }
      var buffer = RowBuffer()
      buffer.copy(row)
      try add(id, known, entity, to: &buffer)
      try body(buffer.row)
    }

    private func add(
      _ id: ObjectID, _ known: Entity, _ entity: Schema.Entity, to buffer: inout RowBuffer
    ) throws {
      for (field, mapped) in entity.fields.enumerated() {
        guard let number = known.fields[ByteName(mapped.name)] else { continue }
        let holder = Holder(field: number, owner: id)
        if let value = values[holder] {
          value == .null ? buffer.copy(.missing, at: field) : buffer.set(value, at: field)
        } else if case .toOne = mapped.kind, let target = lists[holder]?.first {
          buffer.setTarget(target, update: .assign, at: field)
        }
      }
      try buffer.checkWhole()
    }

    /// Sets the numbers of the objects that only this write knows.
    func resolve(_ lookup: KeyLookup, _ schema: Schema) {
      guard missing != nil, let known = entities[ByteName(schema.entities[lookup.entity].name)] else {
        return
      }
      for (index, key) in lookup.keys.enumerated() where lookup.ids[index] == nil {
        lookup.ids[index] = key.key.flatMap { known.byKey[$0] }
      }
    }

    func find(_ keys: [PrimaryKey], of entity: String, _ found: [ObjectID?]) -> [ObjectID?] {
      guard missing != nil, let known = entities[ByteName(entity)] else { return found }
      return zip(keys, found).map { key, id in id ?? known.byKey[key] }
    }
  }
#endif
