internal import CFastMap

/// The fields of an object at some time.
struct ObjectState {
  /// By field, the value as JSON; empty for no value.
  var fields: [String]

  init(fieldCount: Int) { fields = Array(repeating: "", count: fieldCount) }

  init(_ record: inout RecordBytes) { fields = (0..<record.integer()).map { _ in record.string() } }

  func write(to record: inout RecordBytes) {
    record.add(fields.count)
    for field in fields { record.add(field) }
  }

  /// The fields that differ. Decimals are compared by value.
  func differences(from other: ObjectState, in fields: [Schema.Field]) -> [Int] {
    fields.indices.filter { field in
      let (own, others) = (self.fields[field], other.fields[field])
      if own.utf8.elementsEqual(others.utf8) { return false }
      guard fields[field].kind == .attribute(.decimal), let own = DecimalNumber(own) else { return true }
      return DecimalNumber(others) != own
    }
  }
}

extension StoreReader {
  /// The states of objects; nil for an object that is not stored.
  mutating func states(of ids: [ObjectID], _ entity: Int, _ plan: Plan) throws -> [ObjectState?] {
    let fields = plan.schema.entities[entity].fields
    let formats = plan.dateFormats(of: entity)
    let links = fields.indices.filter { fields[$0].kind.target != nil }
    var states = [ObjectState?](repeating: nil, count: ids.count)
    try read(ids, of: entity) { index, row in
      try row.check(index, of: ids, fields: fields.count)
      var state = ObjectState(fieldCount: fields.count)
      for field in fields.indices where fields[field].kind.target == nil {
        if row[field].isMissing || row[field].isNull { continue }
        let slot = row[field].slot
        state.fields[field] = json { writer in
          // The seconds, for a date that its format cannot write.
          if !writer.append(slot, formats[field]) { _ = writer.append(slot, as: .epoch) }
        }
      }
      states[index] = state
    }
    let lists = try links.isEmpty ? [] : checkedTargets(of: ids, entity: entity, fields: links)
    for (field, lists) in zip(links, lists) {
      guard let target = fields[field].kind.target?.entity else { continue }
      let isList = fields[field].kind.isToMany
      let texts = try texts(of: Array(lists.joined()).sortedUnique(), target, plan)
      for (index, list) in lists.enumerated() where states[index] != nil && (isList || !list.isEmpty) {
        states[index]?.fields[field] = json { writer in
          if isList { writer.beginArray() }
          for id in list { writer.raw(texts[id] ?? "null") }
          if isList { writer.endArray() }
        }
      }
    }
    return states
  }

  /// Targets as JSON: their keys, or the fields of an object without a key, which belongs to its owner.
  private mutating func texts(
    of ids: [ObjectID], _ entity: Int, _ plan: Plan
  ) throws -> [ObjectID: String] {
    var texts = try keys(of: ids, entity, plan).mapValues { key in json { $0.key(key) } }
    let keyless = ids.filter { texts[$0] == nil }
    if keyless.isEmpty { return texts }
    let fields = plan.schema.entities[entity].fields
    for (id, state) in zip(keyless, try states(of: keyless, entity, plan)) {
      guard let state else { continue }
      texts[id] = json { writer in
        writer.beginObject()
        for (field, text) in zip(fields, state.fields) where !text.isEmpty && text != "[]" {
          writer.name(field.name)
          writer.raw(text)
        }
        writer.endObject()
      }
    }
    return texts
  }

  /// The keys of objects in the store.
  mutating func keys(of ids: [ObjectID], _ entity: Int, _ plan: Plan) throws -> [ObjectID: PrimaryKey] {
    var keys: [ObjectID: PrimaryKey] = [:]
    let (layout, keyFields) = (plan.schema.entities[entity], plan.traits.keyFields[entity])
    if keyFields.isEmpty { return keys }
    try read(ids, of: entity) { index, row in
      try row.check(index, of: ids, fields: layout.fields.count)
      keys[ids[index]] = row.key(in: keyFields)
    }
    if layout.keepsKeyless { for id in try keyless(ids, of: entity, plan) { keys[id] = nil } }
    return keys
  }
}

private func json(_ write: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter(style: .spaced)
  write(&writer)
  return writer.withBytes { String(decoding: $0, as: UTF8.self) }
}

extension Plan {
  /// The formats of an entity's dates by field, as the first mapping has them.
  fileprivate func dateFormats(of entity: Int) -> [Int: AttributeType.DateFormat] {
    var formats: [Int: AttributeType.DateFormat] = [:]
    for planned in mappings where planned.entity == entity {
      for (attribute, field) in zip(planned.mapping.attributes, planned.attributeFields) {
        guard case .date(let format) = attribute.type, formats[field] == nil else { continue }
        formats[field] = format.all.first
      }
    }
    return formats
  }
}

extension JSONWriter {
  /// Writes an attribute, a date in its format.
  ///
  /// - Returns: False for a date that the format cannot represent.
  fileprivate mutating func append(_ slot: fastmap_slot, _ format: AttributeType.DateFormat?) -> Bool {
    switch format {
    case .epoch: append(slot, as: .epoch)
    case .epochMilliseconds: append(slot, as: .epochMilliseconds)
    case .pattern(var pattern): pattern.withUTF8 { append(slot, as: .pattern($0)) }
    case .iso8601, .anyOf, nil: append(slot, as: .iso8601)
    }
  }

  /// Writes JSON text as a value, unchanged.
  package mutating func raw(_ json: String) {
    var json = json
    json.withUTF8 { raw($0) }
  }
}
