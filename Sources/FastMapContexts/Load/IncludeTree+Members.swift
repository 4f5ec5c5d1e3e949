extension IncludeTree {
  /// Relationships, joined with the paths that reads include after some objects.
  init(_ paths: [[Int]], joining members: [ContextMember]) {
    self.init(paths)
    for tree in Set(members.lazy.map(\.included)) { join(tree) }
  }
}

extension ContextGraph {
  /// The most relationships of a path. A tree of names may be as deep as the caller likes, and is released by recursion.
  private static let longestPath = 100

  /// The positions of a path of names among the relationships and inverses of their entities: `author.books`.
  ///
  /// As in a key path, a dot of a name is written `\.`.
  ///
  /// - Throws: ``UnknownNameError``, ``ContextError``.
  func positions(of path: String, from entity: Int) throws -> [Int] {
    let names = JSONKeyPath(path).components ?? []
    if names.count > Self.longestPath { throw ContextError.longPath(path) }
    var entity = entity
    return try (names.isEmpty ? [path] : names).map { name in
      let target = try schema.target(of: name, of: entity)
      let links = self[entity].links
      let position = links.firstIndex {
        NameIndex.isSame(self.name(of: $0, entity), name)
      }
      guard let position else {
        throw ContextError.noRelationship(
          entity: schema.entities[entity].name, property: name,
          among: links.map { self.name(of: $0, entity) })
      }
      entity = target
      return position
    }
  }
}
