internal import FastMapCore

/// The lines of to-many relationships, and the targets of all links.
extension DumpLoader {
  mutating func readList(_ value: JSONValue, _ key: inout KeyBytes) throws {
    try checkMembers(value, ["entity", "object", "list", "targets"])
    let (entity, id) = try object(of: value)
    guard id == last else { throw fault("$.object", "a list must follow its object") }
    let field = try field(named: try string("list", of: value), of: entity, at: "$.list")
    guard case .relationship(isToMany: true, _, let target) = layout.entities[entity].fields[field].kind
    else {
      throw fault("$.list", "it is not a list")
    }
    if let list, field < list.field { throw fault("$.list", "lists must be in the order of the fields") }
    if list?.field != field {
      try endList(&key)
      list = (field, 0)
    }
    guard let targets = value["targets"]?.elements, !targets.isEmpty else {
      throw fault("$.targets", expected: "an array that is not empty", found: value["targets"])
    }
    for (index, element) in targets.enumerated() {
      let other = try number(element, of: target, "$.targets[\(index)]")
      if pending.count == lists.perSegment { try putSegment(&key) }
      pending.append(other)
      try putInverse(other, field, id)
    }
    report.targetCount += targets.count
  }

  mutating func endList(_ key: inout KeyBytes) throws {
    if !pending.isEmpty { try putSegment(&key) }
    list = nil
  }

  private mutating func putSegment(_ key: inout KeyBytes) throws {
    guard let list, let last else { return }
    self.list?.segments += 1
    key.setLink(
      owner: last, field: UInt16(list.field),
      position: ListShape.first + list.segments * min(lists.step, 1 << 32))
    var value = [UInt64](repeating: 0, count: pending.count)
    for (index, target) in pending.enumerated() { value[index] = target.rawValue.littleEndian }
    try value.withUnsafeBytes { targets in
      let crc = Checksum.make(.links, key.bytes, targets)
      let sealed = withUnsafeBytes(of: crc.littleEndian) { Array($0) } + targets
      try sealed.withUnsafeBytes { try writing.put(tables.links, key.bytes, $0) }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// A target that occurs twice in a list has one entry.
  mutating func putInverse(_ target: ObjectID, _ field: Int, _ owner: ObjectID) throws {
    inverse.add(InverseEntry(target: target, field: UInt16(field), owner: owner))
    if inverse.pendingCount == Self.referencesAtOnce { try inverse.write() }
  }

  /// The number of references that are kept in memory, so that neighbours are written together.
  private static let referencesAtOnce = 1 << 16

  /// Finds links to objects that are missing from the dump. Both tables are sorted by object number.
  mutating func checkTargets() throws {
    try inverse.write()
    var finder = KeyFinder(writing.view, tables)
    var known: ObjectID?
    try inverse.cursor.forEach { entry in
      guard entry.target != known else { return }
      guard try finder.exists(entry.target) else { throw missing(entry) }
      known = entry.target
    }
  }

  private func missing(_ entry: InverseEntry) -> DumpError {
    func words(_ id: ObjectID) -> String {
      "object \(ObjectNumber.serial(id)) of \(escaped(layout.entities[Int(ObjectNumber.entity(id))].name))"
    }
    let owner = entry.owner
    let name = layout.entities[Int(ObjectNumber.entity(owner))].fields[Int(entry.field)].name
    return DumpError(
      file: lines.name,
      "\(quoted(name)) of \(words(owner)) refers to \(words(entry.target)), which is missing from the dump")
  }
}
