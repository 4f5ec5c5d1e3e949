internal import CFastMap

/// Makes errors from faults, with their paths, places and reasons.
struct FaultReader {
  let plan: Plan
  let unit: ImportUnit
  /// Whether an import continues after a fault.
  let skipsFaults: Bool

  private var source: RootSource { unit.input.source }

  /// A fault of one occurrence.
  struct Fault {
    enum What {
      case walked(fastmap_fault)
      /// An object that the store refuses, and why; or its key.
      case refused(String, isOfKey: Bool)
      /// A member that no field reads, and the steps to the value that has it.
      case unread([JSONPath.Step], String)
      /// An object with the values of another one in a unique index.
      case notUnique(ConflictingObjects.Reported)
    }
    var occurrence: Int
    var what: What
  }

  /// A fault with its path and its reason.
  private struct Found {
    var place: RootSource.Place
    var reason: MappingError.Reason
  }

  /// The errors of faults of the batch, in their order.
  ///
  /// - Complexity: As `RootSource.locations`, which looks for all places together.
  func errors(_ faults: [Fault]) throws -> [MappingError] {
    let found = try faults.map { fault in
      if let found = rootFault(of: fault) { return found }
      return switch fault.what {
      case .walked(let walked): self.fault(walked)
      case .refused(let reason, let isOfKey):
        refusal(of: unit.occurrence(fault.occurrence), reason: reason, isOfKey: isOfKey)
      case .unread(let steps, let name): unread(name, at: steps, of: unit.occurrence(fault.occurrence))
      case .notUnique(let reported):
        try Found(place: place(of: unit.occurrence(fault.occurrence)), reason: .notUnique(reported.error()))
      }
    }
    let locations = source.locations(of: found.map(\.place), in: unit.input)
    return faults.indices.map { index in
      let place = found[index].place
      return MappingError(
        path: source.path(of: place, in: unit.input),
        location: locations[index], reason: found[index].reason,
        kept: skipsFaults ? kept(by: faults[index]) : nil, file: source.file)
    }
  }

  /// The fault of a root object that could not be read, for which null stands.
  private func rootFault(of fault: Fault) -> Found? {
    if unit.input.rootFaults.isEmpty { return nil }
    let root = place(of: unit.occurrence(fault.occurrence)).root ?? unit.input.first
    return unit.input.rootFaults[root].map { Found(place: $0.place, reason: $0.reason) }
  }

  private func kept(by fault: Fault) -> MappingError.Kept? {
    guard case .walked = fault.what, let kept = unit.kept(byFaultOf: fault.occurrence) else { return nil }
    if !kept.isList { return .target }
    return kept.isMerge ? nil : .list
  }

