import FastMapCore

/// The rules of reads.
extension Model {
  /// A range of keys; nil means no bound.
  struct KeyRange {
    var lower: PrimaryKey?
    var upper: PrimaryKey?
    var isHalfOpen = false

    func contains(_ key: PrimaryKey) -> Bool {
      if let lower, Model.isBefore(key, lower) { return false }
      guard let upper else { return true }
      return Model.isBefore(key, upper) || key == upper && !isHalfOpen
    }
  }

  /// Integers are compared by value, strings by their bytes.
  static func isBefore(_ a: PrimaryKey, _ b: PrimaryKey) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.integer, .string): true
    case (.string, .integer): false
    }
  }

  /// The keys of the nodes in a range, in order.
  func nodeKeys(_ range: KeyRange = .init()) -> [PrimaryKey] {
    nodes.keys.filter(range.contains).sorted(by: Self.isBefore)
  }

  /// The keys of the tags, in order.
  var tagKeys: [PrimaryKey] { tags.keys.sorted(by: Self.isBefore) }

  /// The keys of a node's targets in a relationship; nil for targets without one.
  static func targets(of node: Node, _ link: Link) -> [PrimaryKey?] {
    switch link {
    case .parent: node.parent.map { [$0] } ?? []
    case .friends: node.friends
    case .kids: node.kids
    case .tag: node.tag.map { [$0] } ?? []
    case .tags: node.tags
    case .notes: node.notes.map { _ in nil }
    case .box: node.box.map { _ in [nil] } ?? []
    }
  }
}
