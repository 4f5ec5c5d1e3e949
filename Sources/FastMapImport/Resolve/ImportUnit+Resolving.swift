internal import CFastMap

// From the occurrences of a batch to its objects, which are found, new or refused. Loops over objects get them as `inout`:
// each use of the property would check for exclusive access again.
extension ImportUnit {
  /// Gives every occurrence its object.
  ///
  /// - Parameters:
  ///   - onRefusedKey: Called for each occurrence whose key the store cannot hold; when it returns, the occurrence is left
  ///     out.
  ///   - onResolved: Called once the store has answered for the keys, before it is asked anything else.
  func resolve<W: StoreWriter>(
    in writer: inout W,
    onRefusedKey: (_ occurrence: Int, _ reason: String) -> Void,
    onResolved: (inout W) throws -> Void = { _ in },
    readLate: (inout W) throws -> Bool = { _ in false }
  ) throws {
    try findKeyed(in: &writer, onRefusedKey)
    try onResolved(&writer)
    if hasFaults { leaveOutFaultyElements() }
    try decide(in: &writer.reader)
    if plan.traits.hasWeakFields { try decideAgain(in: &writer, readLate) }
    try useVerdicts(&objects)
    if plan.traits.hasRest { try mergeRestsOfElements() }
    if batch.pointee.matches_roots { try findRoots(in: &writer) }
    if !owned.occurrences.isEmpty { try findOwned(in: &writer.reader) }
    if plan.traits.hasRest { try mergeRest(in: &writer.reader) }
    try number(&objects, in: &writer)
    addKnownElements()
    shared.tombstones?.record(self)
  }

  /// Whether an occurrence is left out, with all inside of it.
  func isSkipped(_ index: Int) -> Bool {
    index < occurrenceCount && occurrences[index].flags & UInt32(FASTMAP_SKIPPED) != 0
  }

  /// Leaves an occurrence out, which was not resolved yet.
  func skip(_ index: Int) { fastmap_batch_skip(batch, UInt32(index)) }

  /// The keys of one entity, and the objects that they are of.
  private struct Keys {
    let entity: Int
    let first: Int
    let entries: UnsafeMutablePointer<fastmap_key_entry>
    package var count: Int
    let ids: UnsafeMutablePointer<ObjectID?>
    let fingerprints: UnsafeMutablePointer<Fingerprint?>?

    func forgetAnswers() {
      ids.update(repeating: nil, count: count)
      fingerprints?.update(repeating: nil, count: count)
    }

    var lookup: KeyLookup {
      KeyLookup(
        entity: entity, keys: KeyBatch(UnsafeBufferPointer(start: entries, count: count)),
        ids: UnsafeMutableBufferPointer(start: ids, count: count),
        fingerprints: fingerprints.map { UnsafeMutableBufferPointer(start: $0, count: count) })
    }
  }

  /// Sorts the keys of all entities and asks the store for their objects at once.
  private func findKeyed<W: StoreWriter>(
    in writer: inout W, _ onRefusedKey: (Int, String) -> Void
  ) throws {
    var all: [Keys] = []
    objects.reserveCapacity(occurrenceCount)
    for entity in plan.schema.entities.indices {
      let list = batch.pointee.keys + entity
      let count = Int(list.pointee.count)
      let first = objects.count
      defer { keyed.append(first..<objects.count) }
      guard count > 0, let entries = list.pointee.entries else { continue }
      let scratch = try allocate(fastmap_key_entry.self, count)
      fastmap_sort_keys(entries, scratch, UInt32(count))
      let unique = makeObjects(entity, entries, count, &objects)
      let ids = try allocate(ObjectID?.self, unique)
      ids.initialize(repeating: nil, count: unique)
      let fingerprints = shared.fingerprinter != nil ? try allocate(Fingerprint?.self, unique) : nil
      fingerprints?.initialize(repeating: nil, count: unique)
      all.append(
        Keys(
          entity: entity, first: first, entries: entries, count: unique, ids: ids, fingerprints: fingerprints)
      )
    }
    if all.isEmpty { return }
    while true {
      do {
        try writer.resolve(all.map(\.lookup))
        break
      } catch let refused as RefusedKeysError {
        try refuse(refused, &all, onRefusedKey)
        // The others have moved up, and the store may have answered for some of them.
        for keys in all { keys.forgetAnswers() }
      }
    }
    objects.withUnsafeMutableBufferPointer { objects in
      for keys in all {
        let first = keyed[keys.entity].lowerBound
        for index in 0..<keys.count {
          guard let id = keys.ids[index] else { continue }
          objects[first + index].id = id
          objects[first + index].isStored = true
          if let fingerprint = keys.fingerprints?[index] { fingerprints[first + index] = fingerprint }
        }
      }
    }
  }

  /// Makes an object of each key, and gives it to the key's occurrences. Equal keys become one object; the entries move up
  /// to hold each key once.
  ///
  /// - Returns: How many keys there are.
  private func makeObjects(
    _ entity: Int, _ entries: UnsafeMutablePointer<fastmap_key_entry>, _ count: Int, _ objects: inout [Object]
  ) -> Int {
    let first = objects.count
    let occurrences = occurrences
    var unique = 0
    for index in 0..<count {
      if index == 0 || fastmap_entry_compare(entries + (unique - 1), entries + index) != 0 {
        entries[unique].key = entries[index].key
        objects.append(Object(entity: entity, key: entries[index].key))
        unique += 1
      }
      occurrences[Int(entries[index].occurrence)].object = UInt32(first + unique - 1)
    }
    return unique
  }

