internal import CFastMap

/// Finds the faults of mappings that are compiled together.
package struct MappingValidator {
  private(set) var faults: [MappingDefinitionError.Fault] = []

  mutating func fault(_ place: JSONPath, _ reason: String) {
    faults.append(.init(place: place, reason: reason))
  }

  /// Checks each mapping by itself, and how they fit together.
  ///
  /// - Parameters:
  ///   - mappings: All mappings that can be reached.
  ///   - destinations: The targets of each mapping's relationships; nil for a mapping that was not found.
  ///   - owners: The mappings with the relationships of each mapping's inverses; nil for a mapping that was not found.
  mutating func validate(_ mappings: [MappingDefinition], destinations: [[Int?]], owners: [[Int?]]) {
    checkSizes(mappings)
    if !faults.isEmpty { return }
    let shapes = mappings.map { TargetShapes(of: $0) }
    for (index, mapping) in mappings.enumerated() {
      let place = mapping.place
      let targets = destinations[index].map { $0.map { mappings[$0] } }
      // Its kinds have its fields.
      let hasKinds = mapping.kinds != nil
      faults += mapping.recorded?.faults ?? []
      checkDeletedBy(mapping, at: place)
      checkIgnores(mapping, at: place)
      if !hasKinds {
        checkNames(mapping, at: place)
        checkPrimaryKey(mapping, targets, at: place)
        checkNewerBy(mapping, at: place)
        for attribute in mapping.attributes { check(attribute, at: place) }
        for (relationship, target) in zip(mapping.relationships, targets) {
          check(relationship, to: target, at: place)
        }
      }
      checkIndexes(mapping, targets, at: place)
      for (inverse, owner) in zip(mapping.inverses, owners[index]) {
        guard let owner else { continue }
        check(inverse, of: mapping, in: mappings[owner], destinations[owner].map { $0.map { mappings[$0] } })
      }
      checkRootPath(mapping, at: place)
      checkPaths(
        mapping, to: destinations[index].map { $0.map { shapes[$0] } }, at: place, isWritten: !hasKinds)
      if hasKinds { continue }
      checkKeyed(mapping, targets, at: place)
      checkOuter(mapping, targets, at: place)
      checkRest(mapping, at: place)
      checkRows(mapping, targets, at: place)
    }
    checkWholes(mappings, destinations)
    checkParts(mappings, destinations)
    checkOuterOfWeak(mappings, destinations)
    checkEntities(mappings, destinations, owners)
  }

  /// Counts the fields of mappings and of entities, which a store limits. This comes before the other checks, whose
  /// time grows with the fields.
  private mutating func checkSizes(_ mappings: [MappingDefinition]) {
    let most = Schema.Entity.mostFields
    if mappings.reduce(0, { $0 + $1.attributes.count + $1.relationships.count }) <= most { return }
    var fields: [ByteName: Set<ByteName>] = [:]
    for mapping in mappings {
      let count = mapping.attributes.count + mapping.relationships.count
      if count > most {
        fault(mapping.place, "expected at most \(most) attributes and relationships, found \(count)")
      } else {
        var known = fields.removeValue(forKey: ByteName(mapping.entity)) ?? []
        let before = known.count
        known.formUnion(mapping.attributes.map { ByteName($0.name) })
        known.formUnion(mapping.relationships.map { ByteName($0.name) })
        if known.count > most, before <= most {
          fault(
            mapping.place,
            "expected at most \(most) attributes and relationships of \(escaped(mapping.entity)) in all mappings, found more"
          )
        }
        fields[ByteName(mapping.entity)] = known
      }
    }
  }

  private mutating func checkNames(_ mapping: MappingDefinition, at place: JSONPath) {
    if mapping.name.isEmpty { fault(place, "a mapping needs a name") }
    if mapping.entity.isEmpty { fault(place.appending("entity"), "an entity needs a name") }
    // By name, how often it was met. The second time is the fault, those after it are the same one.
    var met: [ByteName: Int] = [:]
    func checkName(_ name: String, _ section: String, _ noun: String, _ property: AnyKeyPath?) {
      met[ByteName(name), default: 0] += 1
      let isSecond = met[ByteName(name)] == 2
      guard name.isEmpty || isSecond else { return }
      let here = place.appending([section, name])
      if name.isEmpty {
        let path = property.flatMap { $0.propertyName == nil ? "\($0)" : nil }
        fault(
          here,
          "\(noun) needs a name" + (path.map { "; write one before \($0), which has none of its own" } ?? ""))
      }
      if isSecond { fault(here, "\(quoted(name)) is declared twice") }
    }
    for attribute in mapping.attributes {
      checkName(attribute.name, "attributes", "an attribute", attribute.access?.property)
    }
    let links =
      mapping.relationships.map { ($0.name, $0.access) } + mapping.inverses.map { ($0.name, $0.access) }
    for (name, access) in links { checkName(name, "relationships", "a relationship", access?.property) }
  }

  private mutating func checkNewerBy(_ mapping: MappingDefinition, at place: JSONPath) {
    guard let name = mapping.newerBy else { return }
    let here = place.appending("newerBy")
    if mapping.primaryKey == nil {
      fault(here, "newerBy needs objects with a primary key; the mapping \(quoted(mapping.name)) has none")
    }
    guard let attribute = mapping.attributes.first(where: { NameIndex.isSame($0.name, name) }) else {
      let names = mapping.attributes.filter(\.type.kind.isOrdered).map(\.name)
      return fault(
        here,
        unknownName("attribute", named: name, among: names, verb: "no attribute named"))
    }
    if !attribute.type.kind.isOrdered {
      fault(
        here,
        "expected an attribute of type integer, number, decimal, string or date, \(quoted(name)) is \(attribute.type.kind.noun)"
      )
    }
  }

  private static var directives: [String] { String(cString: fastmap_date_directives).map { "%\($0)" } }

  private mutating func check(_ format: AttributeType.DateFormat, at place: JSONPath) {
    if format.all.isEmpty { fault(place, "expected at least one date format, found none") }
    let isList = if case .anyOf = format { true } else { false }
    for (index, format) in format.all.enumerated() {
      guard case .pattern(var pattern) = format else { continue }
      var offset = 0
      let isKnown = pattern.withUTF8 { text in
        text.withMemoryRebound(to: CChar.self) {
          fastmap_date_pattern_check($0.baseAddress, $0.count, &offset)
        }
      }
      let here = isList ? place.appending(.index(index)) : place
      if pattern.isEmpty {
        fault(here, "expected a date pattern, found an empty string")
      } else if !isKnown {
        let rest = String(decoding: pattern.utf8.dropFirst(offset).prefix(2), as: UTF8.self)
        fault(
          here,
          "the date pattern \(quoted(pattern)) has the unknown directive \(quoted(rest)); "
            + "there are \(list(Self.directives, most: .max))")
      }
    }
  }

  private mutating func check(_ attribute: AttributeDefinition, at place: JSONPath) {
    // A place is made where it is needed: most mappings are sound.
    var here: JSONPath { place.appending(["attributes", attribute.name]) }
    if case .date(let format) = attribute.type.element ?? attribute.type {
      check(format, at: here.appending("format"))
    }
    if attribute.type.element?.kind == .json {
      fault(
        here.appending("type"),
        "expected a list of scalars, found a list of JSON; an attribute of type \"json\" keeps any array")
    }
    check(attribute.keyPath, at: here.appending("keyPath"))
    if (attribute.outerPath ?? attribute.keyPath).isEach, attribute.type.kind != .json,
      attribute.rules.transform == nil
    {
      fault(
        here.appending("keyPath"),
        "a key path with [] gives a list; the attribute is \(attribute.type.kind.noun)")
    }
    if let value = attribute.defaultValue, !attribute.holds(value) {
      fault(
        here.appending("default"),
        "expected \(attribute.expectation(for: nil)) as the default, found \(value.found)")
    }
    if let access = attribute.access, access.kind != attribute.type.kind {
      fault(
        here,
        "the property is a \(access.typeName), which holds \(access.kind.noun), not \(attribute.type.kind.noun)"
      )
    }
  }

  private mutating func check(
    _ relationship: RelationshipDefinition, to destination: MappingDefinition?, at place: JSONPath
  ) {
    var here: JSONPath { place.appending(["relationships", relationship.name]) }
    check(relationship.keyPath, at: here.appending("keyPath"))
    if relationship.keyPath.isEach, !relationship.isToMany {
      fault(here.appending("keyPath"), "a key path with [] gives a list; the relationship is to-one")
    }
    guard let destination else { return }
    if relationship.keyPath.isWhole, destination.hasKind {
      fault(
        here.appending("keyPath"),
        "expected a key path, found the representation of the owner: the objects of \(quoted(destination.name)) have kinds"
      )
    }
    if relationship.isWeak, destination.primaryKey == nil {
      fault(
        here.appending("weak"),
        "a weak relationship needs objects with a primary key; the mapping \(quoted(destination.name)) has none"
      )
    }
  }
}

extension AttributeDefinition {
  /// Whether a value is of its kind, and its property can have it.
  fileprivate func holds(_ value: Value) -> Bool {
    guard let fitted = value.fitted(to: type.kind), fitted != .null else { return false }
    if case .number(let number) = fitted, !number.isFinite { return false }
    if type.element != nil, type.converted(fitted) == nil { return false }
    guard let access else { return true }
    var values = RowBuffer()
    values.reset(count: 2)
    values.set(fitted, at: 0)
    return values.normalise(values.unsafeRow[0], access, at: 1)
  }
}

extension AttributeKind {
  /// Whether a value can be newer or older than another one.
  fileprivate var isOrdered: Bool {
    switch self {
    case .integer, .number, .decimal, .string, .date: true
    case .boolean, .data, .json: false
    }
  }
}

extension AttributeType {
  var isKey: Bool { self == .integer || self == .string }
}

extension MappingDefinition {
  package var key: AttributeDefinition? { keyPlace.map { attributes[$0] } }

  package var keyPlace: Int? {
    primaryKey.flatMap { key in attributes.firstIndex { NameIndex.isSame($0.name, key) } }
  }

  package var place: JSONPath { JSONPath([.member("mappings"), .member(name)]) }
}
