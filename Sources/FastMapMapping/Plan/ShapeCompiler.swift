internal import CFastMap

/// Finds the parts of a representation that a plan reads, so that the reader leaves out the rest.
///
///     Person { id, city<-"address.city", boss: Person }     S = { id, address { city }, boss: S }
///
/// One value may be read in several ways: as the target of two relationships, or by two key paths. A shape
/// stands for all ways in which one value is read; mappings that refer to each other make circles of shapes.
/// Values that Swift looks at are wanted as a whole: JSON that is kept, transforms and lists.
struct ShapeCompiler {
  /// One way in which a value is read.
  enum Use: Hashable {
    /// As an object of a mapping, or as an array of them.
    case mapping(Int)
    /// As the place outside of other objects from which a tree of members begins.
    case outer(Int)
    /// As the value that a step of a key path leads to: its tree, and the places in it, from the outside in.
    case member(Int, [Int])
  }

  let mappings: [PlannedMapping]
  private let compiled: [fastmap_plan_mapping]
  /// The members that mappings read from their objects, by mapping, and then from outside of these.
  private(set) var trees: [[MemberTree]]
  private(set) var owners: [Int]
  /// By mapping, the trees that mappings of inner objects read from its objects.
  private var outerTrees: [[Int]]
  private var documentTrees: [Int] = []
  private let readsTexts: Bool
  /// The number of each shape, by its uses.
  private var numbers = PlaceIndex<Set<Use>>()
  private var shapes: [UnsafeMutablePointer<fastmap_shape>] = []
  /// The shape of a value that is wanted as a whole, with the texts of its numbers.
  private var wholeWithTexts: UnsafePointer<fastmap_shape>?
  /// Shapes that are known and not yet filled.
  private var pending: [(uses: Set<Use>, shape: UnsafeMutablePointer<fastmap_shape>)] = []
  /// Whether the shapes end at other objects: they have the members that a mapping reads of its own object.
  let endsAtObjects: Bool

  /// - Parameter readsTexts: Whether an attribute reads the text of a real.
  init(
    mappings: [PlannedMapping], compiled: [fastmap_plan_mapping], readsTexts: Bool,
    endsAtObjects: Bool = false
  ) {
    self.readsTexts = readsTexts
    self.endsAtObjects = endsAtObjects
    self.mappings = mappings
    self.compiled = compiled
    trees = mappings.map { MemberTree.members(of: $0.mapping, withOwnNames: true) }
    owners = Array(mappings.indices)
    outerTrees = mappings.map { _ in [] }
    for (number, planned) in mappings.enumerated() where !planned.mapping.outerPaths.isEmpty {
      addOuterTrees(of: number)
    }
  }

  private mutating func addOuterTrees(of number: Int) {
    let mapping = mappings[number].mapping
    for origin in mapping.origins {
      let tree = trees.count
      trees.append(MemberTree.members(of: mapping, from: origin))
      owners.append(number)
      switch origin {
      case .parent(let levels):
        var level: Set<Int> = [number]
        for _ in 0..<levels { level = mappings.owners(of: level) }
        for owner in level { outerTrees[owner].append(tree) }
      case .root: documentTrees.append(tree)
      case .object, .context: break
      }
    }
  }

  /// The shape of a document whose values beside the root objects are read; nil where none is.
  package mutating func documentShape(_ arena: inout fastmap_arena) -> UnsafePointer<fastmap_shape>? {
    if documentTrees.isEmpty { return nil }
    let shape = self.shape(of: Set(documentTrees.map { .outer($0) }), &arena)
    while let next = pending.popLast() { fill(next.shape, next.uses, &arena) }
    return shape
  }

  /// The shape of an object that one of some mappings reads, in memory of the arena; nil where everything is wanted.
  package mutating func shape(ofRoots mappings: [Int], _ arena: inout fastmap_arena) -> UnsafePointer<
    fastmap_shape
  >? {
    var uses: Set<Use> = []
    for mapping in mappings { add(.mapping(mapping), to: &uses) }
    let shape = self.shape(of: uses, &arena)
    // Not by recursion: mappings may follow each other without end.
    while let next = pending.popLast(), shapes.count <= mostShapes { fill(next.shape, next.uses, &arena) }
    return shapes.count > mostShapes ? nil : shape
  }

