/// Objects that a sweep deletes, and objects that wait for one of these.
///
/// An object with references to it waits for one of the objects that refer to it, its witness. When the witness is deleted,
/// the search for the next one goes on behind it. So no reference is looked at twice.
struct GoingObjects {
  struct Object: Hashable {
    var entity: Int
    var id: ObjectID
  }

  /// What is deleted, by entity.
  private(set) var objects: [Set<ObjectID>]
  /// What is deleted and `takeNew` has not returned.
  private var new: [Object] = []
  /// What waits, by witness.
  private var waiting: [Object: [Waiting]] = [:]
  /// What waits, or is never deleted.
  private var known: Set<Object> = []

  private struct Waiting {
    var object: Object
    /// The reference of the witness.
    var last: Reference
  }

  init(entityCount: Int) { objects = Array(repeating: [], count: entityCount) }

  /// Adds an object, also with references to it.
  mutating func add<W: StoreWriter>(_ object: Object, on writer: inout W) throws {
    guard insert(object) else { return }
    try wake(object, on: &writer)
  }

  /// Adds an object once all that refers to it is deleted.
  mutating func addUnlessReferenced<W: StoreWriter>(_ object: Object, on writer: inout W) throws {
    guard !objects[object.entity].contains(object.id), known.insert(object).inserted else { return }
    guard try settle(object, behind: nil, on: &writer) else { return }
    try wake(object, on: &writer)
  }

  /// The objects that were added since the last call, in runs of one entity.
  mutating func takeNew() -> [(entity: Int, ids: [ObjectID])] {
    var runs: [(entity: Int, ids: [ObjectID])] = []
    for object in new {
      if runs.last?.entity != object.entity { runs.append((object.entity, [])) }
      runs[runs.count - 1].ids.append(object.id)
    }
    new = []
    return runs
  }

  private mutating func insert(_ object: Object) -> Bool {
    guard objects[object.entity].insert(object.id).inserted else { return false }
    new.append(object)
    return true
  }

  /// Looks for a reference to an object from one that stays. Without one the object is deleted.
  private mutating func settle<W: StoreWriter>(
    _ object: Object, behind last: Reference?, on writer: inout W
  ) throws -> Bool {
    var last = last
    while let reference = try writer.reference(to: object.id, of: object.entity, after: last) {
      last = reference
      // An entity that the schema does not have is not deleted here.
      guard let entity = reference.entity else { return false }
      if objects[entity].contains(reference.owner) { continue }
      waiting[Object(entity: entity, id: reference.owner), default: []].append(
        Waiting(object: object, last: reference))
      return false
    }
    return insert(object)
  }

  /// Continues with what waited for an object, and for objects that are deleted because of it.
  private mutating func wake<W: StoreWriter>(_ object: Object, on writer: inout W) throws {
    var gone = [object]
    while let witness = gone.popLast() {
      for entry in waiting.removeValue(forKey: witness) ?? [] {
        if try settle(entry.object, behind: entry.last, on: &writer) { gone.append(entry.object) }
      }
    }
  }
}
