internal import CFastMap

/// Keys and numbers of new objects.
extension ContextSave {
  /// Reads the key of a new object, or the reason why it has none.
  ///
  /// - Parameter values: Its properties. The key becomes one of them.
  func readKey(
    of member: ContextMember, _ values: inout RowBuffer, _ field: Int, _ keys: inout NewObjectKeys
  ) {
    if plan.traits.partFields[member.entity].isEmpty {
      if values.row[field].isMissing || !keys.hasUnsetKey(member) { return }
      keylessReasons[ObjectIdentifier(member.instance)] = values.row[field].key.map { unset($0) }
      values.slots[field] = fastmap_slot()
      return
    }
    values.slots[field] = fastmap_slot()
    if let key = keys.key(of: member) {
      values.set(.string(key.memberName), at: field)
    } else if let own = keys.unsetParts(of: member) {
      keylessReasons[ObjectIdentifier(member.instance)] = unset(own.asKey)
    } else if let part = keys.missingPart(of: member) {
      let name = schema.entities[member.entity].fields[part].name
      keylessReasons[ObjectIdentifier(member.instance)] =
        "expected a key, found no value for its part \(quoted(name))"
    }
  }

  private func unset(_ key: PrimaryKey) -> String {
    "expected a key, found \(key), which every new instance has; set another one, or make the property optional"
  }

  /// Checks that new objects have the parts of their keys. The error is about the object whose part or owner is missing.
  func checkParts(_ keys: inout NewObjectKeys) throws(ContextError) {
    for member in changes.new.map(\.member) where !plan.traits.partFields[member.entity].isEmpty {
      guard key(of: member) == nil else { continue }
      if schema.entities[member.entity].keepsKeyless, keys.ownParts(of: member) == nil { continue }
      let cause = keys.keylessCause(of: member)
      throw refusedKey(cause, whyKeyless(cause, &keys))
    }
  }

  private func whyKeyless(_ member: ContextMember, _ keys: inout NewObjectKeys) -> String {
    guard plan.traits.isScoped[member.entity], let own = keys.ownParts(of: member) else {
      return keylessReasons[ObjectIdentifier(member.instance)] ?? "expected a key, found none"
    }
    guard let owner = keys.holders[ObjectIdentifier(member.instance)]?.owner else {
      return "expected an owner of \(own.asKey), found none; add it to \(relationships(to: member.entity))"
    }
    let title = titles.title(of: owner, key: key(of: owner), isNew: owner.isNew)
    return "expected an owner with a key, found \(title)"
  }

  /// Checks that each object in the scope of an owner has one owner, and keeps it.
  func checkOwners(_ keys: inout NewObjectKeys) throws(ContextError) {
    guard plan.traits.hasScoped else { return }
    if let (member, other) = keys.shared {
      throw refusedKey(
        member,
        "expected one owner, found another at \(place(other.owner, other.position, other.index)); make an object for each"
      )
    }
    for edit in changes.edits + changes.new {
      for (position, targets) in edit.links {
        let link = graph[edit.member.entity].links[position]
        guard plan.traits.isScoped[link.target], let owner = keys.key(of: edit.member) else { continue }
        try checkKept(targets, by: edit.member, owner, position, link)
      }
    }
  }

  /// Checks that stored objects of a relationship are in its scope.
  private func checkKept(
    _ targets: [ContextMember], by owner: ContextMember, _ ownerKey: PrimaryKey, _ position: Int,
    _ link: ClassRelationship
  ) throws(ContextError) {
    let scope = plan.scope(link.field, of: owner.entity)
    let read = Set(owner.targets[position] ?? [])
    for (index, target) in targets.enumerated() where !target.isNew && !read.contains(target.id) {
      guard let key = graph.key(of: target), !key.isInScope(scope, of: ownerKey) else { continue }
      throw .otherOwner(
        place: place(owner, position, index), entity: schema.entities[link.target].name, key: key)
    }
  }

