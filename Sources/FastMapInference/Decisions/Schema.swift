/// The entities of a payload, with their names and keys.
struct Schema {
  let roots: Roots
  private(set) var entities: [Entity] = []
  private var numbers: [Int: Int] = [:]
  private let classes: Classes
  private(set) var notes: [String] = []

  init(_ roots: Roots) {
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
    let lists = listedStrings()
    for entity in entities {
      if let rows = roots.rows { entity.isRow = self.entity(of: rows) === entity }
      let hasOwnersWithKeys = entity.places.allSatisfy { place in
        place.owner.flatMap { self.entity(of: $0) }?.key.map { !$0.isScoped } ?? false
      }
      var finder = KeyFinder(entity, hasOwnersWithKeys: hasOwnersWithKeys, lists: lists)
      entity.key = finder.find()
      notes += finder.notes
      noteUnion(entity)
    }
  }

  /// Roots first, then the places nearest to the root.
  private static func rank(_ entity: Entity, _ roots: [Place]) -> (Int, Int, String) {
    let root = roots.firstIndex { root in entity.places.contains { $0 === root } } ?? roots.count
    let depth = entity.places.map { $0.path.utf8.count { $0 == UInt8(ascii: ".") } }.min() ?? 0
    return (root, depth, entity.places.first?.path ?? "")
  }

  /// The most lists that are compared with keys.
  private static let mostLists = 16

  /// The strings of the first lists with enough different ones.
  private func listedStrings() -> [ValueSketch] {
    let members = entities.lazy.flatMap { entity in
      entity.members.lazy.filter { entity.form(of: $0.name) == .scalars }
    }
    let sketches = members.compactMap { member -> ValueSketch? in
      let scalars = member.allScalars
      guard scalars.counts.strings == scalars.counts.all, let values = scalars.values, values.isExact,
        values.distinct >= References.fewestIncluded
      else { return nil }
      return values
    }
    return Array(sketches.prefix(Self.mostLists))
  }

  func entity(of place: Place) -> Entity? { numbers[classes.find(place)].map { entities[$0] } }

  private mutating func noteUnion(_ entity: Entity) {
    let paths = entity.places.filter { $0.shape.counts.all > 0 }.map(\.path)
    guard paths.count > 1 else { return }
    let shown =
      paths.prefix(5).joined(separator: ", ") + (paths.count > 5 ? " and \(paths.count - 5) more" : "")
    notes.append("\(entity.name): one entity at \(shown)")
  }

  // MARK: Names

  private func nameEntities() {
    var taken: Set<String> = []
    for entity in entities {
      let name = Self.clean(Self.bestName(entity))
      var candidates = [name]
      if let owner = entity.places.first?.owner, let ownerName = self.entity(of: owner)?.name,
        !ownerName.isEmpty
      {
        candidates.append(ownerName + name)
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
    if stems.count == 1, weights.count > 1, let stem = stems.first, !stem.isEmpty {
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
