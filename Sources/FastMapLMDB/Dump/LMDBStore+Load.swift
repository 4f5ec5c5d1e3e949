internal import CFastMap
package import FastMapCore

extension LMDBStore {
  /// What a load has brought.
  ///
  ///     print(try store.load(dump: "people.dump").objectCount)
  public struct LoadReport: Equatable, Sendable {
    /// The objects.
    public internal(set) var objectCount = 0
    /// The targets of to-many relationships, one for each place where one stands.
    public internal(set) var targetCount = 0
  }

  /// Fills an empty store with what ``dump(_:)`` wrote: the same store, numbers of objects included.
  ///
  ///     let report = try LMDBStore(at: "copy.db").load(dump: "people.dump")
  ///
  /// All of it is one transaction, and every line is checked: types, keys, links, counts and the checksum at the end.
  ///
  /// - Parameter path: The dump; a pipe is read as it arrives.
  /// - Returns: What has come.
  /// - Throws: ``DumpError`` with the line, also where this store has objects already; ``LMDBError``. The store is
  ///   unchanged then.
  /// - Complexity: O(*n* log *n*) in the objects and links; memory for a line.
  /// - Note: Thread rule: any thread.
  @discardableResult
  public func load(dump path: String) throws -> LoadReport { try load(JSONLines(path)) }

  /// Fills an empty store with a dump.
  @discardableResult
  package func load(_ lines: JSONLines) throws -> LoadReport {
    guard !isReadOnly else { throw environment.error(.readOnly) }
    return try environment.write { transaction in
      lines.rewind()
      let writing = WriteView(view: transaction.view)
      let stored = try writing.statistics(tables.records).entries
      guard stored == 0 else {
        throw DumpError(
          file: path,
          "there \(stored == 1 ? "is an object" : "are \(stored) objects") here already; a dump is loaded into an empty store"
        )
      }
      // What an empty store knows is the entities it has had.
      if try writing.statistics(tables.meta).entries > 0 { try writing.deleteAll(tables.meta) }
      var loader = DumpLoader(lines, writing, tables, lists)
      return try loader.run()
    }
  }
}

/// Puts the lines of a dump into empty tables, in one transaction.
private struct DumpLoader {
  private let lines: JSONLines
  private let writing: WriteView
  private let tables: Tables
  private let lists: ListShape

  private var report = LMDBStore.LoadReport()
  private var layout = StoreLayout()
  private var changes: [LayoutChange.Mark] = []
  /// As the header has them.
  private var promised: [EntityLayout.Counts] = []
  /// By the bytes of their names: Swift has names equal that a store tells apart.
  private var entities: [[UInt8]: Int] = [:]
  private var fields: [[[UInt8]: Int]] = []

  /// The object that was read last.
  private var last: UInt64?
  /// The list of it that was read last, and how many segments it has.
  private var list: (field: Int, segments: UInt64)?
  private var pending: [UInt64] = []

  init(_ lines: JSONLines, _ writing: WriteView, _ tables: Tables, _ lists: ListShape) {
    (self.lines, self.writing, self.tables, self.lists) = (lines, writing, tables, lists)
  }

  mutating func run() throws -> LMDBStore.LoadReport {
    var checksum: UInt32 = 0
    var hasEnded = false
    let records = try writing.unsafeCursor(tables.records)
    var key = KeyBytes()
    var encoder = RecordEncoder()
    var row = RowBuffer()
    while let line = try lines.next() {
      if line.isEmpty, hasEnded { continue }
      guard !hasEnded else { throw fault("expected nothing behind the last line") }
      let value = try value(of: line)
      if lines.number == 1 {
        try readHeader(value)
      } else if value["end"] != nil {
        try readEnd(value, checksum)
        hasEnded = true
      } else if value["list"] != nil {
        try readList(value, &key)
      } else {
        try readObject(value, records, &key, &encoder, &row)
      }
      checksum = fastmap_crc32c(checksum, line.baseAddress, line.count)
      checksum = withUnsafeBytes(of: UInt8(ascii: "\n")) { fastmap_crc32c(checksum, $0.baseAddress, 1) }
    }
    guard hasEnded else {
      throw DumpError(
        file: lines.name, line: lines.number + 1,
        lines.number == 0 ? "expected a dump, found nothing" : "the dump is cut: its last line is missing")
    }
    try checkTargets()
    if changes.isEmpty {
      try layout.write(writing, tables, since: StoreLayout())
    } else {
      try layout.write(writing, tables, changes: changes)
    }
    return report
  }

