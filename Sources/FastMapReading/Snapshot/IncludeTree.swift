/// The relationships that a read includes, as a tree.
///
///     \.author, \.author.books, \.publisher   →   author ── books
///                                                 publisher
///
/// A depth includes all relationships of some levels, beside the paths.
package struct IncludeTree: Hashable, Sendable {
  package struct Branch: Hashable, Sendable {
    /// Its position among the relationships and inverses of the entity.
    package let position: Int
    package var tree: IncludeTree
  }

  /// The paths.
  package private(set) var branches: [Branch] = []
  /// The number of levels of all relationships, `Int.max` for everything reachable.
  private(set) var depth = 0

  package init() {}

  /// - Parameter paths: Positions, one after the other.
  package init(_ paths: [[Int]]) {
    for path in paths { add(path[...]) }
  }

  /// - Throws: ``ContextError``.
  package init(_ paths: [[AnyKeyPath]], of entity: Int, in plan: Plan) throws(ContextError) {
    self.init(try paths.map { path throws(ContextError) in try plan.positions(of: path, from: entity) })
  }

  /// The paths and the depth of a read from the first mapping of a plan.
  ///
  /// - Throws: ``ContextError``, ``OptionError``.
  init<Object: AnyObject>(
    _ paths: [PartialKeyPath<RelationshipPath<Object>>], depth: Int, in plan: Plan
  ) throws {
    try OptionError.check("depth", depth, atLeast: 0)
    try plan.checkInstances()
    try self.init(paths.map { $0.steps() }, of: plan.mappings[0].entity, in: plan)
    self.depth = depth
  }

  var isEmpty: Bool { depth == 0 && branches.isEmpty }

  /// Whether relationships are followed from an object.
  ///
  /// - Parameter before: The depth that was followed from it.
  func isFollowed(from before: Int) -> Bool { !branches.isEmpty || depth > before }

  /// The relationships of an entity to follow, each with the tree of its targets.
  ///
  /// - Parameter count: The number of relationships and inverses of the entity.
  func followed(among count: Int) -> [Branch] {
    if depth == 0 { return branches }
    return (0..<count).map { position in
      var below = branches.first { $0.position == position }?.tree ?? IncludeTree()
      below.depth = depth == .max ? .max : depth - 1
      return Branch(position: position, tree: below)
    }
  }

  /// Whether a path has more than one step.
  package var isDeep: Bool { branches.contains { !$0.tree.branches.isEmpty } }

  /// Adds the paths of another tree.
  package mutating func join(_ other: IncludeTree) {
    if branches.isEmpty {
      self = other
      return
    }
    for branch in other.branches {
      if let place = branches.firstIndex(where: { $0.position == branch.position }) {
        branches[place].tree.join(branch.tree)
      } else {
        branches.append(branch)
      }
    }
  }

  private mutating func add(_ path: ArraySlice<Int>) {
    guard let position = path.first else { return }
    let place: Int
    if let known = branches.firstIndex(where: { $0.position == position }) {
      place = known
    } else {
      place = branches.count
      branches.append(Branch(position: position, tree: IncludeTree()))
    }
    branches[place].tree.add(path.dropFirst())
  }
}

/// The objects of one level of a read, grouped by the relationships to follow.
struct IncludeLevel {
  /// Objects of one entity with the same relationships to follow.
  struct Step {
    let entity: Int
    let tree: IncludeTree
    var ids: [ObjectID]
  }

  private(set) var steps: [Step] = []

  mutating func append(_ ids: [ObjectID], of entity: Int, _ tree: IncludeTree) {
    if ids.isEmpty || tree.isEmpty { return }
    if let known = steps.firstIndex(where: { $0.entity == entity && $0.tree == tree }) {
      steps[known].ids += ids
    } else {
      steps.append(Step(entity: entity, tree: tree, ids: ids))
    }
  }
}

extension Plan {
  /// The positions of properties among the relationships and inverses of their entities.
  ///
  /// - Throws: ``ContextError``.
  package func positions(of path: [AnyKeyPath], from entity: Int) throws(ContextError) -> [Int] {
    var entity = entity
    var positions: [Int] = []
    for property in path {
      let links = classes[entity].links
      guard let number = link(property, of: entity),
        let position = links.firstIndex(where: { $0.field == number })
      else {
        let layout = schema.entities[entity]
        throw .noRelationship(
          entity: layout.name, property: text(of: property),
          among: links.map { layout.inverse($0.field)?.name ?? layout.fields[$0.field].name })
      }
      positions.append(position)
      entity = links[position].target
    }
    return positions
  }

  /// A property in messages. A key path may have an address or an offset instead of a name.
  private func text(of property: AnyKeyPath) -> String {
    let text = "\(property)"
    return text.hasSuffix(">") ? "the given property of type \(type(of: property).valueType)" : text
  }

  /// The number of the relationship or the inverse that a property is mapped to, by any mapping of the entity.
  private func link(_ property: AnyKeyPath, of entity: Int) -> Int? {
    for planned in mappings where planned.entity == entity {
      let mapping = planned.mapping
      if let index = mapping.relationships.firstIndex(where: { $0.access?.property == property }) {
        return planned.relationshipFields[index]
      }
      if let inverse = mapping.inverses.first(where: { $0.access?.property == property }) {
        return schema.entities[entity].inverseNumber(named: inverse.name)
      }
    }
    return nil
  }
}
