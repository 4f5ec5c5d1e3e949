/// A JSON value whose members have an order.
package indirect enum JSONTree: Equatable, Sendable {
  case null
  case boolean(Bool)
  /// As written.
  case number(String)
  case string(String)
  case list([JSONTree])
  case object([Member])

  package struct Member: Equatable, Sendable {
    package let name: String
    package var value: JSONTree

    package init(name: String, value: JSONTree) { (self.name, self.value) = (name, value) }
  }

  /// Reads a text with one value, for small files.
  ///
  /// - Throws: ``JSONSyntaxError``, also for two members of an object with one name.
  package init(parsing json: some JSONSource & ~Escapable) throws(JSONSyntaxError) {
    self = try json.withJSON { bytes in
      Result { () throws(JSONSyntaxError) in
        let document = try JSONDocument(parsing: bytes, rejectsDuplicates: true, keepsReals: true)
        return document.withRoot { JSONTree(JSONValue($0, document.bigIntegers)) }
      }
    }.get()
  }

  private init(_ value: JSONValue) {
    self =
      switch value.kind {
      case .null: .null
      case .boolean: .boolean(value.boolean ?? false)
      case .integer, .number: .number(value.keptText)
      case .string: .string(value.string ?? "")
      case .array: .list((value.elements ?? []).map { JSONTree($0) })
      case .object: .object((value.members ?? []).map { Member(name: $0.name, value: JSONTree($0.value)) })
      }
  }

  package static func object(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  package subscript(name: String) -> JSONTree? {
    get { members.first { $0.name == name }?.value }
    set {
      var all = members
      if let index = all.firstIndex(where: { $0.name == name }) {
        if let newValue { all[index].value = newValue } else { all.remove(at: index) }
      } else if let newValue {
        all.append(Member(name: name, value: newValue))
      }
      self = .object(all)
    }
  }

  package var members: [Member] { if case .object(let members) = self { members } else { [] } }
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// Whether a mapping of a mapping file has a primary key.
  package func hasKey(_ mapping: String) -> Bool { self["mappings"]?[mapping]?["primaryKey"] != nil }

  // MARK: Text

  /// The text of a mapping file: fields stand on lines of their own.
  package var fileText: String {
    var text = ""
    write(to: &text, indent: 0, isOpen: true)
    return text + "\n"
  }

  /// The text in one line.
  package var line: String {
    var text = ""
    write(to: &text, indent: 0, isOpen: false)
    return text
  }

  private func write(to text: inout String, indent: Int, isOpen: Bool) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let value): Self.write(value, to: &text)
    case .list(let elements):
      text += "["
      for (number, element) in elements.enumerated() {
        if number > 0 { text += ", " }
        element.write(to: &text, indent: indent, isOpen: false)
      }
      text += "]"
    case .object(let members):
      // A mapping, its attributes and relationships are open; a field is one line.
      let isOpen = isOpen && indent < 4 && !members.isEmpty
      text += "{"
      for (number, member) in members.enumerated() {
        if isOpen { text += (number > 0 ? "," : "") + "\n" + String(repeating: "  ", count: indent + 1) }
        if !isOpen, number > 0 { text += ", " }
        Self.write(member.name, to: &text)
        text += ": "
        member.value.write(to: &text, indent: indent + 1, isOpen: isOpen)
      }
      if isOpen { text += "\n" + String(repeating: "  ", count: indent) }
      text += "}"
    }
  }

  private static func write(_ value: String, to text: inout String) {
    var writer = JSONWriter()
    writer.string(value)
    text += String(decoding: writer.bytes, as: UTF8.self)
  }
}
