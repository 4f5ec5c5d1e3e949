import FastMapCore

/// The attributes and relationships of a mapping.
struct Fields {
  struct Field {
    var name: String
    var tree: JSONTree
    /// The member that it reads; nil for the name of a member.
    var member: Shape?
  }

  var attributes: [Field] = []
  var relationships: [Field] = []

  var count: Int { attributes.count + relationships.count }

  /// The fields that read some members, and no member.
  func of(_ isWanted: (Shape) -> Bool) -> Fields {
    Fields(
      attributes: attributes.filter { $0.member.map(isWanted) ?? true },
      relationships: relationships.filter { $0.member.map(isWanted) ?? true })
  }
}

extension Draft {
  mutating func makeFields(of entity: Entity) -> Fields {
    var fields = Fields()
    if entity.isValue { return fieldsOfValue(entity) }
    let isRow = schema.roots.rows.map { schema.entity(of: $0) === entity } ?? false
    if let key = entity.key, key.isName, let part = key.single {
      fields.attributes.append(.init(name: part, tree: .string(key.isInteger ? "integer" : "string")))
    }
    var taken = Set(entity.members.map(\.label))
    for (number, member) in entity.members.enumerated() {
      if let inner = entity.key?.inner, inner.columns[0] === member {
        addInner(inner, to: &fields, of: entity, &taken)
      } else {
        add(member, to: &fields, of: entity, at: isRow ? "[\(number)]" : nil, &taken)
      }
    }
    return fields
  }

  /// The members of a single object that has the key of the object around it, at their key paths.
  private mutating func addInner(
    _ candidate: Candidate, to fields: inout Fields, of entity: Entity, _ taken: inout Set<String>
  ) {
    let place = entity.places.lazy.compactMap { $0.children[candidate.columns[0].name] }.first
    guard let place, let target = schema.entity(of: place), let key = entity.key?.single else { return }
    func placed(_ field: Fields.Field) -> Fields.Field {
      var field = field
      let path = field.tree["keyPath"]?.text ?? JSONKeyPath(components: [field.name]).description
      field.tree = Self.object(field.tree)
      field.tree["keyPath"] = .string(JSONKeyPath(components: [place.name]).description + "." + path)
      field.member = candidate.columns[0]
      while !taken.insert(field.name).inserted { field.name = place.name + "_" + field.name }
      return field
    }
    var below = Fields()
    for member in place.shape.members.sorted(by: { ($0.order, $0.label) < ($1.order, $1.label) }) {
      if member === candidate.inner {
        let type = JSONTree.string(entity.key?.isInteger ?? false ? "integer" : "string")
        taken.remove(key)
        fields.attributes.append(
          placed(
            .init(
              name: key,
              tree: .object([
                "type": type, "keyPath": .string(JSONKeyPath(components: [member.label]).description),
              ]))))
      } else {
        add(member, to: &below, of: target, at: nil, &taken)
      }
    }
    fields.attributes += below.attributes.map(placed)
    fields.relationships += below.relationships.map(placed)
  }

  private mutating func fieldsOfValue(_ entity: Entity) -> Fields {
    var fields = Fields()
    let key = entity.key?.single ?? "key"
    fields.attributes.append(
      .init(name: key, tree: .string(entity.key?.isInteger ?? false ? "integer" : "string")))
    let type = FieldType(entity.shape)
    let name = key == "value" ? "content" : "value"
    if let note = type.note { notes.append("\(entity.name).\(name): \(note)") }
    var value = Self.object(type.tree)
    value["keyPath"] = .null
    fields.attributes.append(.init(name: name, tree: value))
    return fields
  }

