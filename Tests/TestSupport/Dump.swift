import FastMapCore

/// The contents of a store, an object a line.
struct Dump {
  let text: String

  /// The names of the fields that hold keys, by entity: an object's key is shown already.
  static func keyFields(of plan: Plan) -> [Set<String>] {
    var names = [Set<String>](repeating: [], count: plan.schema.entities.count)
    for planned in plan.mappings {
      if let field = planned.keyField {
        names[planned.entity].insert(plan.schema.entities[planned.entity].fields[field].name)
      }
    }
    return names
  }

  init(_ reader: inout Snapshot, keyFields: [Set<String>]) throws {
    let entities = reader.schema.entities
    var labels: [[ObjectID: String]] = []
    var records: [[Record]] = []
    for entity in entities {
      let found = try reader.records(entity.name)
      var names: [ObjectID: String] = [:]
      for record in found {
        names[record.id] = record.key.map { "\($0)" } ?? "#\(names.values.count { $0.hasPrefix("#") } + 1)"
      }
      labels.append(names)
      records.append(found)
    }
    var lines: [String] = []
    for (number, entity) in entities.enumerated() {
      for record in records[number] {
        var parts = [entity.name, labels[number][record.id] ?? "?"]
        for field in entity.fields {
          switch field.kind {
          case .attribute:
            guard let value = record[field.name], !keyFields[number].contains(field.name) else { continue }
            parts.append("\(field.name)=\(Self.text(of: value))")
          case .toOne(let target, _):
            guard let id = record.target(field.name) else { continue }
            parts.append("\(field.name)=\(labels[target][id] ?? "?")")
          case .toMany(let target, _):
            let ids = record.targets(field.name)
            guard !ids.isEmpty else { continue }
            let names = ids.map { labels[target][$0] ?? "?" }
            parts.append("\(field.name)=[\(names.joined(separator: " "))]")
          }
        }
        lines.append(parts.joined(separator: " "))
      }
    }
    text = lines.joined(separator: "\n")
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .number(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let text): "\"\(text)\""
    case .date(let instant):
      "@\(instant.seconds)" + (instant.nanoseconds == 0 ? "" : "+\(instant.nanoseconds)ns")
    case .data(let bytes): "\(bytes)"
    case .json(let text): text
    }
  }
}
