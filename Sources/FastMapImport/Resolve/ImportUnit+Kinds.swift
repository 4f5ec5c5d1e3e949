internal import CFastMap

/// Objects of several kinds whose representation does not say which: see ``Kinds``.
///
///     {"id": 7, "type": "PushEvent", "size": 3}      a Push
///     {"id": 7, "size": 4}                           still one; a new object is of the kind for all other values
///
/// The mapping of all kinds has read such a representation. Here it loses the fields that its kind does not read.
extension ImportUnit {
  /// Decides about the kinds of all objects, in payload order.
  ///
  /// - Parameter onFault: Called for each new object that has no kind, where that is an error; it is left out.
  func decideKinds<R: StoreReader>(in reader: inout R, onFault: (_ occurrence: Int) -> Void) throws {
    guard plan.hasKinds else { return }
    let undecided = (0..<occurrenceCount).filter { isUndecided($0) }
    if undecided.isEmpty { return }
    let numbers = Set(
      undecided.compactMap { occurrences[$0].object == FASTMAP_NONE ? nil : Int(occurrences[$0].object) })
    var known = try storedKinds(of: numbers, in: &reader)
    func object(_ index: Int) -> Int? {
      occurrences[index].object == FASTMAP_NONE ? nil : Int(occurrences[index].object)
    }
    decideKinds { index in
      object(index).flatMap { known[$0] }
    } isStored: { index in
      object(index).map { objects[$0].isStored } ?? false
    } record: { index, kind in
      if let object = object(index) { known[object] = kind }
    } onFault: {
      onFault($0)
    }
  }

  /// Decides about the kinds of all objects, in payload order.
  ///
  /// - Parameters:
  ///   - kind: The mapping of the object of an occurrence, as far as it is known.
  ///   - isStored: Whether the object of an occurrence exists already.
  ///   - record: Receives the mapping of an object.
  ///   - onFault: Called for each new object that has no kind, where that is an error; it is left out.
  func decideKinds(
    _ kind: (_ occurrence: Int) -> Int?, isStored: (_ occurrence: Int) -> Bool,
    record: (_ occurrence: Int, _ kind: Int) throws -> Void, onFault: (_ occurrence: Int) -> Void
  ) rethrows {
    var index = 0
    while index < occurrenceCount {
      let occurrence = occurrences[index]
      if occurrence.flags & UInt32(FASTMAP_SKIPPED) != 0 {
        index = Int(occurrence.end)
        continue
      }
      let isWeak = occurrence.flags & UInt32(FASTMAP_WEAK) != 0
      if isUndecided(index) {
        if let kind = kind(index) {
          keep(kind, index)
        } else if isWeak {
          leaveOutFields(index)
        } else if let kind = decide(index, onFault) {
          try record(index, kind)
        }
      } else if occurrence.row != nil, mappings[Int(occurrence.mapping)].is_kind,
        occurrences[index].flags & UInt32(FASTMAP_STALE) == 0,
        !isWeak || isStored(index) || kind(index) != nil
      {
        try record(index, Int(occurrence.mapping))
      }
      index += 1
    }
  }

  /// Whether an occurrence with more than the key has an unknown kind.
  private func isUndecided(_ index: Int) -> Bool {
    let mapping = mappings + Int(occurrences[index].mapping)
    return mapping.pointee.kinds != nil && !mapping.pointee.is_kind && occurrences[index].row != nil
      && occurrences[index].flags & UInt32(FASTMAP_SKIPPED | FASTMAP_DELETED) == 0 && !hasKeyAlone(index)
  }

  /// Whether a row has nothing but the parts of a key.
  private func hasKeyAlone(_ index: Int) -> Bool {
    let planned = plan.mappings[Int(occurrences[index].mapping)]
    guard !planned.parts.isEmpty, let row = occurrences[index].row else { return false }
    let ofKey = planned.fieldsOfKey
    return (0..<plan.schema.entities[planned.entity].fields.count).allSatisfy {
      ofKey.contains($0) || row[$0].tag == FASTMAP_MISSING
    }
  }

  /// The mappings of stored objects, by object. Marks the occurrences of the objects that are older than they are.
  private func storedKinds<R: StoreReader>(
    of numbers: Set<Int>, in reader: inout R
  ) throws -> [Int: Int] {
    var kinds: [Int: Int] = [:]
    var stale = StaleOccurrences<Int>(plan)
    let stored = numbers.filter { objects[$0].isStored }.sorted { objects[$0].id < objects[$1].id }
    for (entity, stored) in Dictionary(grouping: stored, by: { objects[$0].entity }) {
      let names = plan.kindNumbers(of: entity)
      guard let kindField = plan.kindField(of: entity) else { continue }
      try reader.read(stored.map { objects[$0].id }, of: entity) { index, row in
        if let name = row[kindField].string { kinds[stored[index]] = names[ByteName(name)] }
        for field in stale?.fields(of: entity) ?? [] {
          let value = row[field].value
          stale?.set(value == .null ? nil : value, at: field, of: stored[index])
        }
      }
    }
    stale?.mark(in: self) { index in
      let object = occurrences[index].object
      return object != FASTMAP_NONE && numbers.contains(Int(object)) ? Int(object) : nil
    } onFound: { _, _ in
    }
    return kinds
  }