  private func value(of line: UnsafeRawBufferPointer) throws -> JSONValue {
    do {
      let value = try lines.value(of: line)
      guard value.kind == .object else { throw fault("expected an object, found \(value.found)") }
      return value
    } catch let error as JSONSyntaxError {
      throw fault("column \(error.location.column): \(error.reason)")
    }
  }

  private func fault(_ place: String?, _ reason: String) -> DumpError {
    DumpError(file: lines.name, line: lines.number, place: place, reason)
  }

  private func fault(_ reason: String) -> DumpError { fault(nil, reason) }

  private func fault(_ place: String, expected: String, found value: JSONValue?) -> DumpError {
    fault(place, "expected \(expected), found \(value?.found ?? "nothing")")
  }

  private func string(_ name: String, of value: JSONValue, at place: String = "$") throws -> String {
    guard let text = value[name]?.string else {
      throw fault("\(place).\(name)", expected: "a string", found: value[name])
    }
    return text
  }

  private func count(_ name: String, of value: JSONValue, at place: String = "$") throws -> UInt64 {
    guard let number = value[name]?.integer, let count = UInt64(exactly: number) else {
      throw fault("\(place).\(name)", expected: "a whole number from 0 on", found: value[name])
    }
    return count
  }

  private func checkMembers(_ value: JSONValue, _ known: [String], at place: String = "$") throws {
    for (name, _) in value.members ?? [] where !known.contains(name) {
      throw fault(place, "unknown member \(quoted(name))")
    }
  }

  // MARK: The header