  private func refusedKey(_ member: ContextMember, _ reason: String) -> ContextError {
    .refusedKey(entity: schema.entities[member.entity].name, place: place(of: member), reason: reason)
  }

  /// The relationships to an entity, in messages.
  private func relationships(to target: Int) -> String {
    let names = schema.entities.flatMap { entity in
      entity.fields.filter { $0.kind.target?.entity == target }.map {
        "\(escaped(entity.name)).\(escaped($0.name))"
      }
    }
    return list(names, conjunction: "or")
  }

  /// Gives numbers to new objects, unless their keys are taken. An import would update the object with a taken key. The
  /// caller has never seen that object.
  func giveNumbers<W: StoreWriter>(on writer: inout W) throws {
    let new = Dictionary(grouping: new, by: \.member.entity)
    for (entity, edits) in new.sorted(by: { $0.key < $1.key }) {
      let (keyed, keyless) = try sortedByKey(edits.map(\.member), of: entity)
      let keys = keyed.map(\.key)
      let name = schema.entities[entity].name
      for (key, next) in zip(keys, keys.dropFirst()) where key == next {
        throw ContextError.repeatedKey(entity: name, key: key)
      }
      if !keys.isEmpty {
        var known = [ObjectID?](repeating: nil, count: keys.count)
        do {
          try KeyBatch.lend(keys) { keys in
            try known.withUnsafeMutableBufferPointer { ids in
              try writer.resolve([KeyLookup(entity: entity, keys: keys, ids: ids)])
            }
          }
        } catch let refused as RefusedKeysError {
          let first = refused.reasons[entity]?.min { $0.key < $1.key }
          let member = first.flatMap { keyed.indices.contains($0.key) ? keyed[$0.key].member : nil }
          throw ContextError.refusedKey(
            entity: name, place: member.flatMap { place(of: $0) },
            reason: first?.value ?? "expected another key")
        }
        for (id, (key, member)) in zip(known, keyed) {
          guard id != nil else { continue }
          throw ContextError.keyTaken(entity: name, place: place(of: member), key: key)
        }
      }
      let numbers = try KeyBatch.lend(keys) { keys in
        try writer.checkedReserve([NumberRequest(entity: entity, keys: keys, count: edits.count)])
      }
      for (index, member) in (keyed.map(\.member) + keyless).enumerated() { member.id = numbers[0][index] }
    }
  }

  /// New objects with a key in its order, and those without one.
  private func sortedByKey(
    _ members: [ContextMember], of entity: Int
  ) throws -> (keyed: [(key: PrimaryKey, member: ContextMember)], keyless: [ContextMember]) {
    let layout = schema.entities[entity]
    let hasParts = !plan.traits.partFields[entity].isEmpty
    guard layout.keyKind != nil, let field = layout.keyField,
      hasParts || graph[entity].access(of: field) != nil
    else { return ([], members) }
    var keyed: [(key: PrimaryKey, member: ContextMember)] = []
    var keyless: [ContextMember] = []
    for member in members {
      let slot = mine(member, field)
      if let key = PrimaryKey(slot: slot) {
        keyed.append((key, member))
      } else if slot.kind == .missing, layout.keepsKeyless {
        keyless.append(member)
      } else {
        throw ContextError.refusedKey(
          entity: layout.name, place: place(of: member),
          reason: slot.kind == .missing
            ? keylessReasons[ObjectIdentifier(member.instance)] ?? "expected a key, found none"
            : "expected an integer from 0 to \(Int64.max), found \(UInt64(bitPattern: slot.integer))")
      }
    }
    return (keyed.sorted { $0.key < $1.key }, keyless)
  }
}

extension [PrimaryKey] {
  /// The parts as one key, in messages.
  fileprivate var asKey: PrimaryKey { count == 1 ? self[0] : PrimaryKey(parts: self) }
}
