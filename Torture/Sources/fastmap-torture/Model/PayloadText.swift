import FastMapCore

/// Writes payloads as JSON. Members have the order of the mapping.
struct PayloadText {
  private var text = ""

  static func json(_ roots: [PayloadNode]) -> String {
    var writer = PayloadText()
    writer.array(roots) { $0.node($1) }
    return writer.text
  }

  private mutating func node(_ node: PayloadNode) {
    text += "{\"id\":"
    key(node.key)
    member("name", node.name) { $0.string($1) }
    member("size", node.size) { $0.text += String($1) }
    member("ratio", node.ratio) { $0.text += String($1) }
    member("flag", node.flag) { $0.text += String($1) }
    member("parent", node.parent) { $0.key($1) }
    member("friends", node.friends) { $0.array($1) { $0.key($1) } }
    member("kids", node.kids) { $0.array($1) { $0.node($1) } }
    member("tag", node.tag) { $0.tag($1) }
    member("tags", node.tags) { $0.array($1) { $0.tag($1) } }
    member("notes", node.notes) { $0.array($1) { $0.note($1) } }
    member("box", node.box) { $0.note($1) }
    text += "}"
  }

  private mutating func tag(_ tag: PayloadTag) {
    text += "{\"name\":"
    string(tag.name)
    member("rank", tag.rank) { $0.text += String($1) }
    text += "}"
  }

  private mutating func note(_ note: PayloadNote) {
    text += "{\"_\":0"  // a member that no mapping reads
    member("text", note.text) { $0.string($1) }
    member("about", note.about) { $0.key($1) }
    text += "}"
  }

  private mutating func member<Content>(
    _ name: String, _ member: Member<Content>, _ write: (inout Self, Content) -> Void
  ) {
    switch member {
    case .missing: return
    case .null: text += ",\"\(name)\":null"
    case .given(let content):
      text += ",\"\(name)\":"
      write(&self, content)
    }
  }

  private mutating func array<Element>(_ elements: [Element], _ write: (inout Self, Element) -> Void) {
    text += "["
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      write(&self, element)
    }
    text += "]"
  }

  private mutating func key(_ key: PrimaryKey) {
    switch key {
    case .integer(let number): text += String(number)
    case .string(let name): string(name)
    }
  }

  private mutating func string(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