  /// Adds a use, and further uses of the same value that it brings along.
  private func add(_ use: Use, to uses: inout Set<Use>) {
    var waiting = [use]
    while let use = waiting.popLast() {
      guard uses.insert(use).inserted else { continue }
      switch use {
      case .mapping(let number):
        let mapping = mappings[number]
        for (index, relationship) in mapping.mapping.relationships.enumerated()
        where relationship.keyPath.isWhole {
          waiting.append(.mapping(mapping.destinations[index]))
        }
        if let kinds = mapping.kinds, !kinds.isKind, !endsAtObjects {
          waiting += kinds.all.map { .mapping($0) }
        }
        waiting += outerTrees[number].map { .outer($0) }
      case .outer: break
      case .member(let root, _):
        guard !endsAtObjects, let tree = tree(of: use) else { continue }
        for index in tree.relationships where !compiled[owners[root]].relationships[index].keyed {
          waiting.append(.mapping(mappings[owners[root]].destinations[index]))
        }
      }
    }
  }

  /// The targets of a place whose value has them as its members.
  private func keyedTargets(_ use: Use) -> [Int] {
    guard case .member(let root, _) = use, let tree = tree(of: use) else { return [] }
    let number = owners[root]
    return tree.relationships.filter { compiled[number].relationships[$0].keyed }
      .map { mappings[number].destinations[$0] }
  }

  func tree(of use: Use) -> MemberTree? {
    guard case .member(let number, let places) = use, let first = places.first else { return nil }
    return places.dropFirst().reduce(trees[number][first]) { $0.members[$1] }
  }

  private func isWhole(_ use: Use) -> Bool {
    switch use {
    case .mapping(let number):
      let attributes = mappings[number].mapping.attributes
      let key = mappings[number].key
      // Beside a whole attribute, other members count: an object without any may be a reference.
      return attributes.indices.contains {
        attributes[$0].keyPath.isWhole && !attributes[$0].isRest
          && ($0 != key || isWhole(attribute: $0, of: number))
      }
    case .outer: return false
    case .member(let root, _):
      let number = owners[root]
      guard let tree = tree(of: use) else { return true }
      if endsAtObjects, !tree.relationships.isEmpty || tree.members.isEmpty { return true }
      return tree.attributes.contains { isWhole(attribute: $0, of: number) }
    }
  }

  private func isWhole(attribute: Int, of mapping: Int) -> Bool {
    let attribute = compiled[mapping].attributes[attribute]
    return Int(attribute.type) == FASTMAP_TYPE_NODE || Int(attribute.flags) & FASTMAP_ATTRIBUTE_CHECKED != 0
  }

  /// Whether a real that is read in some way is read by its text.
  private func keepsReals(_ use: Use) -> Bool {
    switch use {
    case .mapping(let number):
      let mapping = mappings[number]
      return mapping.mapping.attributes.indices.contains { index in
        let isWhole = mapping.mapping.attributes[index].keyPath.isWhole
        return (compiled[number].attributes[index].isOfKey || isWhole)
          && keepsReals(attribute: index, of: number)
      }
    case .outer: return false
    case .member(let root, _):
      return tree(of: use)?.attributes.contains { keepsReals(attribute: $0, of: owners[root]) } ?? false
    }
  }

  private func keepsReals(attribute: Int, of mapping: Int) -> Bool {
    let planned = mappings[mapping]
    return planned.transforms[attribute] == nil && planned.mapping.attributes[attribute].readsTextOfReals
  }

  /// Whether objects are part of a value that is wanted as a whole. Any of their attributes may read a text.
  private func hasObjects(_ use: Use) -> Bool {
    if case .mapping = use { true } else { tree(of: use)?.relationships.isEmpty == false }
  }

  private mutating func wholeShape(
    of uses: Set<Use>, _ arena: inout fastmap_arena
  ) -> UnsafePointer<fastmap_shape>? {
    guard readsTexts, uses.contains(where: { keepsReals($0) || hasObjects($0) }) else { return nil }
    return shapeWithTexts(&arena)
  }

  private mutating func shapeWithTexts(_ arena: inout fastmap_arena) -> UnsafePointer<fastmap_shape> {
    if let wholeWithTexts { return wholeWithTexts }
    let places = arena.copy([UInt32](repeating: 0, count: 4))
    let shape = arena.copy([fastmap_shape()])
    shape.pointee = fastmap_shape(
      member_count: 0, members: nil, places: places, place_count: 4, keeps_reals: true, is_whole: true,
      tells_empty: false, elements: shape, others: shape, title: nil, ignored_count: 0, ignored: nil)
    wholeWithTexts = UnsafePointer(shape)
    return UnsafePointer(shape)
  }

  /// Whether `{}` is an empty list where any other object is one target.
  private func tellsEmpty(_ use: Use) -> Bool {
    guard case .member(let root, _) = use else { return false }
    return tree(of: use)?.relationships.contains {
      let relationship = compiled[owners[root]].relationships[$0]
      return relationship.lenient && relationship.to_many
    } ?? false
  }

