import FastMapCore

/// The rules of deletions.
extension Model {
  /// Deletes objects, even if others refer to them, and everything that only they had.
  mutating func delete(_ chosen: Set<Reference>, _ policies: Policies) {
    var candidates: Set<Reference> = []
    for reference in chosen {
      switch reference {
      case .tag(let key): tags[key] = nil
      case .node(let key):
        guard let node = nodes.removeValue(forKey: key) else { continue }
        candidates.formUnion(Self.letGo(by: node, policies))
      }
    }
    unlink(chosen)
    sweep(candidates, policies)
  }

  /// Deletes all notes, but not the objects that they refer to.
  mutating func deleteNotes() {
    for key in nodes.keys { nodes[key]?.notes = [] }
  }

  mutating func deleteBoxes() {
    for key in nodes.keys { nodes[key]?.box = nil }
  }

  /// Removes deleted objects from everything that refers to them. The others keep their order.
  private mutating func unlink(_ gone: Set<Reference>) {
    nodes = nodes.mapValues { old in
      var node = old
      if let parent = node.parent, gone.contains(.node(parent)) { node.parent = nil }
      if let tag = node.tag, gone.contains(.tag(tag)) { node.tag = nil }
      node.friends.removeAll { gone.contains(.node($0)) }
      node.kids.removeAll { gone.contains(.node($0)) }
      node.tags.removeAll { gone.contains(.tag($0)) }
      for (index, note) in node.notes.enumerated() {
        if let about = note.about, gone.contains(.node(about)) { node.notes[index].about = nil }
      }
      return node
    }
  }

  /// Deletes removed targets that the payload did not contain and nothing refers to, and then targets of their own.
  mutating func sweep(_ letGo: Set<Reference>, sparing met: Set<Reference> = [], _ policies: Policies) {
    var candidates = letGo.subtracting(met)
    var hasDeleted = true
    while hasDeleted {
      hasDeleted = false
      if candidates.isEmpty { return }
      var referred: Set<Reference> = []
      for node in nodes.values { referred.formUnion(Self.references(of: node).map(\.target)) }
      for candidate in candidates where !referred.contains(candidate) {
        candidates.remove(candidate)
        switch candidate {
        case .tag(let key): hasDeleted = tags.removeValue(forKey: key) != nil || hasDeleted
        case .node(let key):
          guard let node = nodes.removeValue(forKey: key) else { continue }
          hasDeleted = true
          candidates.formUnion(Self.letGo(by: node, policies).subtracting(met))
        }
      }
    }
  }

  /// The objects that may be deleted with a node: the targets of its `replace` relationships.
  private static func letGo(by node: Node, _ policies: Policies) -> Set<Reference> {
    Set(references(of: node).filter { $0.link != .notes && policies[$0.link] == .replace }.map(\.target))
  }

  /// The number of objects of each entity that has any.
  var counts: [String: Int] {
    let all = [
      "Node": nodes.count, "Tag": tags.count,
      "Note": nodes.values.reduce(0) { $0 + $1.notes.count }, "Box": nodes.values.count { $0.box != nil },
    ]
    return all.filter { $0.value > 0 }
  }
}
