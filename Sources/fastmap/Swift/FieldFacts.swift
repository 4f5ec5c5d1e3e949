import FastMapCore

/// Facts about the fields of all mappings of an entity.
struct FieldFacts {
  private var mappings: [ByteName: [MappingDefinition]] = [:]

  init(_ set: MappingSet, _ kinds: GeneratedKinds) {
    for mapping in set.mappings {
      mappings[ByteName(kinds.entity(of: mapping)), default: []].append(mapping)
    }
    for (entity, mappings) in mappings {
      let key = mappings.first.flatMap(kinds.key)
      let isPlain = mappings.allSatisfy { mapping in
        kinds.key(of: mapping)?.parts.isEmpty == true
          && (mapping.missingPrimaryKey == .error || mapping.missingPrimaryKey == .skip)
      }
      if isPlain, let name = key?.names.first { plainKeys[entity] = ByteName(name) }
      var values: [ByteName: [Value?]] = [:]
      for attribute in mappings.flatMap(\.declaredAttributes) {
        values[ByteName(attribute.name), default: []].append(attribute.defaultValue)
      }
      defaults[entity] = values.compactMapValues { $0.contains(nil) ? nil : $0.first ?? nil }
      lists[entity] = Self.lists(of: mappings)
    }
  }

  private var plainKeys: [ByteName: ByteName] = [:]
  private var defaults: [ByteName: [ByteName: Value]] = [:]
  private var lists: [ByteName: [ByteName: GeneratedList?]] = [:]

  /// Whether each object of the entity has a value: an attribute that is the whole key of all its mappings.
  func isPlainKey(_ name: String, of mapping: MappingDefinition) -> Bool {
    plainKeys[ByteName(mapping.entity)] == ByteName(name)
  }

  func commonDefault(_ name: String, of mapping: MappingDefinition) -> Value? {
    defaults[ByteName(mapping.entity)]?[ByteName(name)]
  }

  /// The list that an attribute is in all mappings that have it; nil for anything else.
  func commonList(_ name: String, of mapping: MappingDefinition) -> GeneratedList? {
    lists[ByteName(mapping.entity)]?[ByteName(name)] ?? nil
  }

  private static func lists(of mappings: [MappingDefinition]) -> [ByteName: GeneratedList?] {
    var lists: [ByteName: GeneratedList?] = [:]
    for attribute in mappings.flatMap(\.declaredAttributes) {
      let list = GeneratedList(attribute)
      let known = lists.updateValue(list, forKey: ByteName(attribute.name))
      if let known, known != list { lists.updateValue(nil, forKey: ByteName(attribute.name)) }
    }
    return lists
  }
}

/// A list of values as a Swift array.
struct GeneratedList: Equatable {
  let element: AttributeKind
  /// Whether an element may be null: a key path with `[]` may find nothing in an object.
  let hasGaps: Bool

  /// Nil for another attribute, and for a list that a Swift array would read or write otherwise.
  init?(_ attribute: AttributeDefinition) {
    guard case .list(let element) = attribute.type else { return nil }
    switch element {
    case .boolean, .integer, .string: break
    case .number, .decimal, .data, .date(.iso8601):
      // Written by Swift, the elements of a default might have other digits.
      if attribute.defaultValue != nil { return nil }
    default: return nil
    }
    self.element = element.kind
    hasGaps = attribute.place.steps.contains(.each)
  }
}
