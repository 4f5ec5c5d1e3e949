package import CFastMap

/// A plan in the form that the walk runs: C structures, made once and never changed.
// @unchecked: nothing writes to the memory after init.
package final class CompiledPlan: @unchecked Sendable {
  package let pointer: UnsafePointer<fastmap_plan>
  /// The parts of a root object that the plan reads; nil for all of it.
  package let shape: UnsafePointer<fastmap_shape>?
  /// The parts of a document that the plan reads beside its root objects; nil for none.
  package let documentShape: UnsafePointer<fastmap_shape>?
  /// Whether the text of a real counts: for JSON that is kept, and for lenient strings and integers.
  package let keepsReals: Bool
  /// By entity, the attributes with a default. The memory of the slots is the plan's.
  package let defaults: [[DefaultSlot]]
  /// The members that single mappings read, for imports that ask.
  let known = CompiledOnce<KnownMembers>()
  private var arena = fastmap_arena()

  init(mappings: [PlannedMapping], schema: Schema, traits: FieldTraits, keyedRoot: Int?) {
    var arena = fastmap_arena()
    var markCount: UInt32 = 0
    let isRow = mappings.map(\.mapping.isRow)
    let targets = mappings.map { TargetShapes(of: $0.mapping) }
    let isArray = mappings.indices.map {
      isRow[$0] || !mappings[$0].parts.isEmpty && !mappings[$0].mapping.isScoped
    }
    let compiled = mappings.indices.map { number in
      let planned = mappings[number]
      var mapping = CompiledPlan.compile(
        planned, mappings, fieldCount: schema.entities[planned.entity].fields.count, isRow: isRow[number],
        rows: planned.destinations.map { isArray[$0] }, targets, traits, &arena)
      if let kinds = planned.kinds { mapping.add(kinds, of: number, mappings, traits, &arena) }
      mapping.deletion = CompiledPlan.deletion(of: planned.mapping, &arena)
      mapping.first_mark = markCount
      markCount += mapping.attribute_count + mapping.relationship_count + 1
      return mapping
    }
    let plan = fastmap_plan(
      mapping_count: UInt32(compiled.count), entity_count: UInt32(schema.entities.count),
      mark_count: markCount, mappings: arena.copy(compiled))
    pointer = UnsafePointer(arena.copy([plan]))
    keepsReals = mappings.contains { planned in
      zip(planned.mapping.attributes, planned.transforms).contains { $0.readsTextOfReals && $1 == nil }
    }
    var shapes = ShapeCompiler(mappings: mappings, compiled: compiled, readsTexts: keepsReals)
    shape = shapes.shape(ofRoots: [0] + (keyedRoot.map { [$0] } ?? []), &arena)
    documentShape = shapes.documentShape(&arena)
    defaults = schema.entities.map { entity in
      entity.fields.enumerated().compactMap { field, mapped in
        mapped.defaultValue.map { DefaultSlot(field: field, slot: arena.copy($0)) }
      }
    }
    self.arena = arena
  }

  deinit { fastmap_arena_free(&arena) }

  private static func compile(
    _ planned: PlannedMapping, _ mappings: [PlannedMapping], fieldCount: Int, isRow: Bool, rows: [Bool],
    _ targets: [TargetShapes], _ traits: FieldTraits,
    _ arena: inout fastmap_arena
  ) -> fastmap_plan_mapping {
    let mapping = planned.mapping
    let attributes = mapping.attributes.indices.map { index in
      compile(
        mapping.attributes[index], planned.transforms[index], field: planned.attributeFields[index],
        isOfKey: index == planned.key || planned.parts.contains { $0.isAttribute(index) }, &arena)
    }
    let relationships = mapping.relationships.indices.map { index in
      let relationship = mapping.relationships[index]
      let isOfElements =
        relationship.isToMany && mappings[planned.destinations[index]].mapping.primaryKey == nil
      let scope =
        mappings[planned.destinations[index]].mapping.isScoped
        ? Plan.scope(entity: mapping.entity, relationship: relationship.name) : nil
      return fastmap_plan_relationship(
        field: UInt32(planned.relationshipFields[index]), destination: UInt32(planned.destinations[index]),
        policy: relationship.policy.update.code, to_many: relationship.isToMany, weak: relationship.isWeak,
        whole: relationship.keyPath.isWhole, each: relationship.keyPath.isEach,
        lenient: relationship.isLenient && !relationship.keyPath.isWhole && !relationship.keyPath.isEach,
        rows: rows[index], keyed: relationship.keyedBy != nil,
        looks_again: traits.isWeak(planned.relationshipFields[index], of: planned.entity),
        is_custom: relationship.policy.custom != nil && !isOfElements,
        scope: scope.map { UnsafePointer(arena.copy(text: $0)) },
        scope_length: UInt32(scope?.utf8.count ?? 0),
        owns_keyless: traits.ownsKeyless(planned.relationshipFields[index], of: planned.entity))
    }
    let whole = mapping.attributes.indices.filter {
      mapping.attributes[$0].keyPath.isWhole && mapping.attributes[$0].hasPlace
    }
    let wholeRelationships = mapping.relationships.indices.filter {
      mapping.relationships[$0].keyPath.isWhole
    }
    let tree = MemberTree.tree(of: mapping)
    let members = tree.members
    let turns = Turns(mapping: mapping, destinations: planned.destinations, targets: targets)
    let shapes = mapping.turns(of: tree, to: planned.destinations, targets).map { shapes in
      let readers = readers(of: tree, shapes, turns, &arena)
      return arena.copy([
        fastmap_plan_member(
          step: UInt8(FASTMAP_STEP_NONE), element: 0, name: nil, length: 0, use_count: 0, uses: nil,
          member_count: UInt32(readers.count), members: arena.copy(readers))
      ])
    }
    let keyPath =
      planned.parts.isEmpty ? planned.key.map { MemberTree.members(of: [.attribute($0)], mapping) } ?? [] : []
    let parts = planned.parts.map { part in
      let path = MemberTree.members(of: [part], mapping)
      let (isRelationship, index) =
        switch part {
        case .attribute(let index): (false, index)
        case .relationship(let index): (true, index)
        }
      return fastmap_plan_part(
        is_relationship: isRelationship, index: UInt32(index),
        path: path.isEmpty ? nil : compile(path, &arena))
    }
    let outers = outers(of: mapping, &arena)
    let owns = owns(of: mapping, &arena)
    return fastmap_plan_mapping(
      entity: UInt32(planned.entity), field_count: UInt32(fieldCount),
      attribute_count: UInt32(attributes.count), relationship_count: UInt32(relationships.count),
      key_attribute: planned.key.map(Int32.init) ?? -1,
      part_count: UInt32(parts.count), parts: arena.copy(parts), is_scoped: mapping.isScoped,
      rest_attribute: planned.rest.map { Int32($0.attribute) } ?? -1,
      named_attribute: planned.named.map(Int32.init) ?? -1,
      named_is_integer: planned.named.map { mapping.attributes[$0].type == .integer } ?? false,
      keyless: mapping.missingPrimaryKey.code,
      key_only: planned.key != nil && attributes.count == 1 && relationships.isEmpty,
      has_whole_attributes: !whole.isEmpty, is_row: isRow,
      attributes: arena.copy(attributes), relationships: arena.copy(relationships),
      key_path: keyPath.isEmpty ? nil : compile(keyPath, &arena), whole_count: UInt32(whole.count),
      whole: arena.copy(whole.map(UInt32.init)), shapes: shapes ?? nil,
      member_count: UInt32(members.count),
      members: compile(members, turns: turns, &arena),
      whole_relationship_count: UInt32(wholeRelationships.count),
      whole_relationships: arena.copy(wholeRelationships.map(UInt32.init)),
      outer_count: UInt32(outers.count), outers: arena.copy(outers),
      own_count: UInt32(owns.count), owns: arena.copy(owns), kinds: nil, is_kind: false,
      blank: nil, deletion: nil, first_mark: 0)
  }

  private static func compile(
    _ attribute: AttributeDefinition, _ transform: AnyTransform?, field: Int, isOfKey: Bool,
    _ arena: inout fastmap_arena
  ) -> fastmap_plan_attribute {
    let rules = attribute.rules
    let isReadInSwift = transform != nil || rules.reading != nil
    let codes = isReadInSwift ? [(FASTMAP_TYPE_NODE, nil)] : attribute.type.codes
    var flags = isOfKey ? FASTMAP_ATTRIBUTE_KEY : 0
    if rules.range != nil { flags |= FASTMAP_ATTRIBUTE_RANGED }
    if rules.isLenient, transform == nil { flags |= FASTMAP_ATTRIBUTE_LENIENT }
    if rules.keepsOnNull { flags |= FASTMAP_ATTRIBUTE_KEEPS }
    if transform?.readsNull ?? false { flags |= FASTMAP_ATTRIBUTE_READS_NULL }
    if rules.misfit != nil { flags |= FASTMAP_ATTRIBUTE_CHECKED }
    if rules.isFloat { flags |= FASTMAP_ATTRIBUTE_FLOAT }
    if rules.takesUnsigned { flags |= FASTMAP_ATTRIBUTE_UNSIGNED }
    let compiled = codes.map { code, pattern in
      fastmap_plan_attribute(
        field: UInt32(field), type: UInt8(code), flags: UInt8(flags), least: rules.range?.lowerBound ?? .min,
        greatest: rules.range?.upperBound ?? .max, pattern: pattern.map { arena.copy(text: $0) },
        pattern_length: UInt32(pattern?.utf8.count ?? 0), otherwise: nil)
    }
    // The last form first, as each points to the next one to try.
    return compiled.reversed().reduce(nil) { otherwise, form in
      var form = form
      form.otherwise = otherwise.map { UnsafePointer(arena.copy([$0])) }
      return form
    } ?? fastmap_plan_attribute()
  }

  static func compile(
    _ members: [MemberTree], turns: Turns? = nil, _ arena: inout fastmap_arena
  ) -> UnsafePointer<fastmap_plan_member>? {
    let compiled = members.map { member in
      let turns = member.step == .each ? nil : turns
      let readers = turns.flatMap { turns in
        turns.shapes(of: member).map { CompiledPlan.readers(of: member, $0, turns, &arena) }
      }
      let uses =
        member.attributes.map { fastmap_plan_use(is_relationship: false, index: UInt32($0)) }
        + member.relationships.map { fastmap_plan_use(is_relationship: true, index: UInt32($0)) }
      let (name, kind, index) =
        switch member.step {
        case .member(let name): (name, FASTMAP_STEP_MEMBER, 0)
        case .index(let index): ("", FASTMAP_STEP_INDEX, index)
        case .each: ("", FASTMAP_STEP_EACH, 0)
        }
      return fastmap_plan_member(
        step: UInt8(kind), element: index, name: arena.copy(text: name),
        length: UInt32(name.utf8.count), use_count: readers == nil ? UInt32(uses.count) : 0,
        uses: arena.copy(uses), member_count: UInt32(readers?.count ?? member.members.count),
        members: readers.map { UnsafePointer(arena.copy($0)) }
          ?? compile(member.members, turns: turns, &arena))
    }
    return UnsafePointer(arena.copy(compiled))
  }
}

