internal import CFastMap

/// Makes errors from what the walk could not fit: their paths, their places and their words.
struct FaultReader {
  let plan: Plan
  let unit: ImportUnit
  let source: RootSource

  func error(for fault: fastmap_fault) throws -> MappingError {
    if fault.code == UInt32(FASTMAP_FAULT_MEMORY) { throw OutOfMemory() }
    let planned = plan.mappings[Int(fault.where.mapping)]
    var place = place(of: fault.where)
    let node = JSONNode(unsafe: fault.node)
    func unexpected(_ expected: String) -> MappingError {
      error(place, .unexpected(expected: expected, found: node.map { unit.found($0) } ?? "nothing"))
    }
    switch Int(fault.code) {
    case FASTMAP_FAULT_TYPE:
      let attribute = planned.mapping.attributes[Int(fault.index)]
      if fault.steps == 0 {
        return unexpected(attribute.keyPath == nil ? attribute.expectation : noun(of: planned))
      }
      place.add(attribute.keyPath, count: Int(fault.steps))
      return unexpected(attribute.expectation)
    case FASTMAP_FAULT_REFUSED:
      let attribute = planned.mapping.attributes[Int(fault.index)]
      if fault.steps > 0 { place.add(attribute.keyPath, count: Int(fault.steps)) }
      return error(place, .refused(unit.refusals[Int(fault.refusal)]))
    case FASTMAP_FAULT_STEP:
      let path = keyPath(of: fault, in: planned.mapping)
      let position = fault.position == FASTMAP_NONE ? nil : Int(fault.position)
      place.add(path, count: Int(fault.steps), position: position)
      if case .member? = path?.steps.dropFirst(Int(fault.steps)).first { return unexpected("an object") }
      return unexpected("an array")
    case FASTMAP_FAULT_ARRAY:
      place.add(keyPath(of: fault, in: planned.mapping), count: nil)
      return unexpected("one \(destinationNoun(of: fault, in: planned))")
    case FASTMAP_FAULT_KEY_MISSING, FASTMAP_FAULT_KEY_NULL:
      let isNull = fault.code == UInt32(FASTMAP_FAULT_KEY_NULL)
      return missingKey(of: planned, at: place, isNull: isNull)
    default:
      return unexpected(noun(of: planned))
    }
  }

  /// A key that the store refuses.
  func refusedKey(of occurrence: fastmap_occurrence, reason: String) -> MappingError {
    let planned = plan.mappings[Int(occurrence.mapping)]
    var place = place(of: occurrence)
    if let key = planned.key, JSONNode(unsafe: occurrence.node)?.isObject ?? false {
      place.add(planned.mapping.attributes[key].keyPath, count: nil)
    }
    return error(place, .refused(reason))
  }

  private func missingKey(of planned: PlannedMapping, at object: Place, isNull: Bool) -> MappingError {
    let attribute = planned.key.map { planned.mapping.attributes[$0] }
    var place = object
    place.add(attribute?.keyPath, count: nil)
    return error(
      place,
      .missingKey(
        kind: attribute?.type.kind ?? .integer, entity: planned.mapping.entity, isNull: isNull))
  }

  /// "an object", or "an object or an integer" where a bare key will do.
  private func noun(of planned: PlannedMapping) -> String {
    guard let key = planned.key else { return "an object" }
    let attribute = planned.mapping.attributes[key]
    return attribute.keyPath == nil
      ? attribute.expectation : "an object or \(attribute.expectation)"
  }

  private func destinationNoun(of fault: fastmap_fault, in planned: PlannedMapping) -> String {
    let destination = plan.mappings[planned.destinations[Int(fault.index)]]
    guard let key = destination.key else { return "object" }
    let name = destination.mapping.attributes[key].type.kind.rawValue
    return destination.mapping.attributes[key].keyPath == nil ? name : "object or \(name)"
  }

  private func keyPath(of fault: fastmap_fault, in mapping: MappingDescription) -> JSONKeyPath? {
    fault.is_relationship
      ? mapping.relationships[Int(fault.index)].keyPath : mapping.attributes[Int(fault.index)].keyPath
  }

  // MARK: Places

  /// Steps inwards from one root object.
  private struct Place {
    var root: Int?
    var steps: [JSONPath.Step] = []

    /// - Parameter position: Of the element that `[]` stands for; nil to end before it.
    mutating func add(_ keyPath: JSONKeyPath?, count: Int?, position: Int? = nil) {
      guard let path = keyPath?.steps else { return }
      for step in path.prefix(count ?? path.count) {
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

  private func error(_ place: Place, _ reason: MappingError.Reason) -> MappingError {
    MappingError(
      path: JSONPath(source.path(ofRoot: place.root).steps + place.steps),
      location: source.location(root: place.root, steps: place.steps), reason: reason)
  }

  /// Follows the owners of an occurrence to its root.
  private func place(of occurrence: fastmap_occurrence) -> Place {
    var steps: [JSONPath.Step] = []
    var current = occurrence
    while current.owner != FASTMAP_NONE {
      let owner = unit.occurrence(Int(current.owner))
      let relationship = plan.mappings[Int(owner.mapping)].mapping.relationships[Int(current.relationship)]
      let position = current.position == FASTMAP_NONE ? nil : Int(current.position)
      var way = Place(root: nil)
      way.add(relationship.keyPath, count: nil, position: position)
      if let position, !(relationship.keyPath?.isEach ?? false) { way.steps.append(.index(position)) }
      steps += way.steps.reversed()
      current = owner
    }
    let root = current.position == FASTMAP_NONE ? nil : Int(current.position)
    return Place(root: root, steps: steps.reversed())
  }
}

/// Memory ran out in the C core.
public struct OutOfMemory: Error, Sendable, CustomStringConvertible {
  public var description: String { "out of memory" }
}