  /// Leaves a stored object its kind.
  private func keep(_ kind: Int, _ index: Int) {
    chosenKinds[index] = kind
    guard let row = occurrences[index].row, let blank = mappings[kind].blank else { return }
    let mapping = mappings + Int(occurrences[index].mapping)
    for field in 0..<Int(mapping.pointee.field_count) where blank[field].tag == FASTMAP_NULL {
      row[field] = fastmap_batch_slot()
    }
    if let field = valueField(index), row[field].tag == FASTMAP_NULL { row[field] = fastmap_batch_slot() }
    leaveOut(inside: index) { blank[$0].tag == FASTMAP_NULL }
  }

  /// Treats a new object as one with an unnamed value.
  ///
  /// - Returns: Its kind; nil if it is left out.
  private func decide(_ index: Int, _ onFault: (Int) -> Void) -> Int? {
    guard let kinds = mappings[Int(occurrences[index].mapping)].kinds else { return nil }
    switch Int(kinds.pointee.otherwise) {
    case FASTMAP_KINDLESS_MAPPING:
      let kind = Int(kinds.pointee.otherwise_mapping)
      applyKind(kind, index)
      return kind
    case FASTMAP_KINDLESS_SKIP:
      occurrences[index].flags |= UInt32(FASTMAP_ABSENT)
      occurrences[index].flags &= ~UInt32(FASTMAP_OWNED | FASTMAP_ELEMENT)
      skip(index)
    default:
      onFault(index)
      hasFaults = true
      skip(index)
    }
    return nil
  }

  /// Makes a new object one of a kind.
  private func applyKind(_ kind: Int, _ index: Int) {
    chosenKinds[index] = kind
    guard let row = occurrences[index].row, let blank = mappings[kind].blank else { return }
    let value = valueField(index)
    for field in 0..<Int(mappings[kind].field_count) where blank[field].tag != FASTMAP_MISSING {
      row[field].value = blank[field]
    }
    if let value, row[value].tag == FASTMAP_NULL { row[value] = fastmap_batch_slot() }
    leaveOut(inside: index) { blank[$0].tag == FASTMAP_NULL }
  }

  /// The field with the value that chooses the kind.
  private func valueField(_ index: Int) -> Int? {
    let planned = plan.mappings[Int(occurrences[index].mapping)]
    return planned.choosingAttribute.map { planned.attributeFields[$0] }
  }

  /// Takes an occurrence as a reference.
  private func leaveOutFields(_ index: Int) {
    occurrences[index].row = nil
    leaveOut(inside: index) { _ in true }
  }

  /// Leaves out the targets of some relationships, as if the payload did not have them.
  private func leaveOut(inside index: Int, _ isOut: (_ field: Int) -> Bool) {
    let mapping = mappings + Int(occurrences[index].mapping)
    var inner = index + 1
    while inner < Int(occurrences[index].end) {
      let relationship = mapping.pointee.relationships + Int(occurrences[inner].relationship)
      if isOut(Int(relationship.pointee.field)) {
        occurrences[inner].flags |= UInt32(FASTMAP_ABSENT)
        skip(inner)
        uncounted.insert(inner)
      }
      inner = Int(occurrences[inner].end)
    }
  }
}

extension ImportUnit {
  /// Copies null for the fields that only other kinds have.
  func addOtherKinds(_ index: Int, to row: UnsafeMutablePointer<fastmap_slot>) {
    let occurrence = occurrences[index]
    guard let values = occurrence.row, let kinds = plan.mappings[Int(occurrence.mapping)].kinds else {
      return
    }
    let union = plan.mappings[kinds.union]
    for field in union.attributeFields where values[field].tag != FASTMAP_MISSING {
      row[field] = values[field].value
    }
    for field in union.relationshipFields where values[field].tag == FASTMAP_NULL {
      // A relationship that the representation has follows on its own.
      let isOther = !plan.mappings[Int(occurrence.mapping)].relationshipFields.contains(field)
      if isOther { row[field] = values[field].value }
    }
  }
}

extension Plan {
  func kindField(of entity: Int) -> Int? {
    mappings.lazy.filter { $0.entity == entity }.compactMap(\.kindField).first
  }

  /// The mappings of an entity's kinds, by their names.
  func kindNumbers(of entity: Int) -> [ByteName: Int] {
    var numbers: [ByteName: Int] = [:]
    for (number, planned) in mappings.enumerated() where planned.entity == entity {
      if let kind = planned.kind { numbers[ByteName(kind)] = number }
    }
    return numbers
  }
}
