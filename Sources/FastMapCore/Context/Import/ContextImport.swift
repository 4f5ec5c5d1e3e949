internal import CFastMap

/// Finds the edits of a context that an import's payload has values for, and settles them by a rule.
///
///     payload ──walk──▶ rows ──note──▶ met ──settle──▶ conflicts ──rule──▶ mine, theirs     before the commit
///     context ◀───────────────────── refresh, rebase ◀────────────────────────┘            after it
///
/// The import itself is one like any other: policies, owned objects and deletions belong to a store. Its plan may number entities and fields differently than the context.
final class ContextImport {
  typealias Place = ContextSave.Place

  /// The findings of one run of a transaction.
  struct Found {
    /// The edited fields that the payload has.
    var met: Set<Place> = []
    /// New objects of the context that the payload has, by their instances.
    private(set) var adopted: [ObjectIdentifier: ObjectID] = [:]
    /// The same by their objects.
    private(set) var instances: [ObjectIdentity: ObjectIdentifier] = [:]
    var conflicts: [ObjectConflict] = []
    /// The fields that keep the instance's value, and the fields that get the payload's.
    var mine: Set<Place> = []
    var theirs: Set<Place> = []
    var roots: [ObjectID] = []
    /// The objects that the import has deleted.
    var deleted: Set<ObjectIdentity> = []

    mutating func adopt(_ instance: AnyObject, as object: ObjectIdentity) {
      adopted[ObjectIdentifier(instance)] = object.id
      instances[object] = ObjectIdentifier(instance)
    }
  }

  /// An object that the caller has edited, or made.
  struct Edited {
    let edit: ContextChanges.Edit
    /// The values of its properties before the import.
    let mine: OwnedRow
    /// The targets of edited relationships before the import, by position.
    let targets: [Int: [AnyObject]]
  }

  /// The numbers of an entity and its fields in the context.
  struct Names {
    let entity: Int
    let fields: [Int?]
  }

  struct Key: Hashable {
    let entity: Int
    let key: PrimaryKey
  }

  let changes: ContextChanges
  let rule: ConflictRule
  /// The instance that the root object is read into.
  let filled: AnyObject?
  let imported: Plan
  /// By entity of the import; nil for one that the context does not know.
  let names: [Names?]
  /// The stored objects that the caller has edited.
  private(set) var edits: [ObjectIdentity: Edited] = [:]
  /// New instances, and those with a key by it.
  private(set) var new: [ObjectIdentifier: Edited] = [:]
  private(set) var newByKey: [Key: ContextMember] = [:]
  /// The keys of new instances, and of new targets of edits. The transaction reads no instance.
  private var newKeys: [ObjectIdentifier: PrimaryKey] = [:]
  var found = Found()
  let titles: ObjectNames

  init(
    _ changes: ContextChanges, _ rule: ConflictRule, of imported: Plan, filling filled: AnyObject? = nil
  ) throws(SystemError) {
    self.changes = changes
    titles = ObjectNames(changes.graph)
    self.rule = rule
    self.imported = imported
    self.filled = filled
    let schema = changes.graph.schema
    names = imported.schema.entities.map { layout in
      guard let entity = schema.entities.firstIndex(where: { NameIndex.isSame($0.name, layout.name) }) else {
        return nil
      }
      let fields = schema.entities[entity].fields
      return Names(
        entity: entity,
        fields: layout.fields.map { field in fields.firstIndex { NameIndex.isSame($0.name, field.name) } })
    }
    for edit in changes.edits { edits[edit.member.object] = try edited(edit) }
    var blanks = InitialValues(changes.graph)
    for var edit in changes.new {
      let entity = graph[edit.member.entity]
      edit.properties = entity.properties.indices.filter { place in
        !blanks.isBlank(entity.properties[place], of: edit.member.instance, entity)
      }
      edit.links.removeAll { blanks.isBlank(entity.links[$0.position], of: edit.member.instance, entity) }
      new[ObjectIdentifier(edit.member.instance)] = try edited(edit)
      if !blanks.hasUnsetKey(edit.member), let key = graph.key(of: edit.member) {
        newKeys[ObjectIdentifier(edit.member.instance)] = key
        newByKey[Key(entity: entity.number, key: key)] = edit.member
      }
    }
  }

  var graph: ContextGraph { changes.graph }

