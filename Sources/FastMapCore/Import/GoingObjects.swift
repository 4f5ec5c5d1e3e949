/// Objects that a sweep deletes, and objects that wait for one of these.
///
/// An object with references to it waits for one of the objects that refer to it, its witness. When the witness is deleted,
/// the search goes on behind it. So no reference is looked at twice. The store is asked for many objects at once.
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
  private var waiting: [Object: [Search]] = [:]
  /// What waits, or is never deleted.
  private var known: Set<Object> = []
  /// What was added and not looked for yet.
  private var unsettled: [Object] = []

  /// The search for a reference from an object that stays.
  private struct Search {
    let object: Object
    /// References that were found and not looked at yet.
    var found: ArraySlice<Reference>
    /// The last one that was found, if there may be more.
    var last: Reference?
  }

  /// The references that the store returns for each object at once. Most objects have a reference from one that stays, so
  /// more than the first are asked for only where questions cost.
  private static func limit<W: StoreWriter>(_ writer: W) -> Int { writer.prefersSets ? 16 : 1 }
  /// The references that the store returns for one object whose search goes on.
  private static let moreLimit = 256
  /// The objects that the store is asked for at once.
  private static let objectsAtOnce = 4096

  init(entityCount: Int) { objects = Array(repeating: [], count: entityCount) }

  /// Adds an object, also with references to it.
  mutating func add<W: StoreWriter>(_ object: Object, on writer: inout W) throws {
    guard insert(object) else { return }
    try wake(object, on: &writer)
  }

  /// Adds an object once all that refers to it is deleted, as the next `settle` finds out.
  mutating func addUnlessReferenced(_ object: Object) {
    guard !objects[object.entity].contains(object.id), known.insert(object).inserted else { return }
    unsettled.append(object)
  }

  /// Looks for references to the objects that were added.
  mutating func settle<W: StoreWriter>(on writer: inout W) throws {
    var byEntity: [Int: [ObjectID]] = [:]
    for object in unsettled { byEntity[object.entity, default: []].append(object.id) }
    unsettled = []
    let limit = Self.limit(writer)
    for (entity, ids) in byEntity.sorted(by: { $0.key < $1.key }) {
      let ids = ids.sorted()
      for start in stride(from: 0, to: ids.count, by: Self.objectsAtOnce) {
        let some = Array(ids[start..<min(start + Self.objectsAtOnce, ids.count)])
        let found = try writer.references(to: some, of: entity, after: nil, limit: limit)
        for (id, references) in zip(some, found) {
          let object = Object(entity: entity, id: id)
          let search = Search(
            object: object, found: references[...],
            last: references.count == limit ? references.last : nil)
          if try goOn(search, on: &writer) { try wake(object, on: &writer) }
        }
      }
    }
  }

  /// The objects that were added since the last call, by entity.
  mutating func takeNew() -> [(entity: Int, ids: [ObjectID])] {
    var ids: [Int: [ObjectID]] = [:]
    for object in new { ids[object.entity, default: []].append(object.id) }
    new = []
    return ids.sorted { $0.key < $1.key }.map { (entity: $0.key, ids: $0.value) }
  }

  private mutating func insert(_ object: Object) -> Bool {
    guard objects[object.entity].insert(object.id).inserted else { return false }
    new.append(object)
    return true
  }

  /// Looks for a reference from an object that stays. Without one the object is deleted.
  private mutating func goOn<W: StoreWriter>(_ search: Search, on writer: inout W) throws -> Bool {
    var search = search
    let limit = writer.prefersSets ? Self.moreLimit : 1
    while true {
      while let reference = search.found.popFirst() {
        // An entity that the schema does not have is not deleted here.
        guard let entity = reference.entity else { return false }
        if objects[entity].contains(reference.owner) { continue }
        waiting[Object(entity: entity, id: reference.owner), default: []].append(search)
        return false
      }
      guard let last = search.last else { return insert(search.object) }
      let more = try writer.references(
        to: [search.object.id], of: search.object.entity, after: last, limit: limit)
      search.found = (more.first ?? [])[...]
      search.last = search.found.count == limit ? search.found.last : nil
    }
  }

  /// Continues with what waited for an object, and for objects that are deleted because of it.
  private mutating func wake<W: StoreWriter>(_ object: Object, on writer: inout W) throws {
    var gone = [object]
    while let witness = gone.popLast() {
      for search in waiting.removeValue(forKey: witness) ?? [] {
        if try goOn(search, on: &writer) { gone.append(search.object) }
      }
    }
  }
}
