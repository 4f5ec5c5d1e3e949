/// The lists that a payload merges into in many places. Each property is set once, so that a payload costs linear time.
struct MergedLists {
  private struct Holder: Hashable {
    let owner: ObjectIdentifier
    let field: Int

    init(_ owner: AnyObject, _ property: ClassRelationship) {
      self.owner = ObjectIdentifier(owner)
      field = property.field
    }
  }

  private struct List {
    let owner: AnyObject
    let property: ClassRelationship
    package var targets: [AnyObject]
    var met: Set<ObjectIdentifier>
    /// The values of the elements; nil until an element is merged.
    var values: Set<ElementHash>?

    init(_ owner: AnyObject, _ property: ClassRelationship) {
      self.owner = owner
      self.property = property
      targets = property.access.get(owner)
      met = Set(targets.map(ObjectIdentifier.init))
    }
  }

  private var lists: [Holder: List] = [:]

  /// Appends the targets that a list does not have.
  ///
  /// - Parameter values: Compares elements; nil to append each.
  mutating func append(
    _ targets: InstancePass.Targets, to property: ClassRelationship, of owner: AnyObject,
    comparing values: InstanceValues?
  ) throws {
    let holder = Holder(owner, property)
    var list = lists.removeValue(forKey: holder) ?? List(owner, property)
    defer { lists[holder] = list }
    for (index, target) in targets.instances.enumerated() {
      if targets.isElement(index), let values {
        if list.values == nil { list.values = try values.hashes(ofElementsIn: list.targets, property) }
        let value = try values.hash(of: target, property.target)
        if list.values?.insert(value).inserted ?? true { list.targets.append(target) }
      } else if list.met.insert(ObjectIdentifier(target)).inserted {
        list.targets.append(target)
      }
    }
  }

  /// The targets that a property has, or will have.
  package func targets(of owner: AnyObject, _ property: ClassRelationship) -> [AnyObject] {
    lists[Holder(owner, property)]?.targets ?? property.access.get(owner)
  }

  /// Forgets the targets that were merged into a list, because the list is replaced.
  mutating func forget(_ property: ClassRelationship, of owner: AnyObject) {
    if !lists.isEmpty { lists[Holder(owner, property)] = nil }
  }

  mutating func set(_ property: ClassRelationship, of owner: AnyObject) {
    guard let list = lists.removeValue(forKey: Holder(owner, property)) else { return }
    if !property.access.has(list.targets, in: owner) { property.access.set(owner, list.targets) }
  }

  mutating func setAll() {
    for list in lists.values where !list.property.access.has(list.targets, in: list.owner) {
      list.property.access.set(list.owner, list.targets)
    }
    lists.removeAll()
  }
}

extension RelationshipAccess {
  /// Whether a property has these targets already, and at least one.
  package func has(_ targets: [AnyObject], in owner: AnyObject) -> Bool {
    if targets.isEmpty { return false }
    let shown = get(owner)
    if shown.elementsEqual(targets, by: ===) { return true }
    return shape == .set && Set(shown.map(ObjectIdentifier.init)) == Set(targets.map(ObjectIdentifier.init))
  }
}
