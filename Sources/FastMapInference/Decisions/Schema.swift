/// The entities of a payload, with their names and keys.
struct Schema {
  let roots: Roots
  private(set) var entities: [Entity] = []
  private var numbers: [Int: Int] = [:]
  private let classes: Classes
  private(set) var notes: [String] = []

  /// - Parameter wishes: By the names of entities: a person's choices of kinds.
  init(_ roots: Roots, wishes: [String: KindChoice.Wish] = [:]) {
    self.roots = roots
    let places = roots.collections.map(\.place) + (roots.document.map { [$0] } ?? [])
    classes = Classes(places)
    // Places are in the order of the payload's trees, which is the order of the roots and of names.
    let groups = classes.groups.values.map(Entity.init)
    entities = groups.sorted { Self.rank($0, places) < Self.rank($1, places) }
    for (index, entity) in entities.enumerated() {
      for place in entity.places { numbers[classes.find(place)] = index }
    }
    nameEntities()
    for entity in entities {
      if let rows = roots.rows { entity.isRow = self.entity(of: rows) === entity }
      let hasOwnersWithKeys = entity.places.allSatisfy { place in
        place.owner.flatMap { self.entity(of: $0) }?.key != nil
      }
      var rules = KeyRules(
        entity, hasOwnersWithKeys: hasOwnersWithKeys, isDocument: entity.places.allSatisfy(isInDocument),
        others: entities.filter { $0 !== entity })
      entity.key = rules.find()
      notes += rules.notes
      explainUnion(entity)
    }
    for entity in entities where mayHaveKinds(entity) {
      var finder = KindFinder(entity, inner: innerMembers(of: entity))
      entity.kinds = finder.find(wishes[entity.name])
      notes += finder.notes
    }
  }

  /// Roots first, then the places nearest to the root.
  private static func rank(_ entity: Entity, _ roots: [Place]) -> (Int, Int, String) {
    let root = roots.firstIndex { root in entity.places.contains { $0 === root } } ?? roots.count
    let depth = entity.places.map { $0.path.utf8.count { $0 == UInt8(ascii: ".") } }.min() ?? 0
    return (root, depth, entity.places.first?.path ?? "")
  }

  /// Whether no object around a place has a key.
  private func isInDocument(_ place: Place) -> Bool {
    var owner = place.owner
    while let next = owner {
      if entity(of: next)?.key != nil { return false }
      owner = next.owner
    }
    return true
  }

  func entity(of place: Place) -> Entity? { numbers[classes.find(place)].map { entities[$0] } }

  // MARK: Kinds

  /// Whether a mapping may choose by a value among mappings of the entity.
  private func mayHaveKinds(_ entity: Entity) -> Bool {
    let collections = roots.collections.filter { self.entity(of: $0.place) === entity }
    let isDocument = roots.document.map { self.entity(of: $0) === entity } ?? false
    let isSimple = entity.places.allSatisfy { place in
      place.owner.map { $0.forms[Array(place.name.utf8)] != .mixed } ?? true
    }
    return isSimple && !entity.isRow && !entity.isValue && !entity.isKeyed && entity.shape.collected == nil
      && collections.count < 2 && !isDocument
      && entity.key.map { !$0.isScoped && !$0.parts.contains("kind") } ?? true
  }

  /// The members with single objects that have no key and are met in no other place.
  private func innerMembers(of entity: Entity) -> [Shape] {
    entity.members.filter { member in
      guard entity.form(of: member.name) == .object, member.collected == nil,
        let place = entity.places.lazy.compactMap({ $0.children[member.name] }).first,
        let target = self.entity(of: place), target !== entity, target.key == nil
      else { return false }
      return target.places.allSatisfy { place in
        place.name == member.label && entity.places.contains { $0 === place.owner }
      }
    }
  }

  private mutating func explainUnion(_ entity: Entity) {
    let paths = entity.places.filter { $0.shape.counts.all > 0 }.map(\.path)
    guard paths.count > 1 else { return }
    let shown =
      paths.prefix(5).joined(separator: ", ") + (paths.count > 5 ? " and \(paths.count - 5) more" : "")
    notes.append("\(entity.name): one entity at \(shown)")
  }

  // MARK: Names

  private func nameEntities() {
    var taken: Set<String> = []
    for (number, entity) in entities.enumerated() {
      if number == 0, roots.isNamed, roots.values == nil {
        entity.name = roots.name
        taken.insert(entity.name.lowercased())
        continue
      }
      let name = Self.clean(Self.bestName(entity))
      // A single letter says too little.
      var candidates = name.count > 1 ? [name] : []
      var owner = entity.places.first?.owner
      while let next = owner {
        if let outer = self.entity(of: next)?.name, !outer.isEmpty {
          candidates.append(Words.joined(outer, name))
        }
        owner = next.owner
      }
      let free = candidates.first { !taken.contains($0.lowercased()) }
      var chosen = free ?? name
      var number = 2
      while taken.contains(chosen.lowercased()) {
        chosen = name + String(number)
        number += 1
      }
      taken.insert(chosen.lowercased())
      entity.name = chosen
    }
  }

  private static func bestName(_ entity: Entity) -> String {
    if let root = entity.places.first(where: { $0.role == .root || $0.owner == nil }) { return root.entity }
    var weights: [String: (places: Int, objects: Int)] = [:]
    for place in entity.places {
      weights[place.entity, default: (0, 0)].places += 1
      weights[place.entity, default: (0, 0)].objects += place.shape.counts.objects
    }
    // `goals1` and `goals2` are two places of goals.
    let stems = Set(entity.places.map { Words($0.name).lastStem })
    if stems.count == 1, weights.count > 1, let stem = stems.first, stem.count > 3 {
      return Words.entity(of: stem)
    }
    let best = weights.min { a, b in
      (b.value.places, b.value.objects, a.key) < (a.value.places, a.value.objects, b.key)
    }
    return best?.key ?? ""
  }

  /// A name that begins with a letter and is not too long.
  private static func clean(_ name: String) -> String {
    let short = String(name.prefix(60))
    guard let first = short.first else { return "Item" }
    return first.isLetter ? short : "Item" + short
  }
}
