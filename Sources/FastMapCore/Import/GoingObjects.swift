/// Objects that are to be deleted, and those that wait for one of these to go.
///
/// An object that is referred to waits for one of those that refer to it, its witness. When the witness goes, the next
/// one is looked for behind it. So no reference is looked at twice.
struct GoingObjects {
  struct Object: Hashable {
    var entity: Int
    var id: ObjectID
  }

  /// By entity, what goes.
  private(set) var objects: [Set<ObjectID>]
  /// What goes and has not been taken yet.
  private var new: [Object] = []
  /// By witness, what waits for it.
  private var waiting: [Object: [Waiting]] = [:]
  /// What waits, or never goes.
  private var known: Set<Object> = []

  private struct Waiting {
    var object: Object
    /// The reference of the witness.
    var last: Reference
  }

  init(entityCount: Int) { objects = Array(repeating: [], count: entityCount) }

  /// Adds an object, whoever refers to it.
  mutating func add<W: StoreWriter>(_ object: Object, on writer: inout W) throws {
    guard insert(object) else { return }
    try wake(object, on: &writer)
  }

  /// Adds an object once all that refers to it goes.
  mutating func addUnlessReferenced<W: StoreWriter>(_ object: Object, on writer: inout W) throws {
    guard !objects[object.entity].contains(object.id), known.insert(object).inserted else { return }
    guard try settle(object, behind: nil, on: &writer) else { return }
    try wake(object, on: &writer)
  }

  /// What was added since the last call, in runs of one entity.
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

  /// Looks for a reference to an object from one that does not go; without one the object goes.
  private mutating func settle<W: StoreWriter>(
    _ object: Object, behind last: Reference?, on writer: inout W
  ) throws -> Bool {
    var last = last
    while let reference = try writer.reference(to: object.id, of: object.entity, after: last) {
      last = reference
      // What the schema does not name is not deleted here.
      guard let entity = reference.entity else { return false }
      if objects[entity].contains(reference.owner) { continue }
      waiting[Object(entity: entity, id: reference.owner), default: []].append(
        Waiting(object: object, last: reference))
      return false
    }
    return insert(object)
  }

  /// Goes on with what waited for an object, and for those that go because of it.
  private mutating func wake<W: StoreWriter>(_ object: Object, on writer: inout W) throws {
    var gone = [object]
    while let witness = gone.popLast() {
      for entry in waiting.removeValue(forKey: witness) ?? [] {
        if try settle(entry.object, behind: entry.last, on: &writer) { gone.append(entry.object) }
      }
    }
  }
}