  private func fault(_ fault: fastmap_fault) -> Found {
    let planned = plan.mappings[Int(fault.where.mapping)]
    let outer = fault.is_outer ? outerPath(of: fault, in: planned.mapping) : nil
    var place = outer.map { self.place(of: $0.origin, outside: fault.where) } ?? place(of: fault.where)
    let value = JSONNode(unsafe: fault.node).map { unit.value(of: $0) }
    func unexpected(_ expected: String) -> Found {
      Found(place: place, reason: .unexpected(expected: expected, found: value?.found ?? "nothing"))
    }
    switch Int(fault.code) {
    case FASTMAP_FAULT_TYPE:
      let index = Int(fault.index)
      let attribute = planned.mapping.attributes[index]
      if fault.steps == 0, !attribute.keyPath.isWhole {
        return unexpected(noun(of: planned, at: fault.where, for: value))
      }
      place.add(outer ?? attribute.keyPath, count: Int(fault.steps))
      return unexpected(attribute.expectation(for: value, isKey: index == planned.key))
    case FASTMAP_FAULT_REFUSED:
      let attribute = planned.mapping.attributes[Int(fault.index)]
      var refusal = unit.refusals[Int(fault.refusal)]
      var position: Int?
      // The elements of a list were collected by its [], and follow it in the path.
      let keyPath = outer ?? attribute.keyPath
      if keyPath.isEach, case .index(let index)? = refusal.steps.first {
        position = index
        refusal.steps.removeFirst()
      }
      if fault.steps > 0 { place.add(keyPath, count: Int(fault.steps), position: position) }
      place.steps += refusal.steps
      return Found(place: place, reason: refusal.reason)
    case FASTMAP_FAULT_STEP:
      let path = outer ?? keyPath(of: fault, in: planned.mapping)
      let position = fault.position == FASTMAP_NONE ? nil : Int(fault.position)
      place.add(path, count: Int(fault.steps), position: position)
      if case .member? = path.steps.dropFirst(Int(fault.steps)).first { return unexpected("an object") }
      return unexpected("an array")
    case FASTMAP_FAULT_SHAPE:
      let path = keyPath(of: fault, in: planned.mapping)
      place.add(path, count: Int(fault.steps))
      return unexpected(expectation(at: path.steps.prefix(Int(fault.steps)), in: planned))
    case FASTMAP_FAULT_NAME:
      // The value is the member's name. The place is the object's.
      if let name = value?.string, !place.steps.isEmpty { place.steps[place.steps.count - 1] = .member(name) }
      return unexpected(
        "a member name that is " + planned.mapping.attributes[Int(fault.index)].type.kind.noun)
    case FASTMAP_FAULT_PART:
      place.add(keyPath(of: fault, in: planned.mapping), count: nil)
      let key = value?.kind == .object ? " with a primary key" : ""
      return unexpected("one \(destinationNoun(of: fault, in: planned))\(key), a part of the primary key")
    case FASTMAP_FAULT_MEMBERS:
      place.add(keyPath(of: fault, in: planned.mapping), count: nil)
      return unexpected("an object with a member for each target")
    case FASTMAP_FAULT_KIND:
      guard let kinds = planned.kinds else { return unexpected("an object") }
      if kinds.keyPath.ifOuter != nil { place = self.place(of: kinds.keyPath.origin, outside: fault.where) }
      place.add(kinds.keyPath, count: nil)
      let values = kinds.isKind ? kinds.values(of: Int(fault.where.mapping)) : kinds.values.map(\.value)
      if values.isEmpty { return unexpected("a value that names no other mapping") }
      return unexpected((values.count > 1 ? "one of " : "") + list(values.map(quoted), conjunction: "or"))
    case FASTMAP_FAULT_ARRAY:
      place.add(keyPath(of: fault, in: planned.mapping), count: nil)
      return unexpected("one \(destinationNoun(of: fault, in: planned))")
    case FASTMAP_FAULT_KEY_MISSING, FASTMAP_FAULT_KEY_NULL:
      // Another attribute may have read the whole value, but the key is in an object.
      let isInside = planned.key.map { !planned.mapping.attributes[$0].keyPath.isWhole } ?? false
      if let part = missingPart(of: planned, value) {
        place.add(planned.mapping.keyPath(of: part), count: nil)
        let isNull = fault.code == UInt32(FASTMAP_FAULT_KEY_NULL)
        return Found(
          place: place,
          reason: .unexpected(
            expected:
              "\(noun(of: part, in: planned)), \(planned.parts.count == 1 ? "the primary key" : "a part of the primary key") of \(escaped(planned.mapping.entity))",
            found: isNull ? "null" : "nothing"))
      }
      if isInside, let value, value.kind != (planned.mapping.isRow ? .array : .object) {
        return unexpected(planned.mapping.noun)
      }
      return missingKey(of: planned, at: place, isNull: fault.code == UInt32(FASTMAP_FAULT_KEY_NULL))
    default:
      return unexpected(noun(of: planned, at: fault.where, for: value))
    }
  }

  /// An object that the store refuses, or its key.
  private func refusal(of occurrence: fastmap_occurrence, reason: String, isOfKey: Bool) -> Found {
    let planned = plan.mappings[Int(occurrence.mapping)]
    var place = place(of: occurrence)
    let kind = JSONNode(unsafe: occurrence.node).map { unit.value(of: $0).kind }
    if isOfKey, let key = planned.key, planned.named != key, planned.parts.isEmpty,
      kind == (planned.mapping.isRow ? .array : .object)
    {
      place.add(planned.mapping.attributes[key].keyPath, count: nil)
    }
    return Found(place: place, reason: .refused(reason))
  }

