/// The relationships that a read includes, as a tree.
///
///     \.author, \.author.books, \.publisher   →   author ── books
///                                                 publisher
package struct IncludeTree: Hashable, Sendable {
  package struct Branch: Hashable, Sendable {
    /// Its position among the relationships and inverses of the entity.
    package let position: Int
    package var tree: IncludeTree
  }

  package private(set) var branches: [Branch] = []

  package init() {}

  /// - Parameter paths: Positions, one after the other.
  package init(_ paths: [[Int]]) {
    for path in paths { add(path[...]) }
  }

  /// - Throws: ``ContextError``.
  package init(_ paths: [[AnyKeyPath]], of entity: Int, in plan: Plan) throws(ContextError) {
    self.init(try paths.map { path throws(ContextError) in try plan.positions(of: path, from: entity) })
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
