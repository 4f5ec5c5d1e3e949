/// The data that writing objects of one mapping reads from a store: the relationships of each of their sources.
// A class, because a structure would be copied for each object.
final class OutputNeeds {
  /// A relationship that is written.
  struct Link {
    let field: Int
    let isToMany: Bool
    let mapping: Int
    /// The source that the target is, if it is written into its owner; 0 otherwise.
    let source: Int
  }

  /// The relationships of each source.
  let links: [[Link]]
  /// The to-many relationships of each source.
  package let lists: [[Int]]
  /// Whether rows are all that the objects need.
  let isLeaf: Bool

  init(_ layout: OutputLayout, of program: OutputProgram) {
    var links = [[Link]](repeating: [], count: layout.sources.count)
    for (number, source) in layout.sources.enumerated().dropFirst() {
      links[source.parent].append(
        Link(field: source.field, isToMany: source.isToMany, mapping: source.mapping, source: number))
    }
    for step in program.steps[layout.steps] where step.kind == .toOne || step.kind == .toMany {
      links[step.source].append(
        Link(field: step.field, isToMany: step.kind == .toMany, mapping: step.destination, source: 0))
    }
    self.links = links
    lists = links.map { Array(Set($0.filter(\.isToMany).map(\.field))).sorted() }
    isLeaf = links.allSatisfy(\.isEmpty)
  }
}

/// The entities on the paths to objects, as numbers. 0 is the path with none.
struct EntityPaths {
  private struct Step: Hashable {
    var path: Int
    var entity: Int
  }

  private var steps = [Step(path: 0, entity: -1)]
  private var numbers: [Step: Int] = [:]

  /// - Complexity: O(*n*) in the entities of the path.
  func contains(_ entity: Int, in path: Int) -> Bool {
    var path = path
    while path != 0 {
      if steps[path].entity == entity { return true }
      path = steps[path].path
    }
    return false
  }

  mutating func adding(_ entity: Int, to path: Int) -> Int {
    if contains(entity, in: path) { return path }
    let step = Step(path: path, entity: entity)
    if let known = numbers[step] { return known }
    steps.append(step)
    numbers[step] = steps.count - 1
    return steps.count - 1
  }
}