  private func unread(_ name: String, at steps: [JSONPath.Step], of occurrence: fastmap_occurrence) -> Found {
    var place = place(of: occurrence)
    place.steps += steps + [.member(name)]
    let mapping = plan.mappings[Int(occurrence.mapping)].mapping
    return Found(place: place, reason: .refused(mapping.unread(name, at: steps)))
  }

  private func missingKey(
    of planned: PlannedMapping, at object: RootSource.Place, isNull: Bool
  ) -> Found {
    let attribute = planned.key.map { planned.mapping.attributes[$0] }
    var place = object
    if let attribute, attribute.source == .keyPath { place.add(attribute.keyPath, count: nil) }
    return Found(
      place: place,
      reason: .missingKey(
        kind: attribute?.type.kind ?? .integer, entity: planned.mapping.entity, isNull: isNull))
  }

  /// "an object", "an array" for a row; "an object or an integer" in a relationship that also takes a key; or the expectation of an attribute for the
  /// whole value.
  private func noun(of planned: PlannedMapping, at occurrence: fastmap_occurrence, for value: JSONValue?)
    -> String
  {
    let attributes = planned.mapping.attributes
    if let whole = attributes.first(where: { $0.keyPath.isWhole && $0.type != .json }) {
      return whole.expectation(for: value)
    }
    let isRoot = occurrence.owner == FASTMAP_NONE
    guard let key = planned.key, !isRoot, planned.named == nil,
      !attributes.contains(where: { $0.keyPath.isWhole })
    else {
      return planned.mapping.noun
    }
    if !planned.parts.isEmpty {
      return planned.mapping.isRow || planned.mapping.isScoped
        ? planned.mapping.noun : "\(planned.mapping.noun) or \(planned.arrayNoun)"
    }
    return "\(planned.mapping.noun) or " + attributes[key].expectation(for: value, isKey: true)
  }

  private func destinationNoun(of fault: fastmap_fault, in planned: PlannedMapping) -> String {
    let destination = plan.mappings[planned.destinations[Int(fault.index)]]
    let attributes = destination.mapping.attributes
    if let whole = attributes.first(where: { $0.keyPath.isWhole && $0.type != .json }) {
      return whole.type.kind.rawValue
    }
    guard let key = destination.key, !attributes.contains(where: { $0.keyPath.isWhole }) else {
      return "object"
    }
    if destination.mapping.isScoped { return "object" }
    if !destination.parts.isEmpty { return "object or " + destination.arrayNoun }
    return "object or one " + attributes[key].type.kind.rawValue
  }

  private func keyPath(of fault: fastmap_fault, in mapping: MappingDefinition) -> JSONKeyPath {
    fault.is_relationship
      ? mapping.relationships[Int(fault.index)].keyPath : mapping.attributes[Int(fault.index)].keyPath
  }

  private func outerPath(of fault: fastmap_fault, in mapping: MappingDefinition) -> JSONKeyPath? {
    fault.is_relationship
      ? mapping.relationships[Int(fault.index)].outerPath : mapping.attributes[Int(fault.index)].outerPath
  }

  /// The error of an object without a value that the import was not given either; nil if there is none.
  func missingContext() -> ContextValueError? {
    guard let fault = unit.faults.first(where: { $0.code == UInt32(FASTMAP_FAULT_CONTEXT) }) else {
      return nil
    }
    let mapping = plan.mappings[Int(fault.where.mapping)].mapping
    guard let outer = outerPath(of: fault, in: mapping), case .member(let name)? = outer.steps.first else {
      return nil
    }
    var place = place(of: fault.where)
    place.add(keyPath(of: fault, in: mapping), count: nil)
    let path = JSONPath(source.path(ofRoot: place.root, in: unit.input).steps + place.steps)
    return ContextValueError(
      name: name,
      description:
        "\(path): expected the context value \(quoted(name)) to be given to the import, or in the object")
  }

  // MARK: Places

  func path(ofOccurrence index: Int) -> JSONPath {
    source.path(of: place(of: unit.occurrence(index)), in: unit.input)
  }

