import FastMapCore

/// A deletion, as the rules say it: what is asked for goes whoever refers to it, and what only its `replace`
/// relationships had goes with it.
extension ModelImport {
  static func delete(_ chosen: Set<Model.Reference>, _ policies: Policies, from model: inout Model) {
    var run = ModelImport(model: model, policies: policies)
    for reference in chosen { run.remove(reference) }
    run.model.forget(chosen)
    run.sweep()
    model = run.model
  }
}

extension Model {
  /// Takes what is gone out of every relationship.
  mutating func forget(_ gone: Set<Reference>) {
    func isThere(_ key: PrimaryKey) -> Bool { !gone.contains(.node(key)) }
    func isTagThere(_ key: PrimaryKey) -> Bool { !gone.contains(.tag(key)) }
    nodes = nodes.mapValues { old in
      var node = old
      node.parent = old.parent.flatMap { isThere($0) ? $0 : nil }
      node.friends = old.friends.filter(isThere)
      node.kids = old.kids.filter(isThere)
      node.tag = old.tag.flatMap { isTagThere($0) ? $0 : nil }
      node.tags = old.tags.filter(isTagThere)
      for index in node.notes.indices {
        node.notes[index].about = node.notes[index].about.flatMap { isThere($0) ? $0 : nil }
      }
      return node
    }
  }

  /// The same with other keys of nodes.
  func withKeys(_ other: (PrimaryKey) -> (key: PrimaryKey, id: Value)) -> Model {
    var model = self
    model.nodes = [:]
    for (key, old) in nodes {
      var node = old
      node.values["id"] = other(key).id
      node.parent = old.parent.map { other($0).key }
      node.friends = old.friends.map { other($0).key }
      node.kids = old.kids.map { other($0).key }
      for index in node.notes.indices {
        node.notes[index].about = old.notes[index].about.map { other($0).key }
      }
      model.nodes[other(key).key] = node
    }
    return model
  }
}