  /// Removes keys that the store refuses, with their objects, in one pass. The others move up.
  private func refuse(
    _ refused: RefusedKeysError, _ all: inout [Keys], _ onRefusedKey: (Int, String) -> Void
  ) throws {
    let isKnown = all.contains { keys in
      refused.reasons[keys.entity]?.keys.contains { (0..<keys.count).contains($0) } ?? false
    }
    guard isKnown else { throw refused }
    var places: [Int] = []  // by the old number of an object; objects without a key come later
    places.reserveCapacity(objects.count)
    var reasonOf: [Int: String] = [:]
    var left = 0
    for number in all.indices {
      let reasons = refused.reasons[all[number].entity] ?? [:]
      let (old, entries) = (keyed[all[number].entity].lowerBound, all[number].entries)
      let first = left
      for index in 0..<all[number].count {
        places.append(left)
        if let reason = reasons[index] {
          reasonOf[old + index] = reason
          continue
        }
        entries[left - first] = entries[index]
        objects[left] = objects[old + index]
        left += 1
      }
      all[number].count = left - first
    }
    objects.removeLast(objects.count - left)
    var counts = [Int](repeating: 0, count: keyed.count)
    for keys in all { counts[keys.entity] = keys.count }
    var first = 0
    for entity in keyed.indices {
      keyed[entity] = first..<first + counts[entity]
      first += counts[entity]
    }
    for index in 0..<occurrenceCount where occurrences[index].object != FASTMAP_NONE {
      let object = Int(occurrences[index].object)
      if let reason = reasonOf[object] {
        if occurrences[index].flags & UInt32(FASTMAP_SKIPPED) == 0 { onRefusedKey(index, reason) }
        fastmap_batch_skip(batch, UInt32(index))
        occurrences[index].object = FASTMAP_NONE
      } else {
        occurrences[index].object = UInt32(places[object])
      }
    }
  }

  /// Decides once more, if earlier batches have kept representations of objects that this one makes: they come first.
  private func decideAgain<W: StoreWriter>(
    in writer: inout W, _ readLate: (inout W) throws -> Bool
  ) throws {
    let made = decisions.facts.indices.filter { decisions.facts[$0].exists && !objects[$0].isStored }
    for number in made { objects[number].isPresent = true }
    let hasRead = try readLate(&writer)
    if hasRead { try findNew(in: &writer.reader) }
    for number in made { objects[number].isPresent = false }
    guard hasRead else { return }
    // The batch before may have written the same objects.
    fingerprints.removeAll()
    try decide(in: &writer.reader)
  }

  /// Asks again for the objects that the batch would make, as `readLate` has made some.
  private func findNew<R: StoreReader>(in reader: inout R) throws {
    for entity in keyed.indices {
      let new = keyed[entity].filter { objects[$0].isPresent && !objects[$0].isStored }
      let keys = new.map { PrimaryKey(slot: objects[$0].key) }
      let found = try reader.checkedFind(keys.compactMap(\.self), of: entity)
      for (index, id) in zip(new, found) {
        guard let id else { continue }
        objects[index].id = id
        objects[index].isStored = true
      }
    }
  }

  /// Gives numbers of the store to new objects. Objects with a key come first, in the order of their keys. The others
  /// follow in the order they were made.
  private func number<W: StoreWriter>(_ objects: inout [Object], in writer: inout W) throws {
    keyless = keyless.lowerBound..<objects.count
    let requests = try numberRequests(objects)
    if requests.isEmpty { return }
    var next = [ObjectID](repeating: .unset, count: plan.schema.entities.count)
    var lists: [Int: [ObjectID]] = [:]
    for (request, numbers) in zip(requests, try writer.checkedReserve(requests)) {
      switch numbers {
      case .run(let first): next[request.entity] = first
      case .list(let ids): lists[request.entity] = ids
      }
    }
    objects.withUnsafeMutableBufferPointer { objects in
      for index in objects.indices where objects[index].isPresent && !objects[index].isStored {
        let entity = objects[index].entity
        objects[index].id = next[entity]
        next[entity] = next[entity].advanced(by: 1)
      }
      if lists.isEmpty { return }
      var places: [Int: Int] = [:]
      for index in objects.indices where objects[index].isPresent && !objects[index].isStored {
        let entity = objects[index].entity
        guard let ids = lists[entity] else { continue }
        objects[index].id = ids[places[entity, default: 0]]
        places[entity, default: 0] += 1
      }
    }
  }

  /// The new objects of each entity, with their keys.
  private func numberRequests(_ objects: [Object]) throws -> [NumberRequest] {
    var wanted = [Int](repeating: 0, count: plan.schema.entities.count)
    for object in objects where object.isPresent && !object.isStored { wanted[object.entity] += 1 }
    return try wanted.indices.filter { wanted[$0] > 0 }.map { entity in
      let entries = try allocate(fastmap_key_entry.self, keyed[entity].count)
      var count = 0
      for index in keyed[entity] where objects[index].isPresent && !objects[index].isStored {
        entries[count] = fastmap_key_entry(key: objects[index].key, occurrence: 0, unused: 0)
        count += 1
      }
      return NumberRequest(
        entity: entity, keys: KeyBatch(UnsafeBufferPointer(start: entries, count: count)),
        count: wanted[entity])
    }
  }
}
