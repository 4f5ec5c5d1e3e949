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

/// A node as a payload has it.
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
  /// Not in a box.
  var about = Member<PrimaryKey>.missing
}

/// The relationships whose policies differ from operation to operation.
enum Link: Int, CaseIterable {
  case parent, friends, kids, tag, tags, notes, box
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

/// The mappings of the model's objects, with one kind of keys.
struct World {
  let hasTextKeys: Bool
  /// Whether a node has an attribute more, `extra`.
  let isWider: Bool
  private var plans: [Policies: Plan] = [:]

  init(hasTextKeys: Bool, isWider: Bool = false) {
    self.hasTextKeys = hasTextKeys
    self.isWider = isWider
  }

  mutating func plan(_ policies: Policies) throws -> Plan {
    if let plan = plans[policies] { return plan }
    let file = Self.mappingFile(policies, hasTextKeys: hasTextKeys, isWider: isWider)
    let plan = try MappingSet(file: Array(file.utf8)).plan(for: "Node")
    plans[policies] = plan
    return plan
  }

  static func mappingFile(_ policies: Policies, hasTextKeys: Bool, isWider: Bool = false) -> String {
    let key = hasTextKeys ? "string" : "integer"
    let extra = isWider ? ", \"extra\": \"string\"" : ""
    return """
      {"fastmap": 1, "mappings": {
        "Node": {
          "primaryKey": "id",
          "attributes": {"id": "\(key)", "name": "string", "size": "integer", "ratio": "number", "flag": "boolean"\(extra)},
          "relationships": {
            "parent": {"mapping": "NodeKey", "policy": "\(policies[.parent].rawValue)"},
            "friends": {"mapping": "NodeKey", "toMany": true, "policy": "\(policies[.friends].rawValue)"},
            "kids": {"mapping": "Node", "toMany": true, "policy": "\(policies[.kids].rawValue)"},
            "tag": {"mapping": "Tag", "policy": "\(policies[.tag].rawValue)"},
            "tags": {"mapping": "Tag", "toMany": true, "policy": "\(policies[.tags].rawValue)"},
            "notes": {"mapping": "Note", "toMany": true, "policy": "\(policies[.notes].rawValue)"},
            "box": {"mapping": "Box", "policy": "\(policies[.box].rawValue)"}
          }
        },
        "NodeKey": {
          "entity": "Node", "primaryKey": "id", "attributes": {"id": {"type": "\(key)", "keyPath": null}}
        },
        "Tag": {"primaryKey": "name", "attributes": {"name": "string", "rank": "integer"}},
        "Note": {"attributes": {"text": "string"}, "relationships": {"about": {"mapping": "NodeKey"}}},
        "Box": {"attributes": {"text": "string"}}
      }}
      """
  }
}
