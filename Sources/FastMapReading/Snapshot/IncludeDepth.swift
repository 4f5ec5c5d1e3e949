/// The relationships that a read loads around its objects: a tree of them, and all of them for a number of levels.
package struct IncludeDepth: Sendable {
  package let tree: IncludeTree
  let depth: Int
  /// The rule for objects with a value that a property cannot hold.
  let unreadable: UnreadableRule

  /// The objects alone.
  static let none = IncludeDepth(tree: IncludeTree(), depth: 0)

  private init(tree: IncludeTree, depth: Int, unreadable: UnreadableRule = .fail) {
    self.tree = tree
    self.depth = depth
    self.unreadable = unreadable
  }

  /// - Throws: ``ContextError``, ``OptionError``.
  init<Object: AnyObject>(
    _ paths: [PartialKeyPath<RelationshipPath<Object>>], depth: Int, in plan: Plan,
    unreadable: UnreadableRule = .fail
  ) throws {
    try OptionError.check("depth", depth, atLeast: 0)
    self.init(
      tree: paths.isEmpty
        ? IncludeTree() : try IncludeTree(paths.map { $0.steps() }, of: plan.mappings[0].entity, in: plan),
      depth: depth, unreadable: unreadable)
  }
}
