internal import CFastMap

/// New instances for comparison. A property with the same value as in a new instance counts as unset.
struct InitialValues {
  private let graph: ContextGraph
  /// By entity and class.
  private var blanks: [Int: [ObjectIdentifier: AnyObject]] = [:]

  init(_ graph: ContextGraph) { self.graph = graph }

  /// Whether the primary key is not set yet: it has no value, or the value of every new instance. `UUID()` is set.
  mutating func hasUnsetKey(_ member: ContextMember) -> Bool {
    let entity = graph[member.entity]
    guard let field = graph.schema.entities[member.entity].keyField,
      let key = entity.properties.first(where: { $0.field == field })
    else { return false }
    return isBlank(key, of: member.instance, entity)
  }

  /// Whether a property has no value, or its initial one.
  mutating func isBlank(
    _ property: ContextEntity.Property, of instance: AnyObject, _ entity: ContextEntity
  ) -> Bool {
    property.isBlank(in: instance, like: blank(entity, instance))
  }

  /// Whether a relationship has no targets, or only targets from the initialiser: new instances with initial values.
  ///
  /// - Complexity: O(*n*) in the objects that the initialiser makes.
  mutating func isBlank(
    _ link: ClassRelationship, of instance: AnyObject, _ entity: ContextEntity
  ) -> Bool {
    if link.access.get(instance).isEmpty { return true }
    let new = blank(entity, instance)
    var open: [(now: AnyObject, blank: AnyObject, entity: Int)] = []
    // Objects of an initialiser may refer to each other, and stand in several places. Equal graphs have them in the
    // same places.
    var met = [ObjectIdentifier(new): ObjectIdentifier(instance)]
    func add(_ link: ClassRelationship, _ instance: AnyObject, _ blank: AnyObject) -> Bool {
      let (now, targets) = (link.access.get(instance), link.access.get(blank))
      guard now.count == targets.count else { return false }
      for (now, target) in zip(now, targets) {
        if let known = met[ObjectIdentifier(target)] {
          if known != ObjectIdentifier(now) { return false }
          continue
        }
        if graph.member(of: now) != nil || graph.inserted.contains(now) { return false }
        met[ObjectIdentifier(target)] = ObjectIdentifier(now)
        open.append((now, target, link.target))
      }
      return true
    }
    guard add(link, instance, new) else { return false }
    while let (now, blank, number) = open.popLast() {
      let entity = graph[number]
      for property in entity.properties where !property.isBlank(in: now, like: blank) { return false }
      for link in entity.links where !add(link, now, blank) { return false }
    }
    return true
  }

  private mutating func blank(_ entity: ContextEntity, _ instance: AnyObject) -> AnyObject {
    let type = ObjectIdentifier(type(of: instance))
    if let known = blanks[entity.number]?[type] { return known }
    let blank = entity.make(like: instance)
    blanks[entity.number, default: [:]][type] = blank
    return blank
  }
}

extension ContextEntity.Property {
  /// Whether it has no value, or its initial one.
  fileprivate func isBlank(in instance: AnyObject, like blank: AnyObject) -> Bool {
    var values = RowBuffer()
    values.reset(count: 2)
    values.set(access, of: instance, at: 0)
    if values.row[0].isMissing { return true }
    values.set(access, of: blank, at: 1)
    return values.slots[0].isIdentical(to: values.slots[1])
  }
}
