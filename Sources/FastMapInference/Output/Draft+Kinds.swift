import FastMapCore

/// The mappings of an entity with kinds.
extension Draft {
  static func kinds(of mapping: JSONTree) -> [String] {
    guard let kinds = mapping["kinds"] else { return [] }
    return (kinds["values"]?.members ?? []).compactMap(\.value.text)
      + [kinds["otherwise"]?.text].compactMap(\.self)
  }

  /// Adds a mapping that chooses, and the mappings of its kinds.
  ///
  /// - Returns: Whether the value is a string for the mapping, too.
  mutating func addKinds(_ choice: KindChoice, of entity: Entity) -> Bool {
    let fields = fields(of: entity)
    let isString = fields.attributes.contains { $0.member === choice.member && $0.tree.text == "string" }
    guard isString else { return false }
    notes.append(choice.note)
    let draft = KindDraft(choice, fields, of: entity)
    var added: [JSONTree.Member] = []
    var values: [JSONTree.Member] = []
    for kind in choice.kinds {
      let name = uniqueName(KindNames.mapping(of: kind.value, entity: entity.name), or: entity.name)
      values.append(.init(name: kind.value, value: .string(name)))
      let (fields, inner) = addInner(draft.fields(of: kind), of: kind, named: name)
      added.append(.init(name: name, value: mapping(entity, named: name, nil, fields)))
      added += inner
    }
    let otherwise = uniqueName("Other" + entity.name)
    added.append(.init(name: otherwise, value: mapping(entity, named: otherwise, nil, draft.commonFields)))
    let root = schema.roots.collections.first { schema.entity(of: $0.place) === entity }
    var tree = head(entity, named: entity.name, root)
    tree["kinds"] = .object([
      "keyPath": .string(JSONKeyPath(components: [choice.member.label]).description),
      "values": .object(values), "otherwise": .string(otherwise),
    ])
    if root != nil { roots.append(entity.name) }
    mappings.append(.init(name: entity.name, value: tree))
    mappings += added
    return true
  }

  /// Gives relationships mappings of their own, where a kind's objects have other members in the single object below.
  private mutating func addInner(
    _ fields: Fields, of kind: KindChoice.Kind, named name: String
  ) -> (Fields, [JSONTree.Member]) {
    var (fields, added) = (fields, [JSONTree.Member]())
    for (index, field) in fields.relationships.enumerated() {
      guard let member = field.member, let members = kind.inner[member.nameHash], field.tree["toMany"] == nil,
        let target = schema.entities.first(where: { $0.name == field.tree["mapping"]?.text }),
        target.kinds == nil
      else { continue }
      let all = self.fields(of: target)
      let some = all.of { $0.counts.all == 0 || members.contains($0.nameHash) }
      if some.count == all.count { continue }
      let innerName = uniqueName(Words.joined(name, target.name))
      fields.relationships[index].tree["mapping"] = .string(innerName)
      added.append(.init(name: innerName, value: mapping(target, named: innerName, nil, some)))
    }
    return (fields, added)
  }

  private mutating func uniqueName(_ name: String, or ending: String) -> String {
    names.contains(name) ? uniqueName(name + ending) : uniqueName(name)
  }
}
