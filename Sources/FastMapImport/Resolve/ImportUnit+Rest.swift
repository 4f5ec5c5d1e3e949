internal import CFastMap

/// Members that no field reads: ``Attribute/rest(_:)``.
///
///     {"id": 7, "a": 1, "b": null}     over the stored {"b": 2, "c": 3}     gives {"c": 3, "a": 1}
extension ImportUnit {
  /// Keeps the members of a representation that no field reads. Null stands for a member to remove.
  func read(
    _ rest: RestMembers, of value: JSONValue, _ slot: UnsafeMutablePointer<fastmap_slot>
  ) -> fastmap_conversion {
    var writer = JSONWriter()
    guard writer.append(rest: value, without: rest.read) else {
      slot.pointee = fastmap_slot()
      return FASTMAP_CONVERTED
    }
    var field = FieldWriter(slot, &batch.pointee.arena)
    writer.withBytes { field.set(json: $0) }
    return field.isWhole ? FASTMAP_CONVERTED : FASTMAP_NO_MEMORY
  }

  /// Takes the members that a mapping reads out of the rest of a representation.
  func narrowRest(of row: UnsafeMutablePointer<fastmap_batch_slot>, to mapping: Int) throws {
    guard let rest = plan.mappings[mapping].rest else { return }
    let field = plan.mappings[mapping].attributeFields[rest.attribute]
    guard row[field].tag == UInt8(FASTMAP_JSON) else { return }
    let document = try JSONDocument(keptText: Array(row[field].value.span))
    var narrowed = fastmap_slot()
    let end = document.withRoot { read(rest, of: JSONValue($0, document.bigIntegers), &narrowed) }
    guard end == FASTMAP_CONVERTED else { throw SystemError.outOfMemory }
    row[field].value = narrowed
  }

  /// The rest of an occurrence's mapping, and its field.
  func rest(of index: Int) -> (members: RestMembers, field: Int)? {
    let planned = plan.mappings[mappingNumber(of: index)]
    return planned.rest.map { ($0, planned.attributeFields[$0.attribute]) }
  }

  /// Removes the members with null from new elements, which have no other members.
  func mergeRestsOfElements() throws {
    for index in 0..<occurrenceCount where isElement(index) {
      try mergeRest(of: index, into: nil)
    }
  }

  /// Merges the members of each occurrence into the members of its object at this point of the payload.
  func mergeRest<R: StoreReader>(in reader: inout R) throws {
    var merges: [Holder: RestMerge] = [:]
    var wanted: [Int: Set<Int>] = [:]
    let used = occurrencesInUse.filter { index in
      guard let (members, field) = rest(of: index), let row = occurrences[index].row else { return false }
      let hasRest = row[field].tag == UInt8(FASTMAP_JSON) && !waits(index, field, row)
      return !isElement(index) && (hasRest || mayHoldRead(members, of: index))
    }
    for index in used {
      let object = Int(occurrences[index].object)
      if occurrences[index].object != FASTMAP_NONE, objects[object].isStored {
        wanted[objects[object].entity, default: []].insert(object)
      }
    }
    for (entity, numbers) in wanted {
      let fields = Set(
        plan.mappings.compactMap { planned in
          planned.entity == entity ? planned.rest.map { planned.attributeFields[$0.attribute] } : nil
        })
      let stored = numbers.sorted { objects[$0].id < objects[$1].id }
      for object in stored {
        for field in fields {
          shared.pendingRests?.recordMerged(.init(entity: entity, field: field, id: objects[object].id))
        }
      }
      try reader.read(stored.map { objects[$0].id }, of: entity) { index, row in
        for field in fields {
          if case .json(let text)? = row[field].value {
            merges[Holder(owner: stored[index], field: field)] = RestMerge(stored: Array(text.utf8))
          }
        }
      }
    }
    var revived = decisions.revivals.last
    for index in used {
      guard let (members, field) = rest(of: index), let row = occurrences[index].row else { continue }
      let object = occurrences[index].object
      let place = Holder(owner: object == FASTMAP_NONE ? -1 - index : Int(object), field: field)
      if let first = revived[Int(object)], first <= index {
        merges[place] = nil
        revived[Int(object)] = nil
      }
      var isLeft = false
      if mayHoldRead(members, of: index), let kept = merges[place], kept.reader != mappingNumber(of: index) {
        isLeft = try move(from: kept, to: index, members) { merges[place] = $0 }
      }
      merges[place]?.reader = isLeft ? nil : mappingNumber(of: index)
      guard row[field].tag == UInt8(FASTMAP_JSON) else { continue }
      let change = Array(row[field].value.span)
      // The last occurrence gets the members of all. Merging at each of them would cost their square.
      if let last = merges[place]?.last { occurrences[last].row?[field].value = fastmap_slot() }
      merges[place, default: RestMerge(reader: mappingNumber(of: index))].add(change, of: index)
    }
    for merge in merges.values {
      guard let last = merge.last else { continue }
      try mergeRest(of: last, merge.changes, into: merge.stored)
    }
  }