extension AttributeDefinition {
  /// Whether it reads a real by its text. The real may be an element of a list.
  var readsTextOfReals: Bool {
    if keepsTextOfReals { return true }
    guard rules.isLenient else { return false }
    return type == .integer || type == .string || rules.writeElements != nil
  }
}

/// The default of an attribute.
package struct DefaultSlot {
  package let field: Int
  package let slot: fastmap_slot
}

extension fastmap_arena {
  /// Copies a value into the arena's memory.
  package mutating func copy(_ value: Value) -> fastmap_slot {
    var slot = fastmap_slot()
    var writer = FieldWriter(&slot, &self)
    writer.set(value)
    precondition(writer.isWhole, "no memory for a plan")
    return slot
  }

  /// Copies elements into the arena's memory, where they stay until it is freed.
  package mutating func copy<T>(_ elements: [T]) -> UnsafeMutablePointer<T> {
    let size = max(1, elements.count * MemoryLayout<T>.stride)
    guard let memory = fastmap_arena_alloc(&self, size) else {
      preconditionFailure("no memory for a plan of \(size) bytes")
    }
    let target = memory.bindMemory(to: T.self, capacity: max(1, elements.count))
    target.initialize(from: elements, count: elements.count)
    return target
  }

  package mutating func copy(text: String) -> UnsafePointer<CChar> {
    UnsafePointer(copy(text.utf8.map { CChar(bitPattern: $0) } + [0]))
  }
}

extension MissingPrimaryKey {
  fileprivate var code: UInt8 {
    switch self {
    case .error: UInt8(FASTMAP_KEYLESS_ERROR)
    case .skip: UInt8(FASTMAP_KEYLESS_SKIP)
    case .insert, .owned: UInt8(FASTMAP_KEYLESS_INSERT)
    }
  }
}