  private func edited(_ edit: ContextChanges.Edit) throws(SystemError) -> Edited {
    let entity = graph[edit.member.entity]
    var mine = RowBuffer()
    mine.reset(count: entity.fieldCount)
    for property in entity.properties {
      mine.set(property.access, of: edit.member.instance, at: property.field)
    }
    try mine.checkWhole()
    var targets: [Int: [AnyObject]] = [:]
    for (position, known) in edit.links {
      let link = entity.links[position]
      var now = link.access.get(edit.member.instance)
      if link.access.shape == .set {
        // A set has no order that a message could use.
        let places = Dictionary(
          zip(known.map { ObjectIdentifier($0.instance) }, known.indices), uniquingKeysWith: min)
        let place = { (instance: AnyObject) in places[ObjectIdentifier(instance)] ?? .max }
        now.sort { place($0) < place($1) }
      }
      for instance in now where graph.member(of: instance) == nil {
        newKeys[ObjectIdentifier(instance)] = graph.key(of: graph.newMember(instance, of: link.target))
      }
      targets[position] = now
    }
    return Edited(edit: edit, mine: OwnedRow(mine.slots, count: entity.fieldCount), targets: targets)
  }

  /// The caller's edits of an object, or the values of the new instance that becomes it.
  func edited(_ object: ObjectIdentity) -> Edited? {
    edits[object] ?? found.instances[object].flatMap { new[$0] }
  }

  /// The key that an instance had before the import.
  func key(of instance: AnyObject) -> PrimaryKey? {
    graph.member(of: instance).flatMap { graph.key(of: $0) } ?? newKeys[ObjectIdentifier(instance)]
  }

  /// The number of an instance's object; unset for a new one.
  func number(of instance: AnyObject) -> ObjectID {
    graph.member(of: instance)?.id ?? found.adopted[ObjectIdentifier(instance)] ?? .unset
  }

  /// Whether the caller has set a field while the import waited for its transaction.
  func isSetSince(_ place: Place) -> Bool {
    guard let edited = edited(place.object) else { return false }
    let (member, entity) = (edited.edit.member, graph[place.object.entity])
    if let property = entity.properties.first(where: { $0.field == place.field }) {
      var now = RowBuffer()
      now.reset(count: 1)
      now.set(property.access, of: member.instance, at: 0)
      return !now.slots[0].isSame(as: edited.mine.slots[place.field])
    }
    guard
      let position = entity.links.firstIndex(where: { $0.field == place.field && !$0.isInverse })
    else { return false }
    let link = entity.links[position]
    return !link.access.shape.hasSame(
      link.access.get(member.instance).map { ObjectIdentifier($0) },
      as: (edited.targets[position] ?? []).map { ObjectIdentifier($0) })
  }

  // MARK: Meeting

  /// Notes the edits that a resolved batch has values for.
  func note(_ unit: ImportUnit) {
    if edits.isEmpty, new.isEmpty { return }
    for index in 0..<unit.occurrenceCount {
      let occurrence = unit.occurrence(index)
      let isOut = occurrence.flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0
      guard occurrence.object != FASTMAP_NONE, !isOut else { continue }
      let object = unit.objects[Int(occurrence.object)]
      guard let names = names[object.entity] else { continue }
      let known = ObjectIdentity(entity: names.entity, id: object.id)
      let instance = newInstance(PrimaryKey(slot: object.key), names.entity, occurrence.owner)
      if let instance { found.adopt(instance, as: known) }
      guard let row = occurrence.row, edited(known) != nil else { continue }
      for (field, number) in names.fields.enumerated() where row[field].tag != FASTMAP_MISSING {
        if let number { found.met.insert(Place(object: known, field: number)) }
      }
    }
  }

  /// The new instance that becomes an object of the payload.
  ///
  /// - Parameter owner: The occurrence that holds the object.
  func newInstance(_ key: PrimaryKey?, _ entity: Int, _ owner: UInt32) -> AnyObject? {
    if let filled, owner == FASTMAP_NONE, new[ObjectIdentifier(filled)] != nil { return filled }
    return key.flatMap { newByKey[Key(entity: entity, key: $0)]?.instance }
  }

  /// Whether the payload has an edited field.
  func isMet(_ object: ObjectIdentity, _ field: Int) -> Bool {
    found.met.contains(Place(object: object, field: field))
  }
}
