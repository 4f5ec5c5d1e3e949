internal import CFastMap

/// The keys of new objects, with all their parts.
///
///     Issue(repository: 5, number: 7)           [5, 7]
///     Order 1.lines[0] = Line(number: 2)        [1, 2]  in the scope Order.lines
struct NewObjectKeys {
  /// A relationship that has a new object in the scope of its owner.
  struct Holder {
    let owner: ContextMember
    let position: Int
    let index: Int
  }

  private let graph: ContextGraph
  private var blanks: InitialValues
  /// The targets of new objects that are parts of keys, by object and field.
  private var parts: [ObjectIdentifier: [Int: ContextMember]] = [:]
  private(set) var holders: [ObjectIdentifier: Holder] = [:]
  /// The first object that two relationships have, and the second one of them.
  private(set) var shared: (object: ContextMember, holder: Holder)?
  /// The known keys of scoped objects. An object of a ring of owners has none.
  private var known: [ObjectIdentifier: PrimaryKey?] = [:]

  init(_ changes: ContextChanges) {
    graph = changes.graph
    blanks = InitialValues(graph)
    let traits = graph.plan.traits
    if traits.partFields.allSatisfy(\.isEmpty) { return }
    for edit in changes.edits + changes.new {
      let (owner, links) = (edit.member, graph[edit.member.entity].links)
      for (position, targets) in edit.links {
        let link = links[position]
        if owner.isNew, traits.isOfKey(link.field, owner.entity) {
          parts[ObjectIdentifier(owner.instance), default: [:]][link.field] = targets.first
        }
        guard traits.isScoped[link.target] else { continue }
        for (index, target) in targets.enumerated() where target.isNew {
          add(Holder(owner: owner, position: position, index: index), of: target)
        }
      }
    }
  }

  private mutating func add(_ holder: Holder, of target: ContextMember) {
    let object = ObjectIdentifier(target.instance)
    guard let first = holders[object] else { return holders[object] = holder }
    let isSame = first.owner === holder.owner && first.position == holder.position
    if !isSame, shared == nil { shared = (target, holder) }
  }

  /// The key of a stored or a new object; nil without one, and as long as it is unset.
  mutating func key(of member: ContextMember) -> PrimaryKey? {
    // A chain of owners may be long.
    var chain: [(member: ContextMember, owner: ContextMember)] = []
    var next = member
    while isScoped(next), known[ObjectIdentifier(next.instance)] == nil,
      let holder = holders[ObjectIdentifier(next.instance)]
    {
      known[ObjectIdentifier(next.instance)] = .some(nil)
      chain.append((next, holder.owner))
      next = holder.owner
    }
    for (member, owner) in chain.reversed() {
      guard let scope = scope(of: member), let first = ownKey(of: owner), let own = ownParts(of: member)
      else {
        continue
      }
      known[ObjectIdentifier(member.instance)] = PrimaryKey(parts: [first] + own, scope: scope)
    }
    return ownKey(of: member)
  }

  private func isScoped(_ member: ContextMember) -> Bool {
    member.isNew && graph.plan.traits.isScoped[member.entity]
  }

  private mutating func ownKey(of member: ContextMember) -> PrimaryKey? {
    if !member.isNew { return graph.key(of: member) }
    if isScoped(member) { return known[ObjectIdentifier(member.instance)] ?? nil }
    if !graph.plan.traits.partFields[member.entity].isEmpty {
      return ownParts(of: member).map { PrimaryKey(parts: $0) }
    }
    return blanks.hasUnsetKey(member) ? nil : graph.key(of: member)
  }

  /// The parts of a new object's key, without its owner's; nil if one is missing, or if all are as in every new instance.
  ///
  /// The mapping keeps the recursion finite: no key is a part of itself.
  mutating func ownParts(of member: ContextMember) -> [PrimaryKey]? {
    var keys: [PrimaryKey] = []
    for field in graph.plan.traits.partFields[member.entity] {
      guard let key = part(field, of: member) else { return nil }
      keys.append(key)
    }
    return unsetParts(of: member) == nil ? keys : nil
  }

  private mutating func part(_ field: Int, of member: ContextMember) -> PrimaryKey? {
    if let access = graph[member.entity].access(of: field) {
      var buffer = RowBuffer()
      buffer.reset(count: 1)
      buffer.set(access, of: member.instance, at: 0)
      return buffer.row[0].key
    }
    return parts[ObjectIdentifier(member.instance)]?[field].flatMap { ownKey(of: $0) }
  }

  /// Whether a key of one attribute is not set yet.
  mutating func hasUnsetKey(_ member: ContextMember) -> Bool { blanks.hasUnsetKey(member) }

  /// The new object whose missing key leaves another one without a key: the object itself, a part or an owner.
  mutating func keylessCause(of member: ContextMember) -> ContextMember {
    var cause = member
    var met: Set<ObjectIdentifier> = []
    while met.insert(ObjectIdentifier(cause.instance)).inserted {
      let object = ObjectIdentifier(cause.instance)
      let part = missingPart(of: cause).flatMap { parts[object]?[$0] }
      guard let next = part ?? holders[object]?.owner, next.isNew, key(of: next) == nil else { break }
      cause = next
    }
    return cause
  }

  mutating func missingPart(of member: ContextMember) -> Int? {
    for field in graph.plan.traits.partFields[member.entity] where part(field, of: member) == nil {
      return field
    }
    return nil
  }

  /// The parts of a key that every new instance has.
  mutating func unsetParts(of member: ContextMember) -> [PrimaryKey]? {
    let entity = graph[member.entity]
    var keys: [PrimaryKey] = []
    for field in graph.plan.traits.partFields[member.entity] {
      guard let property = entity.properties.first(where: { $0.field == field }),
        blanks.isBlank(property, of: member.instance, entity), let key = part(field, of: member)
      else { return nil }
      keys.append(key)
    }
    return keys.isEmpty ? nil : keys
  }

  /// The scope of a new object: `Order.lines`.
  private func scope(of member: ContextMember) -> String? {
    holders[ObjectIdentifier(member.instance)].map { holder in
      graph.plan.scope(graph[holder.owner.entity].links[holder.position].field, of: holder.owner.entity)
    }
  }
}