  /// Whether the rest of an object may have members that the mapping of an occurrence reads.
  private func mayHoldRead(_ members: RestMembers, of index: Int) -> Bool {
    members.mayHoldRead || shared.holdsRead(plan.mappings[mappingNumber(of: index)].entity)
  }

  /// Whether the members of an occurrence wait, as the transaction has merged the rest of its object before.
  private func waits(_ index: Int, _ field: Int, _ row: UnsafeMutablePointer<fastmap_batch_slot>) -> Bool {
    guard let pendingRests = shared.pendingRests, occurrences[index].object != FASTMAP_NONE else {
      return false
    }
    let object = objects[Int(occurrences[index].object)]
    guard object.isStored else { return false }
    let place = PendingRests.Place(entity: object.entity, field: field, id: object.id)
    let mapping = Int(occurrences[index].mapping)
    guard pendingRests.add(row[field].value.span, to: place, mapping: mapping) else { return false }
    row[field].value = fastmap_slot()
    return true
  }

  /// Merges members that have waited into the rests of stored objects, all of one field. Others are left out.
  func changes<R: StoreReader>(
    of rests: ArraySlice<(place: PendingRests.Place, changes: PendingRests.Changes)>, in reader: inout R
  ) throws -> ChangeBatch {
    var batch = ChangeBatch(schema: plan.schema)
    guard let (entity, field) = rests.first.map({ ($0.place.entity, $0.place.field) }) else { return batch }
    let fields = plan.schema.entities[entity].fields.count
    let ids = rests.map(\.place.id)
    var stored = [[UInt8]?](repeating: nil, count: ids.count)
    var areStored = [Bool](repeating: false, count: ids.count)
    try reader.read(ids, of: entity) { index, row in
      try row.check(index, of: ids, fields: fields)
      areStored[index] = true
      if case .json(let text)? = row[field].value { stored[index] = Array(text.utf8) }
    }
    for (index, rest) in rests.enumerated() where areStored[index] {
      let row = try makeSlots(fields)
      guard let members = plan.mappings[rest.changes.mapping].rest else { continue }
      row[field] = try merged(rest.changes.texts, into: stored[index], members)
      batch.changes.append(
        ObjectChange(
          id: rest.place.id, entity: entity, isNew: false, keyField: nil, row: Row(slots: row, count: fields))
      )
    }
    return batch
  }

  /// The members that the occurrences of one object bring, in payload order.
  struct RestMerge {
    var stored: [UInt8]?
    var changes: [[UInt8]] = []
    /// The newest occurrence.
    var last: Int?
    /// The mapping that has read the object last, as far as the batch has come.
    var reader: Int?

    mutating func add(_ change: [UInt8], of index: Int) {
      changes.append(change)
      last = index
    }
  }

  /// The occurrences that are not left out, in payload order.
  var occurrencesInUse: [Int] {
    var found: [Int] = []
    var index = 0
    while index < occurrenceCount {
      let flags = occurrences[index].flags
      if flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 {
        index = Int(occurrences[index].end)
        continue
      }
      if flags & UInt32(FASTMAP_STALE) == 0 { found.append(index) }
      index += 1
    }
    return found
  }

  /// Merges the members of one occurrence into the stored members of its object; nil for none.
  func mergeRest(of index: Int, into stored: [UInt8]?) throws {
    guard let field = rest(of: index)?.field, let row = occurrences[index].row,
      row[field].tag == UInt8(FASTMAP_JSON)
    else { return }
    try mergeRest(of: index, [Array(row[field].value.span)], into: stored)
  }

  func mergeRest(of index: Int, _ changes: [[UInt8]], into stored: [UInt8]?) throws {
    guard let (rest, field) = rest(of: index), let row = occurrences[index].row else { return }
    row[field].value = try merged(changes, into: stored, rest)
  }

