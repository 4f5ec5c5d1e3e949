import FastMapCore

extension Model {
  /// The same model with other keys of nodes.
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
