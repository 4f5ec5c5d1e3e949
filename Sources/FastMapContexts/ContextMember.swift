/// An object of a context: its instance, and the values read from the store.
final class ContextMember {
  /// Whether the context has it. The state is the instance's at that moment: later edits could not be saved.
  enum Standing {
    case present
    /// The next save deletes it.
    case deleted(InstanceState)
    /// It has left the context, because it is not stored any more. No state if its instance became another object.
    case gone(InstanceState?)
  }

  let instance: AnyObject
  /// The instance if its entity has no class.
  let record: EditableRecord?
  let entity: Int
  /// Unset as long as the object is new.
  var id: ObjectID
  /// Whether the caller has made the instance. The context has only borrowed it, until its object is stored.
  let isCallers: Bool
  var standing = Standing.present

  private(set) var stored: OwnedRow?
  /// The values as the properties had them then, if any differs: a fallback, or a rounded `Float`.
  private var shownApart: OwnedRow?
  /// The targets of its relationships and inverses, in the order of the entity's; nil for one that was not loaded.
  private(set) var targets: [[ObjectID]?]
  /// Its last place, if it has no key and its owner was read without it since.
  var lastPlace: ObjectNames.Place?
  /// The paths that reads include after its relationships, for targets that it gets later.
  var included = IncludeTree()

  init(_ instance: AnyObject, _ id: ObjectID, of entity: Int, linkCount: Int, isCallers: Bool) {
    self.instance = instance
    record = instance as? EditableRecord
    self.id = id
    self.entity = entity
    self.isCallers = isCallers
    targets = Array(repeating: nil, count: linkCount)
  }

  /// Its identity in the store. Objects of two entities may have the same number.
  var object: ObjectIdentity { .init(entity: entity, id: id) }

  var isDeleted: Bool { if case .deleted = standing { true } else { false } }
  var isGone: Bool { if case .gone = standing { true } else { false } }
  /// The state of its instance when it was deleted, or when it left.
  var lastState: InstanceState? {
    switch standing {
    case .present: nil
    case .deleted(let state): state
    case .gone(let state): state
    }
  }

  /// Whether it was made by the caller and not saved yet.
  var isNew: Bool { id == .unset }

  /// The values as the properties had them after they were read.
  var shown: OwnedRow? { shownApart ?? stored }

  func set(stored: OwnedRow, shown: OwnedRow?) {
    self.stored = stored
    record?.stored = stored
    shownApart = shown
  }

  func isLoaded(_ position: Int) -> Bool { targets[position] != nil }

  /// Takes targets as read.
  func set(_ targets: [ObjectID], at position: Int) {
    self.targets[position] = targets
    record?.setLoaded(at: position)
  }
}