  private func place(
    of origin: JSONKeyPath.Origin, outside occurrence: fastmap_occurrence
  ) -> RootSource.Place {
    guard case .parent(let levels) = origin else {
      return RootSource.Place(root: place(of: occurrence).root, isOfDocument: true)
    }
    var owner = occurrence
    for _ in 0..<levels where owner.owner != FASTMAP_NONE { owner = unit.occurrence(Int(owner.owner)) }
    return place(of: owner)
  }

  private func place(of occurrence: fastmap_occurrence) -> RootSource.Place {
    var steps: [JSONPath.Step] = []
    var current = occurrence
    while current.owner != FASTMAP_NONE {
      let owner = unit.occurrence(Int(current.owner))
      let relationship = plan.mappings[Int(owner.mapping)].mapping.relationships[Int(current.relationship)]
      let position = current.position == FASTMAP_NONE ? nil : Int(current.position)
      var way = RootSource.Place()
      if let outer = relationship.outerPath {
        way = place(of: outer.origin, outside: owner)
        way.add(outer, count: nil, position: position)
        if let position, !outer.isEach { way.steps.append(.index(position)) }
        way.steps += steps.reversed()
        return way
      }
      way.add(relationship.keyPath, count: nil, position: position)
      if let position, relationship.keyedBy != nil {
        way.steps.append(.member(name(of: current, at: position, in: owner, relationship)))
      } else if let position, !relationship.keyPath.isEach {
        way.steps.append(.index(position))
      }
      steps += way.steps.reversed()
      current = owner
    }
    let root = current.position == FASTMAP_NONE ? nil : unit.input.first + Int(current.position)
    return RootSource.Place(root: root, steps: steps.reversed())
  }
}

extension FaultReader {
  /// The name of the member that has an occurrence: the key, unless the key is faulty.
  private func name(
    of occurrence: fastmap_occurrence, at position: Int, in owner: fastmap_occurrence,
    _ relationship: RelationshipDefinition
  ) -> String {
    let planned = plan.mappings[Int(occurrence.mapping)]
    if let key = PrimaryKey(slot: occurrence.key), let name = planned.memberName(of: key) { return name }
    let members = JSONNode(unsafe: owner.node)?.value(at: relationship.keyPath)?.members
    let name = members?.dropFirst(position).first { _ in true }?.name
    return name.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension FaultReader {
  private func noun(of part: KeyPart, in planned: PlannedMapping) -> String {
    switch part {
    case .attribute(let index): planned.mapping.attributes[index].type.kind.noun
    case .relationship(let index):
      "an object of \(escaped(plan.mappings[planned.destinations[index]].mapping.entity))"
    }
  }

  /// The first part of a key that an object lacks; nil if the value is no object.
  private func missingPart(of planned: PlannedMapping, _ value: JSONValue?) -> KeyPart? {
    guard let value else { return nil }
    let missing = planned.parts.first { part in
      if let named = planned.named, case .attribute(named) = part { return false }
      guard let found = value.node.value(at: planned.mapping.keyPath(of: part)) else { return true }
      return found.isNull
    }
    // Or the target of a part has no key.
    return missing ?? planned.parts.first { if case .relationship = $0 { true } else { false } }
  }
}

extension PlannedMapping {
  fileprivate var arrayNoun: String {
    "an array of the \(parts.count) parts of its key (\(list(mapping.keyFields?.names ?? [], conjunction: "and")))"
  }
}

extension MappingDefinition {
  /// The kind of JSON that stands for an object.
  fileprivate var noun: String { isRow ? "an array" : "an object" }
}

extension RootSource.Place {
  /// - Parameter position: The position of the element that `[]` stands for; nil to end before it.
  fileprivate mutating func add(_ keyPath: JSONKeyPath, count: Int?, position: Int? = nil) {
    for step in keyPath.steps.prefix(count ?? keyPath.steps.count) {
      switch step {
      case .member(let name): steps.append(.member(name))
      case .index(let index): steps.append(.index(index))
      case .each:
        guard let position else { return }
        steps.append(.index(position))
      }
    }
  }
}
