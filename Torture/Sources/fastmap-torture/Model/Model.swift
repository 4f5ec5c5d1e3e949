import FastMapCore

/// The expected contents of a store. It implements the documented rules in the simplest way, independently of
/// FastMap.
struct Model: Equatable, Sendable {
  struct Node: Equatable, Sendable {
    /// Attributes that are neither missing nor null.
    var values: [String: Value] = [:]
    var parent: PrimaryKey?
    var friends: [PrimaryKey] = []
    var kids: [PrimaryKey] = []
    var tag: PrimaryKey?
    var tags: [PrimaryKey] = []
    var notes: [Note] = []
    var box: Note?
  }

  /// An owned object without a key: a value in a list, or the box of its owner.
  struct Note: Equatable, Sendable {
    var values: [String: Value] = [:]
    var about: PrimaryKey?
  }

  var nodes: [PrimaryKey: Node] = [:]
  /// The attributes of each tag.
  var tags: [PrimaryKey: [String: Value]] = [:]

  enum Reference: Hashable {
    case node(PrimaryKey)
    case tag(PrimaryKey)
  }

  func has(_ reference: Reference) -> Bool {
    switch reference {
    case .node(let key): nodes[key] != nil
    case .tag(let key): tags[key] != nil
    }
  }

  /// Every reference of a node, with its relationship. The references of its notes count as `notes`.
  static func references(of node: Node) -> [(link: Link, target: Reference)] {
    var all: [(Link, Reference)] = []
    if let parent = node.parent { all.append((.parent, .node(parent))) }
    all += node.friends.map { (.friends, .node($0)) }
    all += node.kids.map { (.kids, .node($0)) }
    if let tag = node.tag { all.append((.tag, .tag(tag))) }
    all += node.tags.map { (.tags, .tag($0)) }
    all += node.notes.compactMap { note in note.about.map { (.notes, .node($0)) } }
    return all
  }

  /// The first difference between two models; nil if they are equal.
  func difference(from expected: Model) -> String? {
    if self == expected { return nil }
    for key in Set(nodes.keys).union(expected.nodes.keys).sorted() where nodes[key] != expected.nodes[key] {
      return "Node \(key) is \(Self.words(nodes[key])), should be \(Self.words(expected.nodes[key]))"
    }
    for key in Set(tags.keys).union(expected.tags.keys).sorted() where tags[key] != expected.tags[key] {
      return "Tag \(key) is \(Self.words(tags[key])), should be \(Self.words(expected.tags[key]))"
    }
    return "different"
  }

  private static func words(_ thing: (some Any)?) -> String {
    guard let thing else { return "not there" }
    let text = String(describing: thing)
    return text.count > 1200 ? text.prefix(1200) + " …" : text
  }
}