  /// The members with those of changes in their place, as a value in the memory of the batch.
  func merged(
    _ changes: [[UInt8]], into stored: [UInt8]?, _ rest: RestMembers
  ) throws -> fastmap_slot {
    var writer = JSONWriter()
    try writer.merge(changes, into: stored, rest.read)
    var merged = fastmap_slot()
    let isWhole = withUnsafeMutablePointer(to: &merged) { merged in
      var field = FieldWriter(merged, &batch.pointee.arena)
      if writer.count == 0 { field.setNull() } else { writer.withBytes { field.set(json: $0) } }
      return field.isWhole
    }
    guard isWhole else { throw SystemError.outOfMemory }
    return merged
  }
}

extension JSONWriter {
  private mutating func raw(_ text: borrowing JSONWriter) {
    text.withBytes { raw($0.bindMemory(to: UInt8.self)) }
  }

  /// Writes the members that are not read, down to those beside the inner members that are read.
  ///
  /// - Returns: False if there are none; nothing is written then.
  mutating func append(rest value: JSONValue, without read: RestMembers.Level) -> Bool {
    var hasBegun = false
    for (name, node) in value.node.allMembers {
      let member = JSONValue(node, value.bigIntegers)
      var inner: RestMembers.Level?
      if let known = read.members[Array(name)] {
        guard let level = known else { continue }
        if node.isObject { inner = level } else if !node.isNull { continue }
      }
      if let inner {
        var text = JSONWriter()
        guard text.append(rest: member, without: inner) else { continue }
        if !hasBegun { beginObject() }
        hasBegun = true
        self.name(name)
        raw(text)
      } else {
        if !hasBegun { beginObject() }
        hasBegun = true
        self.name(name)
        append(node, value.bigIntegers, keepsReals: true)
      }
    }
    if hasBegun { endObject() }
    return hasBegun
  }

  /// Writes the stored members with those of changes in their place, one after the other; nothing if no member remains.
  fileprivate mutating func merge(
    _ changes: [[UInt8]], into stored: [UInt8]?, _ read: RestMembers.Level
  ) throws {
    let new = try changes.map { try JSONDocument(keptText: $0) }
    let old = try stored.map { try JSONDocument(keptText: $0) }
    withExtendedLifetime((new, old)) {
      _ = merge(
        new.map { JSONValue($0.root, $0.bigIntegers) }, into: old.map { JSONValue($0.root, $0.bigIntegers) },
        read)
    }
  }

  private mutating func merge(
    _ changes: [JSONValue], into old: JSONValue?, _ read: RestMembers.Level
  ) -> Bool {
    typealias Member = (name: UnsafeBufferPointer<UInt8>, old: JSONValue?, changes: [JSONValue])
    var hasBegun = false
    var members: [[UInt8]: Member] = [:]
    for (name, node) in old?.node.allMembers ?? [] {
      members[Array(name)] = (name, JSONValue(node, old?.bigIntegers), [])
    }
    for change in changes {
      for (name, node) in change.node.allMembers {
        members[Array(name), default: (name, nil, [])].changes.append(JSONValue(node, change.bigIntegers))
      }
    }
    // The order of names depends on no order of payloads.
    for (name, member) in members.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      var text = JSONWriter()
      guard text.merge(member.changes, of: member.old, read.members[name] ?? nil) else { continue }
      if !hasBegun { beginObject() }
      hasBegun = true
      self.name(member.name)
      raw(text)
    }
    if hasBegun { endObject() }
    return hasBegun
  }

  /// Writes a member as the changes leave it.
  ///
  /// - Parameter inner: The members inside that are read, where key paths lead through the member.
  /// - Returns: False if it has no value; nothing is written then.
  private mutating func merge(
    _ changes: [JSONValue], of old: JSONValue?, _ inner: RestMembers.Level?
  ) -> Bool {
    var value = old
    var parts: [JSONValue] = []
    for change in changes {
      if inner != nil, change.node.isObject {
        if value?.node.isObject == false { value = nil }
        parts.append(change)
      } else {
        (value, parts) = (change.isNull ? nil : change, [])
      }
    }
    if let inner, !parts.isEmpty { return merge(parts, into: value, inner) }
    guard let value else { return false }
    append(value.node, value.bigIntegers, keepsReals: true)
    return true
  }
}

extension JSONDocument {
  /// Reads JSON that a field keeps.
  init(keptText text: [UInt8]) throws {
    self = try text.withUnsafeBytes {
      try JSONDocument(parsing: $0, maxDepth: Int(UInt32.max), keepsReals: true)
    }
  }
}

extension JSONNode {
  /// The members of an object; none of anything else.
  fileprivate var allMembers: [(name: UnsafeBufferPointer<UInt8>, value: JSONNode)] {
    members.map(Array.init) ?? []
  }
}
