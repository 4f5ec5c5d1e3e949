/// Writes an object as its key, if the key has several parts: `{"repository":"swift","number":7}`.
///
/// The parts come from the stored key, so the targets among them are not read.
struct JoinedKey: Sendable {
  let field: Int
  private let isRow: Bool
  private let members: [Member]

  /// A member with a part, or with members that have parts.
  private struct Member {
    let step: JSONKeyPath.Step
    let part: Int?
    let members: [Member]

    init(_ tree: MemberTree, _ parts: [KeyPart]) {
      step = tree.step
      part = parts.firstIndex { part in
        switch part {
        case .attribute(let index): tree.attributes.contains(index)
        case .relationship(let index): tree.relationships.contains(index)
        }
      }
      members = tree.members.map { Member($0, parts) }
    }
  }

  /// Nil for a mapping whose key is one attribute, or that has none.
  init?(of planned: PlannedMapping) {
    guard let field = planned.keyField, !planned.parts.isEmpty else { return nil }
    self.field = field
    isRow = planned.mapping.isRow
    members = MemberTree.members(of: planned.parts, planned.mapping).map { Member($0, planned.parts) }
  }

  /// The key of an object; nil if it has none.
  func key(in row: Row) -> [PrimaryKey]? { row[field].key?.parts }

  func write(_ key: [PrimaryKey], _ output: inout JSONWriter) { write(members, key, isArray: isRow, &output) }

  /// Writes the parts as a reference: an array of them, or a row.
  func writeBare(_ key: [PrimaryKey], _ output: inout JSONWriter) {
    if isRow { return write(key, &output) }
    output.beginArray()
    for part in key { output.key(part) }
    output.endArray()
  }

  /// Recurses over key paths, which plans keep short.
  private func write(
    _ members: [Member], _ key: [PrimaryKey], isArray: Bool, _ output: inout JSONWriter
  ) {
    if isArray { output.beginArray() } else { output.beginObject() }
    var next = 0
    for member in isArray ? members.sorted(by: { $0.step.position < $1.step.position }) : members {
      if case .member(let name) = member.step { output.name(name) }
      while isArray, next < member.step.position {
        output.null()
        next += 1
      }
      next += 1
      if let part = member.part, key.indices.contains(part) {
        output.key(key[part])
      } else {
        let isArray = if case .index? = member.members.first?.step { true } else { false }
        write(member.members, key, isArray: isArray, &output)
      }
    }
    if isArray { output.endArray() } else { output.endObject() }
  }
}

extension JSONKeyPath.Step {
  fileprivate var position: Int { if case .index(let index) = self { index } else { 0 } }
}

extension JSONWriter {
  /// Writes a primary key: an integer, a string, or an array of its parts.
  package mutating func key(_ key: PrimaryKey) {
    if let parts = key.parts {
      beginArray()
      for part in parts { self.key(part) }
      return endArray()
    }
    switch key {
    case .integer(let value): integer(value)
    case .string(let text): string(text)
    }
  }
}
