import FastMapCore

/// A member of a payload.
enum Member<Content: Sendable>: Sendable {
  case missing
  case null
  case given(Content)

  var content: Content? {
    if case .given(let content) = self { content } else { nil }
  }
}

/// A node in a payload.
struct PayloadNode: Sendable {
  var key: PrimaryKey
  var name = Member<String>.missing
  var size = Member<Int64>.missing
  var ratio = Member<Double>.missing
  var flag = Member<Bool>.missing
  var parent = Member<PrimaryKey>.missing
  var friends = Member<[PrimaryKey]>.missing
  var kids = Member<[PayloadNode]>.missing
  var tag = Member<PayloadTag>.missing
  var tags = Member<[PayloadTag]>.missing
  var notes = Member<[PayloadNote]>.missing
  var box = Member<PayloadNote>.missing

  init(_ key: PrimaryKey) { self.key = key }
}

struct PayloadTag: Sendable {
  var name: String
  var rank = Member<Int64>.missing
}

/// An object without a key.
struct PayloadNote: Sendable {
  var text = Member<String>.missing
  /// Not for notes in a box.
  var about = Member<PrimaryKey>.missing
}

/// The relationships whose policies vary.
enum Link: Int, CaseIterable {
  case parent, friends, kids, tag, tags, notes, box

  var isToMany: Bool { [.friends, .kids, .tags, .notes].contains(self) }

  /// The mapping of its targets.
  var mapping: String {
    switch self {
    case .parent, .friends: "NodeKey"
    case .kids: "Node"
    case .tag, .tags: "Tag"
    case .notes: "Note"
    case .box: "Box"
    }
  }
}

enum Policy: String, CaseIterable {
  case assign, merge, replace
}

/// The policy of each relationship.
struct Policies: Hashable {
  var list: [Policy]

  init(_ policy: Policy) { list = Link.allCases.map { _ in policy } }

  init(_ random: inout SeededNumbers) {
    list = Link.allCases.map { _ in random.pick(Policy.allCases) }
  }

  subscript(link: Link) -> Policy { list[link.rawValue] }

  var words: String { zip(Link.allCases, list).map { "\($0)=\($1.rawValue)" }.joined(separator: " ") }
}

/// The mappings of the model's objects, for one type of keys.
struct World {
  let hasTextKeys: Bool
  /// Whether a node has one more attribute, `extra`.
  let isWider: Bool
  /// The current names of renamed attributes and relationships of a node in the store.
  private(set) var names: [String: String] = [:]
  /// The names that renamed ones had before.
  private var earlierNames: [String: String] = [:]
  /// The types of attributes of a node that have another one than at first.
  var types: [String: String] = [:] { didSet { plans = [:] } }
  /// Attributes of a node that the mappings omit for now.
  var dropped: Set<String> = []
  private var plans: [Form: Plan] = [:]

  private struct Form: Hashable {
    let policies: Policies
    let dropped: Set<String>
  }

  init(hasTextKeys: Bool, isWider: Bool = false) {
    self.hasTextKeys = hasTextKeys
    self.isWider = isWider
  }

  /// - Parameter isWhole: Whether the plan includes omitted attributes, to read everything stored.
  mutating func plan(_ policies: Policies, isWhole: Bool = false) throws -> Plan {
    let form = Form(policies: policies, dropped: isWhole ? [] : dropped)
    if let plan = plans[form] { return plan }
    let file = mappingFile(policies, without: form.dropped)
    let plan = try MappingSet(file: Array(file.utf8)).plan(for: "Node")
    plans[form] = plan
    return plan
  }

  func stored(_ name: String) -> String { names[name] ?? name }

  mutating func rename(_ name: String, to new: String) {
    earlierNames[name] = stored(name)
    names[name] = new == name ? nil : new
    plans = [:]
  }

  /// The declaration of the name that an attribute or a relationship had before.
  private func was(_ name: String) -> String { earlierNames[name].map { ", \"was\": \"\($0)\"" } ?? "" }

  static let attributes = [("name", "string"), ("size", "integer"), ("ratio", "number"), ("flag", "boolean")]

  private func mappingFile(_ policies: Policies, without dropped: Set<String>) -> String {
    let key = hasTextKeys ? "string" : "integer"
    let attributes = Self.attributes.filter { !dropped.contains($0.0) }.map { name, type in
      ", \"\(stored(name))\": {\"type\": \"\(types[name] ?? type)\", \"keyPath\": \"\(name)\"\(was(name))}"
    }
    let relationships = Link.allCases.map { link in
      let name = "\(link)"
      let many = link.isToMany ? "\"toMany\": true, " : ""
      return "\"\(stored(name))\": {\"mapping\": \"\(link.mapping)\", \"keyPath\": \"\(name)\", \(many)"
        + "\"policy\": \"\(policies[link].rawValue)\"\(was(name))}"
    }
    return """
      {"fastmap": 1, "mappings": {
        "Node": {
          "primaryKey": "id", "indexes": [\(indexes(without: dropped).joined(separator: ", "))],
          "attributes": {"id": "\(key)"\(attributes.joined())\(isWider ? ", \"extra\": \"string\"" : "")},
          "relationships": {\(relationships.joined(separator: ", "))}
        },
        "NodeKey": {
          "entity": "Node", "primaryKey": "id", "attributes": {"id": {"type": "\(key)", "keyPath": null}}
        },
        "Tag": {"primaryKey": "name", "indexes": [{"fields": ["rank", "name"], "unique": true}], "attributes": {"name": "string", "rank": "integer"}},
        "Note": {"attributes": {"text": "string"}, "relationships": {"about": {"mapping": "NodeKey"}}},
        "Box": {"attributes": {"text": "string"}}
      }}
      """
  }

  /// Each kind of change meets an index: of one field and of two, ascending and descending, of a link, and a unique one. The
  /// key keeps that one unique, whatever the payload has.
  private func indexes(without dropped: Set<String>) -> [String] {
    let all: [(fields: [(sign: String, name: String)], isUnique: Bool)] = [
      ([("", "name"), ("-", "size")], false), ([("-", "ratio")], false),
      ([("", "tag"), ("", "flag")], false),
      ([("-", "flag"), ("", "id")], true),
    ]
    return all.filter { !$0.fields.contains { dropped.contains($0.name) } }.map { index in
      let fields = index.fields.map { "\"\($0.sign)\(stored($0.name))\"" }.joined(separator: ", ")
      return index.isUnique ? "{\"fields\": [\(fields)], \"unique\": true}" : "[\(fields)]"
    }
  }
}
