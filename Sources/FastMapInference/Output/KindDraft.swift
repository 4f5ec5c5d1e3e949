import FastMapCore

/// The fields of an entity, divided among its kinds.
struct KindDraft {
  private let choice: KindChoice
  private let fields: Fields
  private let key: [String]

  init(_ choice: KindChoice, _ fields: Fields, of entity: Entity) {
    self.choice = choice
    self.fields = Self.renaming(fields)
    key = entity.key?.parts ?? []
  }

  /// The fields of one kind. A member that is always null is in each kind.
  func fields(of kind: KindChoice.Kind) -> Fields {
    fields.of { isInAll($0) || kind.members.contains($0.nameHash) }
  }

  /// The fields of objects with another value.
  var commonFields: Fields { fields.of { isInAll($0) || choice.common.contains($0.nameHash) } }

  private func isInAll(_ member: Shape) -> Bool {
    member === choice.member || member.counts.all == 0 || key.contains(member.label)
  }

  /// Gives a field with the name of the kind another name.
  private static func renaming(_ fields: Fields) -> Fields {
    var result = fields
    let names = Set((fields.attributes + fields.relationships).map(\.name))
    var name = "kindName"
    while names.contains(name) { name += "_" }
    func renamed(_ field: Fields.Field) -> Fields.Field {
      guard field.name == "kind", let member = field.member else { return field }
      var field = field
      field.name = name
      if case .object = field.tree {} else { field.tree = .object(["type": field.tree]) }
      if field.tree["keyPath"] == nil {
        field.tree["keyPath"] = .string(JSONKeyPath(components: [member.label]).description)
      }
      return field
    }
    result.attributes = fields.attributes.map(renamed)
    result.relationships = fields.relationships.map(renamed)
    return result
  }
}