  /// The steps inwards of a value, and the use that each is.
  private func inner(_ use: Use) -> [(step: JSONKeyPath.Step, use: Use)] {
    switch use {
    case .mapping(let tree), .outer(let tree):
      trees[tree].enumerated().map { ($1.step, .member(tree, [$0])) }
    case .member(let number, let places):
      (tree(of: use)?.members ?? []).enumerated().map { ($1.step, .member(number, places + [$0])) }
    }
  }

  /// The shape of a value that is read in some ways, which may be filled later; nil where all of it is wanted.
  private mutating func shape(
    of uses: Set<Use>, _ arena: inout fastmap_arena
  ) -> UnsafePointer<fastmap_shape>? {
    if let known = numbers[uses] { return UnsafePointer(shapes[known]) }
    guard shapes.count <= mostShapes else { return nil }
    if uses.contains(where: isWhole) { return wholeShape(of: uses, &arena) }
    let shape = arena.copy([fastmap_shape()])
    _ = numbers.place(of: uses)
    shapes.append(shape)
    pending.append((uses, shape))
    return UnsafePointer(shape)
  }

  private mutating func fill(
    _ shape: UnsafeMutablePointer<fastmap_shape>, _ uses: Set<Use>, _ arena: inout fastmap_arena
  ) {
    var names = PlaceIndex<ByteName>()
    var members: [(name: String, uses: Set<Use>)] = []
    var elements: Set<Use> = []
    let keyed = Set(uses.flatMap(keyedTargets))
    let rests = uses.compactMap(restLevel)
    for use in uses {
      if case .mapping(let number) = use {
        add(use, to: &elements)
        // An array may be a key, and its elements may be targets.
        for case .relationship(let index) in mappings[number].parts {
          add(.mapping(mappings[number].destinations[index]), to: &elements)
        }
      }
      for (step, inner) in inner(use) {
        if case .member(let name) = step {
          let place = names.place(of: ByteName(name))
          if place == members.count { members.append((name, [])) }
          add(inner, to: &members[place].uses)
        } else {
          add(inner, to: &elements)
        }
      }
    }
    // Members without a name here: targets, or parts of a rest, which has all that its own mapping does not read.
    var targets: Set<Use> = []
    for target in keyed { add(.mapping(target), to: &targets) }
    let hasRest = !rests.isEmpty || isIgnoredByKind(uses)
    let others =
      hasRest
      ? (readsTexts ? shapeWithTexts(&arena) : nil) : keyed.isEmpty ? nil : self.shape(of: targets, &arena)
    let compiled = members.map { name, uses in
      let isOfRest = rests.contains { $0.members[Array(name.utf8)] == nil }
      let inner = isOfRest ? others : self.shape(of: uses.union(targets), &arena)
      return fastmap_shape_member(
        name: arena.copy(text: name), length: UInt32(name.utf8.count), shape: inner)
    }
    var placeCount = 4
    while placeCount < compiled.count * 2 { placeCount *= 2 }
    let places = arena.copy([UInt32](repeating: 0, count: placeCount))
    let list = arena.copy(compiled)
    fastmap_shape_settle(places, UInt32(placeCount), list, UInt32(compiled.count))
    let inner = self.shape(of: elements, &arena)
    let isWhole = hasRest || !keyed.isEmpty
    let title = isWhole ? nil : title(of: uses)
    let ignored = title == nil ? [] : ignoredMembers(uses)
    shape.pointee = fastmap_shape(
      member_count: UInt32(compiled.count), members: list, places: places, place_count: UInt32(placeCount),
      keeps_reals: uses.contains(where: keepsReals), is_whole: isWhole,
      tells_empty: uses.contains(where: tellsEmpty),
      elements: inner, others: others, title: title.map { UnsafePointer(arena.copy(text: $0)) },
      ignored_count: UInt32(ignored.count),
      ignored: arena.copy(
        ignored.map {
          fastmap_shape_member(name: arena.copy(text: $0), length: UInt32($0.utf8.count), shape: nil)
        }))
  }
}

/// A plan that needs more is read as a whole.
private let mostShapes = 1000

extension [PlannedMapping] {
  /// The mappings with a relationship to one of some mappings.
  fileprivate func owners(of numbers: Set<Int>) -> Set<Int> {
    let reached = indices.filter {
      numbers.contains($0) || self[$0].kinds.map { !$0.isKind && !numbers.isDisjoint(with: $0.all) } ?? false
    }
    let wanted = Set(reached)
    return Set(indices.filter { !wanted.isDisjoint(with: self[$0].destinations) })
  }
}

extension fastmap_plan_attribute {
  fileprivate var isOfKey: Bool { Int(flags) & FASTMAP_ATTRIBUTE_KEY != 0 }
}