  private mutating func add(
    _ member: Shape, to fields: inout Fields, of entity: Entity, at path: String?, _ taken: inout Set<String>
  ) {
    let form = member.isCut ? .mixed : entity.form(of: member.name)
    let isKey = entity.key?.parts.contains(member.label) ?? false
    if !isKey, path == nil, !member.name.isEmpty {
      if let link = link(member, form, of: entity) {
        fields.relationships.append(.init(name: member.label, tree: link, member: member))
        return
      }
      let values = form == .scalar ? member : form == .scalars ? member.allScalars : nil
      // A list of references has no place for null.
      if let values, form == .scalar || values.counts.nulls == 0,
        let reference = references.reference(member, values, in: entity)
      {
        add(reference, member, isList: form == .scalars, to: &fields, &taken)
        return
      }
    }
    var type = attributeType(member, form)
    if isKey {
      type = .string(member.counts.integers > 0 ? "integer" : "string")
    } else {
      explain(member, form, of: entity)
    }
    var name = member.label
    if let path {
      type = Self.object(type)
      type["keyPath"] = .string(path)
    } else if name.isEmpty {
      while !taken.insert(name).inserted { name += "_" }
      type = Self.object(type)
      type["keyPath"] = .string("")
    }
    fields.attributes.append(.init(name: name, tree: type, member: member))
  }

  private func attributeType(_ member: Shape, _ form: Form) -> JSONTree {
    if form == .scalar { return FieldType(member).tree }
    guard form == .scalars else { return .string("json") }
    let scalars = member.allScalars
    guard scalars.counts.nulls == 0, let type = FieldType(scalars).tree.text, type != "json" else {
      return .string("json")
    }
    return .list([.string(type)])
  }

  private mutating func explain(_ member: Shape, _ form: Form, of entity: Entity) {
    let place = "\(entity.name).\(member.label): "
    if member.isCut {
      notes.append(place + "json: nested deeper than inference looks")
    } else if form == .scalar {
      if let note = FieldType(member).note { notes.append(place + note) }
    } else if form == .scalars {
      if let note = FieldType(member.allScalars).note { notes.append(place + note) }
    } else if form == .mixed {
      let counts = member.counts
      let isOfOneKind = [counts.scalars, counts.objects, counts.lists].count { $0 > 0 } == 1
      notes.append(
        place + "json: " + (isOfOneKind ? "its values have no common shape" : FieldType.kinds(counts)))
    }
  }

  // MARK: Relationships

  /// The relationship that a member is; nil for an attribute.
  private func link(_ member: Shape, _ form: Form, of entity: Entity) -> JSONTree? {
    let places = entity.places.compactMap { $0.children[member.name] }
    guard let first = places.first, let target = schema.entity(of: first),
      places.allSatisfy({ schema.entity(of: $0) === target })
    else { return nil }
    var tree = JSONTree.object(["mapping": .string(target.name)])
    switch form {
    case .object: break
    case .list: tree["toMany"] = .boolean(true)
    case .keyed, .keyedScalars:
      guard let key = target.key?.single else { return nil }
      tree["toMany"] = .boolean(true)
      tree["keyedBy"] = .string(key)
    case .mixed: return mixedLink(member, target)
    case .nothing, .scalar, .scalars: return nil
    }
    // Objects whose keys are names only are met below names only.
    if form == .object || form == .list, target.key?.isName ?? false { return nil }
    return tree
  }

  /// An object here and its key there.
  private func mixedLink(_ member: Shape, _ target: Entity) -> JSONTree? {
    let counts = member.counts
    guard let key = target.key, key.single != nil, !key.isScoped, !key.isName, counts.lists == 0,
      counts.objects > 0,
      counts.scalars == (key.isInteger ? counts.integers : counts.strings),
      member.text.map({ $0.empties == 0 }) ?? true
    else { return nil }
    return .object(["mapping": .string(target.name)])
  }

  private mutating func add(
    _ reference: References.Reference, _ member: Shape, isList: Bool, to fields: inout Fields,
    _ taken: inout Set<String>
  ) {
    notes.append(reference.note)
    var name = member.label
    let words = Words(name)
    if words.endsLikeKey, let ending = words.all.last {
      var short = String(name.dropLast(ending.count))
      while short.last == "_" || short.last == "-" { short.removeLast() }
      if isList, !short.isEmpty, !short.hasSuffix("s") { short += "s" }
      if !short.isEmpty, taken.insert(short).inserted { name = short }
    }
    var tree = JSONTree.object(["mapping": .string(referenceMapping(of: reference.target))])
    if isList { tree["toMany"] = .boolean(true) }
    if name != member.label { tree["keyPath"] = .string(JSONKeyPath(components: [member.label]).description) }
    fields.relationships.append(.init(name: name, tree: tree, member: member))
  }
}
