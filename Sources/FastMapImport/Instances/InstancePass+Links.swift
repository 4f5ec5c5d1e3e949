internal import CFastMap

/// Setting the relationships of an occurrence, as its mapping's policies say.
extension InstancePass {
  /// Sets one relationship of an occurrence that has its instance. So have its targets.
  func setRelationship(_ number: Int, of index: Int, in unit: ImportUnit) throws {
    let occurrence = unit.occurrences + index
    let mapping = unit.mappings + Int(occurrence.pointee.mapping)
    let relationship = mapping.pointee.relationships + number
    guard let row = occurrence.pointee.row else { return }
    let link = row[Int(relationship.pointee.field)].link
    if link.tag == FASTMAP_MISSING { return }
    let property = properties[Int(occurrence.pointee.mapping)][number]
    let table = tables[Int(mapping.pointee.entity)]
    let owner = table.instances[Int(occurrence.pointee.object)]
    existing?.save(owner, table)
    let isNull = link.tag == FASTMAP_NULL
    let fault = isNull ? nil : unit.fault(of: link)
    if relationship.pointee.is_custom {
      if fault != nil { return }
      let question = InstanceQuestion(
        planned: plan.mappings[Int(occurrence.pointee.mapping)], relationship: number, owner: owner,
        property: property, new: targets(of: link, property, unit).instances, isNull: isNull)
      questions.append(question)
      return
    }
    if isNull {
      if link.policy != FASTMAP_MERGE { replace(property, of: owner, with: nil) }
      return
    }
    let targets = targets(of: link, property, unit)
    guard property.isToMany else {
      if !targets.instances.isEmpty {
        replace(property, of: owner, with: targets.instances)
      } else if link.policy != FASTMAP_MERGE, unit.isCleared(link) {
        replace(property, of: owner, with: nil)
      }  // a weak miss, or a faulty target: as if the member were missing
      return
    }
    let isElement = Int(occurrence.pointee.flags) & FASTMAP_ELEMENT != 0
    try setList(
      property, of: owner, isElement: isElement, to: targets, isMerge: link.policy == FASTMAP_MERGE, fault)
  }

  /// The targets of a relationship in the payload.
  struct Targets {
    var instances: [AnyObject] = []
    /// Whether each of them is an element without a key; nil if none is.
    var areElements: [Bool]?

    func isElement(_ index: Int) -> Bool { areElements?[index] ?? false }
  }

  private func targets(
    of link: fastmap_link, _ property: ClassRelationship, _ unit: ImportUnit
  ) -> Targets {
    guard link.tag == FASTMAP_OCCURRENCES else { return Targets() }
    let found = UnsafeBufferPointer(start: link.occurrences, count: Int(link.length))
    let occurrences = unit.occurrences
    let table = tables[property.target]
    var targets = Targets()
    targets.instances.reserveCapacity(found.count)
    for index in found {
      let target = occurrences + Int(index)
      if !unit.isLinked(Int(index)) { continue }
      let isElement = unit.isElement(Int(index))
      if isElement, targets.areElements == nil {
        targets.areElements = Array(repeating: false, count: targets.instances.count)
      }
      targets.areElements?.append(isElement)
      targets.instances.append(table.instances[Int(target.pointee.object)])
    }
    return targets
  }

  /// Sets a relationship, and discards targets that the payload has merged into it before.
  private func replace(_ property: ClassRelationship, of owner: AnyObject, with targets: [AnyObject]?) {
    merged.forget(property, of: owner)
    if existing?.contains(owner) ?? false {
      if let targets, property.access.has(targets, in: owner) { return }
      if targets == nil, !property.isToMany, property.access.get(owner).isEmpty { return }
    }
    property.access.set(owner, targets)
  }

  // MARK: Lists

  private func setList(
    _ property: ClassRelationship, of owner: AnyObject, isElement: Bool, to targets: Targets, isMerge: Bool,
    _ fault: ImportUnit.ListFault?
  ) throws {
    var targets = targets
    if fault == .ofElement, !isMerge, hasElements(property, of: owner) {
      // A faulty element matches none, so all stay.
      targets = targets.withoutElements
    }
    if isMerge || fault != nil {
      let areValues = isMerge || fault == .ofKey
      try merged.append(targets, to: property, of: owner, comparing: areValues ? values : nil)
      if isElement { merged.set(property, of: owner) }
    } else if targets.areElements != nil, let old = existing?.targets(of: owner, property), !old.isEmpty {
      replace(property, of: owner, with: try keepEqual(old, targets, property, of: owner))
    } else {
      replace(property, of: owner, with: targets.instances)
    }
  }

  private func hasElements(_ property: ClassRelationship, of owner: AnyObject) -> Bool {
    merged.targets(of: owner, property).contains { values.isValue($0, property) }
  }

  /// A list of an instance of the caller, which lives as long as the pass.
  struct OldList: Hashable {
    let owner: ObjectIdentifier
    let field: Int
  }

  /// Puts instances of the caller in the place of equal elements, each once, in order.
  private func keepEqual(
    _ old: [AnyObject], _ targets: Targets, _ property: ClassRelationship, of owner: AnyObject
  ) throws -> [AnyObject] {
    let list = OldList(owner: ObjectIdentifier(owner), field: property.field)
    if oldElements[list] == nil {
      var known: [ElementHash: [AnyObject]] = [:]
      for instance in old where values.isValue(instance, property) {
        known[try values.hash(of: instance, property.target), default: []].append(instance)
      }
      oldElements[list] = known
    }
    let known = oldElements[list] ?? [:]
    if known.isEmpty { return targets.instances }
    var used: [ElementHash: Int] = [:]
    var kept = targets.instances
    for index in kept.indices where targets.isElement(index) {
      let hash = try values.hash(of: kept[index], property.target)
      let place = used[hash, default: 0]
      guard let equal = known[hash], place < equal.count else { continue }
      used[hash] = place + 1
      kept[index] = equal[place]
    }
    return kept
  }
}

extension InstancePass.Targets {
  fileprivate var withoutElements: Self {
    Self(instances: instances.indices.filter { !isElement($0) }.map { instances[$0] })
  }
}
