/// An object of a context: its instance, and the values read from the store.
final class ContextMember {
  let instance: AnyObject
  /// The instance if its entity has no class.
  let record: EditableRecord?
  let entity: Int
  /// Unset as long as the object is new.
  var id: ObjectID
  /// Whether the caller has made the instance. The context has only borrowed it, until its object is stored.
  let isCallers: Bool
  /// The last use of the context that has read its attributes and its relationships loaded by then.
  var readAt = 0
  /// The use that has made its instance; the caller cannot have edited it before that use ends.
  var madeAt = 0
  /// The same of relationships that were loaded since, by position; only while a read with `await` is under way.
  var loadedAt: [Int: Int] = [:]
  /// Its place among the objects that are watched for observers.
  var watchPlace: Int?
  /// Whether the next save deletes it.
  var isDeleted = false
  /// Whether it has left the context, because it is not stored any more.
  var isGone = false

  private(set) var stored: OwnedRow?
  /// The values as the properties had them then, if any differs: a fallback, a rounded `Float`, or a value set by an
  /// observer.
  private var shownApart: OwnedRow?
  /// The targets of its relationships and inverses, in the order of the entity's; nil for one that was not loaded.
  private(set) var targets: [[ObjectID]?]
  /// The targets that properties showed then, where observers had changed them.
  private var shownTargets: [Int: [ObjectID]] = [:]
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

  /// Whether it was made by the caller and not saved yet.
  var isNew: Bool { id == .unset }

  /// The values as the properties had them after they were read.
  var shown: OwnedRow? { shownApart ?? stored }

  func set(stored: OwnedRow, shown: OwnedRow?) {
    self.stored = stored
    record?.stored = stored
    shownApart = shown
  }

  /// Whether a relationship was read by a later use of the context.
  func isRead(_ position: Int, after use: Int) -> Bool {
    readAt > use || loadedAt[position].map { $0 > use } ?? false
  }

  func isLoaded(_ position: Int) -> Bool { targets[position] != nil }

  /// - Parameters:
  ///   - targets: Nil for a relationship that is not loaded any more.
  ///   - shown: The targets that the property shows, if they differ.
  func set(_ targets: [ObjectID]?, shown: [ObjectID]? = nil, at position: Int) {
    self.targets[position] = targets
    shownTargets[position] = shown
    record?.setLoaded(targets != nil, at: position)
  }

  /// Records the targets that a property shows, if they differ from the targets read. Unread targets count as none.
  func setShown(_ shown: [ObjectID], at position: Int) {
    shownTargets[position] = shown == targets[position] ?? [] ? nil : shown
  }

  /// The targets that a property showed when they were read; nil for a relationship that was not loaded.
  func shownTargets(_ position: Int) -> [ObjectID]? { shownTargets[position] ?? targets[position] }

  /// The targets that a property did not show when they were read. A save keeps them.
  func hiddenTargets(_ position: Int) -> [ObjectID] {
    guard let shown = shownTargets[position], let all = targets[position] else { return [] }
    let known = Set(shown)
    return all.filter { !known.contains($0) }
  }
}