  private mutating func readHeader(_ value: JSONValue) throws {
    guard let version = value["fastmapDump"]?.integer else {
      throw fault(#"expected a dump, which begins with {"fastmapDump":\#(DumpFormat.version), …"#)
    }
    guard version == DumpFormat.version else {
      throw fault(
        "$.fastmapDump", "this FastMap reads dumps of version \(DumpFormat.version), found version \(version)"
      )
    }
    try checkMembers(value, ["fastmapDump", "entities", "changes"])
    guard let list = value["entities"]?.elements else {
      throw fault("$.entities", expected: "an array", found: value["entities"])
    }
    guard list.count <= 0xFFFF else { throw fault("$.entities", "a store has at most 65535 entities") }
    for (index, entity) in list.enumerated() {
      let place = "$.entities[\(index)]"
      let name = try string("name", of: entity, at: place)
      guard !name.isEmpty, name.utf8.count <= 0xFFFF else {
        throw fault(place + ".name", "an entity needs a name of at most 65535 bytes")
      }
      guard entities.updateValue(index, forKey: Array(name.utf8)) == nil else {
        throw fault(place + ".name", "\(quoted(name)) is there twice")
      }
    }
    for (index, entity) in list.enumerated() { try readEntity(entity, UInt16(index), "$.entities[\(index)]") }
    for (index, change) in (value["changes"]?.elements ?? []).enumerated() {
      let place = "$.changes[\(index)]"
      guard let kind = UInt8(exactly: try count("kind", of: change, at: place)) else {
        throw fault(place + ".kind", expected: "a number below 256", found: change["kind"])
      }
      changes.append(
        .init(
          kind: kind, entity: Array(try string("entity", of: change, at: place).utf8),
          field: Array(try string("field", of: change, at: place).utf8),
          target: Array(try string("target", of: change, at: place).utf8)))
    }
  }

  private mutating func readEntity(_ value: JSONValue, _ number: UInt16, _ place: String) throws {
    try checkMembers(value, ["name", "key", "next", "objects", "fields"], at: place)
    var entity = EntityLayout(number: number, name: try string("name", of: value, at: place))
    if value["key"] != nil {
      guard let kind = AttributeKind(rawValue: try string("key", of: value, at: place)),
        kind == .integer || kind == .string
      else { throw fault(place + ".key", expected: #""integer" or "string""#, found: value["key"]) }
      entity.keyKind = kind
    }
    let next = try count("next", of: value, at: place)
    guard 1...(ObjectNumber.maxSerial + 1) ~= next else {
      throw fault(
        place + ".next", expected: "a number from 1 to \(ObjectNumber.maxSerial + 1)", found: value["next"])
    }
    entity.counts.nextSerial = next
    promised.append(.init(nextSerial: next, objects: try count("objects", of: value, at: place)))
    guard let list = value["fields"]?.elements else {
      throw fault(place + ".fields", expected: "an array", found: value["fields"])
    }
    guard list.count <= RecordFormat.maxFields else {
      throw fault(place + ".fields", "an entity has at most \(RecordFormat.maxFields) fields")
    }
    var names: [[UInt8]: Int] = [:]
    for (index, field) in list.enumerated() {
      let place = "\(place).fields[\(index)]"
      try checkMembers(field, ["name", "type", "toOne", "toMany", "owned"], at: place)
      let name = try string("name", of: field, at: place)
      guard name.utf8.count <= 0xFFFF, names.updateValue(index, forKey: Array(name.utf8)) == nil else {
        throw fault(place + ".name", "\(quoted(name)) is there twice, or too long")
      }
      entity.fields.append(.init(name: name, kind: try kind(of: field, place)))
    }
    fields.append(names)
    layout.entities.append(entity)
  }

  private func kind(of field: JSONValue, _ place: String) throws -> EntityLayout.Kind {
    if field["type"] != nil {
      guard let kind = AttributeKind(rawValue: try string("type", of: field, at: place)) else {
        throw fault(place + ".type", expected: "a type", found: field["type"])
      }
      return .attribute(kind)
    }
    let isToMany = field["toMany"] != nil
    let member = isToMany ? "toMany" : "toOne"
    let target = try string(member, of: field, at: place)
    guard let entity = entities[Array(target.utf8)] else {
      throw fault("\(place).\(member)", "no entity named \(quoted(target))")
    }
    return .relationship(
      isToMany: isToMany, isOwned: field["owned"]?.boolean ?? false, entity: UInt16(entity))
  }

  // MARK: Objects

  /// The entity and the number of the object that a line is about.
  private func object(of value: JSONValue) throws -> (entity: Int, id: UInt64) {
    let name = try string("entity", of: value)
    guard let entity = entities[Array(name.utf8)] else {
      throw fault("$.entity", "no entity named \(quoted(name))")
    }
    let serial = try count("object", of: value)
    guard serial >= 1, serial < layout.entities[entity].counts.nextSerial else {
      throw fault(
        "$.object",
        "expected a number from 1 to \(layout.entities[entity].counts.nextSerial - 1), found \(serial)")
    }
    return (entity, ObjectNumber.make(entity: UInt16(entity), serial: serial))
  }

  private func field(named name: String, of entity: Int, at place: String) throws -> Int {
    guard let field = fields[entity][Array(name.utf8)] else {
      throw fault(place, "\(escaped(layout.entities[entity].name)) has no field named \(quoted(name))")
    }
    return field
  }

  private mutating func readObject(
    _ value: JSONValue, _ records: borrowing Cursor, _ key: inout KeyBytes, _ encoder: inout RecordEncoder,
    _ row: inout RowBuffer
  ) throws {
    try checkMembers(value, ["entity", "object", "key", "values"])
    let (entity, id) = try object(of: value)
    if let last, id <= last {
      throw fault("$.object", "objects come entity by entity in the order of their numbers, each once")
    }
    try endList(&key)
    last = id
    let count = layout.entities[entity].fields.count
    row.reset(count: count)
    guard let members = value["values"]?.members else {
      throw fault("$.values", expected: "an object", found: value["values"])
    }
    for (name, value) in members {
      let place = "$.values" + JSONPath([.member(name)]).description.dropFirst()
      let field = try field(named: name, of: entity, at: place)
      try set(value, field, layout.entities[entity].fields[field].kind, place, &row)
    }
    let keyField = try keyField(of: value, entity, row)

    let slots = row.row.slots
    var used = count
    while used > 0, slots[used - 1].tag == FASTMAP_MISSING { used -= 1 }
    encoder.begin(keyField: keyField.map { UInt16($0) }, fieldCount: used)
    for field in 0..<used where slots[field].tag != FASTMAP_MISSING {
      encoder.append(slots[field], field: field)
    }
    key.setRecord(id)
    encoder.seal(key.bytes)
    try records.append(key.bytes, encoder.value)
    for field in 0..<used where slots[field].tag == FASTMAP_TARGET {
      try putInverse(slots[field].target, field, id, &key)
    }
    layout.entities[entity].counts.objects += 1
    report.objectCount += 1
    guard let keyField else { return }
    layout.entities[entity].counts.keyed += 1
    key.setIndex(entity: UInt16(entity), key: slots[keyField])
    var sealed = SealedNumber()
    sealed.seal(id, .index, key.bytes)
    guard try writing.insert(tables.index, key.bytes, sealed.bytes) else {
      throw fault(
        "$.values", "the key \(PrimaryKey(slot: slots[keyField])?.description ?? "") is another object's")
    }
  }

  private func keyField(of value: JSONValue, _ entity: Int, _ row: borrowing RowBuffer) throws -> Int? {
    guard value["key"] != nil else { return nil }
    let field = try field(named: try string("key", of: value), of: entity, at: "$.key")
    let slot = row.row.slots[field]
    guard let kind = layout.entities[entity].keyKind,
      layout.entities[entity].fields[field].kind == .attribute(kind),
      PrimaryKey(slot: slot) != nil
    else { throw fault("$.key", "the object has no key in this field") }
    if let reason = KeyLimit.reason(slot) { throw fault("$.key", reason) }
    return field
  }

  private func set(
    _ value: JSONValue, _ field: Int, _ kind: EntityLayout.Kind, _ place: String, _ row: inout RowBuffer
  ) throws {
    switch kind {
    case .attribute(let kind):
      guard let read = DumpFormat.value(value, as: kind) else {
        throw fault(place, expected: kind.noun, found: value)
      }
      row.set(read, at: field)
      let slot = row.row.slots[field]
      switch Int(slot.tag) {
      case FASTMAP_STRING, FASTMAP_DATA, FASTMAP_JSON:
        if Int(slot.length) > StoreLimit.valueBytes {
          throw fault(place, "\(slot.length) bytes, a store holds values of at most \(StoreLimit.valueBytes)")
        }
      default: break
      }
      if kind == .json, let bytes = slot.bytes,
        !lines.isJSON(UnsafeRawBufferPointer(start: bytes, count: Int(slot.length)))
      {
        throw fault(place, "expected the text of a JSON value")
      }
    case .relationship(isToMany: false, _, let target):
      row.setTarget(try number(value, of: target, place), at: field)
    case .relationship:
      throw fault(place, "it is a list, which stands on lines of its own")
    }
  }

  /// An object's number from its number in its entity.
  private func number(_ value: JSONValue, of entity: UInt16, _ place: String) throws -> UInt64 {
    let next = layout.entities[Int(entity)].counts.nextSerial
    guard let serial = value.integer.flatMap({ UInt64(exactly: $0) }), serial >= 1, serial < next else {
      throw fault(place, expected: "the number of an object", found: value)
    }
    return ObjectNumber.make(entity: entity, serial: serial)
  }

  // MARK: Links

  private mutating func readList(_ value: JSONValue, _ key: inout KeyBytes) throws {
    try checkMembers(value, ["entity", "object", "list", "targets"])
    let (entity, id) = try object(of: value)
    guard id == last else { throw fault("$.object", "a list follows its object") }
    let field = try field(named: try string("list", of: value), of: entity, at: "$.list")
    guard case .relationship(isToMany: true, _, let target) = layout.entities[entity].fields[field].kind
    else {
      throw fault("$.list", "it is no list")
    }
    if let list, field < list.field { throw fault("$.list", "lists come in the order of the fields") }
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
      try putInverse(other, field, id, &key)
    }
    report.targetCount += targets.count
  }

  private mutating func endList(_ key: inout KeyBytes) throws {
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
    for (index, target) in pending.enumerated() { value[index] = target.littleEndian }
    try value.withUnsafeBytes { targets in
      let crc = Checksum.make(.links, key.bytes, targets)
      let sealed = withUnsafeBytes(of: crc.littleEndian) { Array($0) } + targets
      try sealed.withUnsafeBytes { try writing.put(tables.links, key.bytes, $0) }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// A target that stands in a list twice has one entry.
  private func putInverse(_ target: UInt64, _ field: Int, _ owner: UInt64, _ key: inout KeyBytes) throws {
    key.setInverse(target: target, field: UInt16(field), owner: owner)
    let crc = Checksum.make(.inverse, key.bytes, UnsafeRawBufferPointer(start: nil, count: 0))
    try withUnsafeBytes(of: crc.littleEndian) { _ = try writing.insert(tables.inverse, key.bytes, $0) }
  }

  // MARK: The end

  private mutating func readEnd(_ value: JSONValue, _ checksum: UInt32) throws {
    try checkMembers(value, ["end", "objects", "targets", "checksum"])
    var key = KeyBytes()
    try endList(&key)
    let (objects, targets) = (try count("objects", of: value), try count("targets", of: value))
    guard objects == report.objectCount else {
      throw fault("$.objects", "the dump has \(report.objectCount) objects, it says \(objects)")
    }
    guard targets == report.targetCount else {
      throw fault("$.targets", "the dump has \(report.targetCount) targets, it says \(targets)")
    }
    for (entity, promised) in zip(layout.entities, promised) where entity.counts.objects != promised.objects {
      throw fault(
        "the dump has \(entity.counts.objects) objects of \(escaped(entity.name)), its first line says \(promised.objects)"
      )
    }
    // One that was edited by hand may go without.
    guard value["checksum"] != nil else { return }
    guard try string("checksum", of: value) == DumpFormat.text(of: checksum) else {
      throw fault("$.checksum", "the lines before are not as they were written")
    }
  }

  /// Looks for links to objects that the dump does not have: both tables are in the order of the objects.
  private func checkTargets() throws {
    let inverse = try writing.unsafeCursor(tables.inverse)
    var records = Sweep(try writing.unsafeCursor(tables.records))
    var key = KeyBytes()
    var known: UInt64?
    var entry = try inverse.first()
    while let found = entry {
      let target = found.key.bigEndian(at: 0, as: UInt64.self)
      if target != known {
        key.setRecord(target)
        guard try records.find(key.bytes) != nil else { throw missing(target, found.key) }
        known = target
      }
      entry = try inverse.next()
    }
  }

  private func missing(_ target: UInt64, _ key: UnsafeRawBufferPointer) -> DumpError {
    func words(_ id: UInt64) -> String {
      "object \(ObjectNumber.serial(id)) of \(escaped(layout.entities[Int(ObjectNumber.entity(id))].name))"
    }
    let owner = key.bigEndian(at: 10, as: UInt64.self)
    let field = Int(key.bigEndian(at: 8, as: UInt16.self))
    let name = layout.entities[Int(ObjectNumber.entity(owner))].fields[field].name
    return DumpError(
      file: lines.name,
      "\(quoted(name)) of \(words(owner)) refers to \(words(target)), which the dump does not have")
  }
}
