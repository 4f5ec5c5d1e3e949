/// Writes one snapshot of a store as a dump.
struct Dumper: ~Copyable {
  private let schema: Schema
  private let counts: [Int]
  /// By entity; empty for an entity that no relationship has.
  private var positions: [ObjectPositions]
  private var text: DumpWriter
  /// By entity.
  private let names: [DumpNames]
  /// How many objects are read together.
  private var pageSize = 64

  /// The most objects that are read together, and about the bytes of their text.
  private static let (mostObjects, mostBytes) = (4096, 8 << 20)

  /// Writes the first line.
  ///
  /// - Parameter sink: Receives the text, borrowed for the call.
  init<R: StoreReader>(_ reader: inout R, to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let schema = try reader.storedSchema() else {
      throw DumpError("this kind of store does not record its entities, so it cannot be dumped")
    }
    if var kept = reader as? any LeftoverReader, try kept.hasLeftovers() {
      throw DumpError(
        "an import in several commits is running, or has ended before its last one; "
          + "import again, and dump then")
    }
    try reader.use(schema)
    let targets = Set(schema.entities.joinedTargets)
    var (counts, positions): ([Int], [ObjectPositions]) = ([], [])
    for entity in schema.entities.indices {
      counts.append(try reader.count(of: entity))
      positions.append(
        try targets.contains(entity) ? ObjectPositions(of: entity, &reader) : ObjectPositions())
    }
    var texts: [KeptText: [UInt8]] = [:]
    if var kept = reader as? any TextReader {
      for name in KeptText.allCases { texts[name] = try kept.text(name) }
    }
    (self.schema, self.counts, self.positions) = (schema, counts, positions)
    names = schema.entities.map { DumpNames($0) }
    text = DumpWriter(DumpHeader(schema: schema, counts: counts, texts: texts), to: sink)
  }

  /// Writes the objects and the last line.
  mutating func run<R: StoreReader>(_ reader: inout R) throws {
    for entity in schema.entities.indices {
      var last = 0
      try reader.forEachPage(of: entity, keys: nil, isDescending: false, pageSize: PageSize.ofNumbers) {
        reader, page in
        var start = 0
        while start < page.count {
          let end = min(start + pageSize, page.count)
          try write(page, start..<end, of: entity, after: last, &reader)
          (last, start) = (last + end - start, end)
        }
        return true
      }
      guard last == counts[entity] else {
        throw DumpError(
          "\(counts[entity]) objects of \(escaped(schema.entities[entity].name)) are counted, and \(last) are stored; "
            + "check says more")
      }
    }
    try text.finish()
  }

  /// Writes some objects of a page with their lists.
  private mutating func write<R: StoreReader>(
    _ page: ObjectPage, _ places: Range<Int>, of entity: Int, after last: Int, _ reader: inout R
  ) throws {
    let ids = Array(page.ids[places])
    let fields = schema.entities[entity].fields
    let lists = fields.indices.filter { fields[$0].kind.isToMany }
    // A store may read objects in any order.
    var rows = JSONWriter()
    var lines = [Range<Int>](repeating: 0..<0, count: ids.count)
    try reader.read(ids, of: entity) { index, row in
      try row.check(index, of: ids, fields: fields.count)
      let start = rows.count
      let hasKey = page.keys[places.lowerBound + index] != nil
      try write(row, of: entity, last + index + 1, hasKey: hasKey, to: &rows)
      lines[index] = start..<rows.count
    }
    let targets = lists.isEmpty ? [] : try reader.checkedTargets(of: ids, entity: entity, fields: lists)
    let before = text.byteCount
    try rows.withBytes { bytes in
      for index in ids.indices {
        let number = last + index + 1
        guard !lines[index].isEmpty else { throw fault(number, of: entity, "is missing") }
        try text.object(UnsafeRawBufferPointer(rebasing: bytes[lines[index]]))
        for (list, field) in lists.enumerated() where !targets[list][index].isEmpty {
          let numbers = try targets[list][index].map { try position(of: $0, in: field, of: entity, number) }
          try text.list(field, numbers, of: names[entity], number)
        }
      }
    }
    let fitting = Self.mostBytes / max(1, (text.byteCount - before) / ids.count)
    pageSize = max(1, min(fitting, pageSize * 4, Self.mostObjects))
  }

  /// Writes the line of an object.
  private func write(
    _ row: Row, of entity: Int, _ number: Int, hasKey: Bool, to rows: inout JSONWriter
  ) throws {
    let stored = schema.entities[entity]
    let names = names[entity]
    rows.beginObject()
    names.begin(number, in: &rows)
    if stored.keyField == nil {
      if hasKey { throw fault(number, of: entity, "has a key, which belongs to no field") }
    } else if !hasKey {
      rows.name("keyless")
      rows.boolean(true)
    }
    rows.name("values")
    rows.beginObject()
    for field in stored.fields.indices {
      let value = row[field]
      if value.isMissing || value.isNull { continue }
      names.write(field, to: &rows)
      if let target = value.target {
        rows.integer(Int64(try position(of: target, in: field, of: entity, number)))
      } else {
        DumpFormat.write(value.slot, to: &rows)
      }
    }
    rows.endObject()
    rows.endObject()
    rows.endLine()
  }

  private func position(of target: ObjectID, in field: Int, of entity: Int, _ number: Int) throws -> Int {
    let field = schema.entities[entity].fields[field]
    guard let position = field.kind.target.flatMap({ positions[$0.entity][target] }) else {
      throw fault(number, of: entity, "has a target in \(quoted(field.name)) that does not exist")
    }
    return position
  }

  private func fault(_ number: Int, of entity: Int, _ reason: String) -> DumpError {
    DumpError("object \(number) of \(escaped(schema.entities[entity].name)) \(reason); check says more")
  }
}

extension [Schema.Entity] {
  /// The entities of the targets of all relationships, with repeats.
  fileprivate var joinedTargets: [Int] {
    flatMap { entity in entity.fields.compactMap { $0.kind.target?.entity } }
  }
}
