/// Objects that a sweep deletes, and objects that wait for one of these.
///
/// One referrer keeps a referenced object: its *witness*. If the witness is deleted, the search for another one
/// continues after it. A search that waits keeps few of the references after its witness, and asks for the others again.
///
/// The store is asked for many objects at once: first with a few references for each, and then with four times as many
/// where a search goes on. So the number of questions grows with the depth of the deleted graph, and with the
/// logarithm of the references to one object. A store whose questions are cheap returns single references.
struct CascadeDeletion {
  /// The deleted objects, by entity.
  private(set) var objects: [Set<ObjectID>]
  /// The deleted objects that `popNew` has not returned.
  private var new: [ObjectIdentity] = []
  /// The waiting searches, by witness.
  private var waiting: [ObjectIdentity: [Search]] = [:]
  /// The objects that `addUnlessReferenced` has added. Each is searched for once.
  private var known: Set<ObjectIdentity> = []
  /// The searches that have not begun.
  private var unsettled: [Search] = []
  /// The deleted objects whose waiting searches must go on.
  private var gone: [ObjectIdentity] = []

  /// The search for a reference from an object that stays.
  private struct Search {
    let object: ObjectIdentity
    /// References that were found and not looked at yet.
    package var found: [Reference] = []
    /// The number of references up to the last of `found`.
    package var count = 0
    /// The last reference of `found`.
    var last: Reference?
    /// Whether the store has returned all references.
    var isComplete = false

    /// Adds an answer.
    ///
    /// - Parameter isFirst: Whether the answer begins with the first reference, and not after `last`. The first answer
    ///   repeats the references of earlier answers that still exist.
    mutating func add(_ references: [Reference], limit: Int, isFirst: Bool) {
      found = references
      count = (isFirst ? 0 : count) + references.count
      last = references.last ?? last
      isComplete = references.count < limit
    }

    /// Keeps the references after a place of `found`, as many as a waiting search may have.
    mutating func wait(at place: Int) {
      let rest = found[(place + 1)...]
      let kept = rest.prefix(max(leastKept, (count - rest.count) / 4))
      if let end = kept.last, kept.count < rest.count {
        count -= rest.count - kept.count
        last = end
        isComplete = false
      }
      found = Array(kept)
    }

    /// A waiting search keeps so many references, or a quarter as many as it has looked at if that is more. So the size
    /// of all answers is linear in the references looked at, and most searches hold few references.
    private var leastKept: Int { 16 }
  }

  /// A question about several objects.
  private struct Question: Hashable {
    let entity: Int
    let limit: Int
  }

  /// The references of the first answer for each object. Mostly the first reference comes from an object that stays, so
  /// more are asked for only where questions cost.
  private static let (firstLimit, firstLimitInSets) = (1, 16)
  /// The growth factor from one answer to the next.
  private static let growth = 4
  /// The most references of an answer for one object of several. More of them are asked for object by object.
  private static let largestLimit = 4096
  /// The most objects, and the most references, of one answer.
  private static let (objectsAtOnce, referencesAtOnce) = (4096, 65_536)

  init(entityCount: Int) { objects = Array(repeating: [], count: entityCount) }

  /// Deletes an object even if others refer to it. The next `resolve` resumes the searches that wait for it.
  mutating func add(_ object: ObjectIdentity) { insert(object) }

  /// Deletes an object once all objects that refer to it are deleted, as the next `resolve` finds out.
  mutating func addUnlessReferenced(_ object: ObjectIdentity) {
    guard !objects[object.entity].contains(object.id), known.insert(object).inserted else { return }
    unsettled.append(Search(object: object))
  }

  /// Looks for references to the objects that were added.
  mutating func resolve<W: StoreWriter>(on writer: inout W) throws {
    var asking = unsettled
    unsettled = []
    repeat {
      asking = try ask(asking, on: &writer)
      // All that can be found out without another question.
      while let witness = gone.popLast() {
        for search in waiting.removeValue(forKey: witness) ?? [] {
          if let open = try lookAt(search) { asking.append(open) }
        }
      }
    } while !asking.isEmpty
  }

  /// The objects that were added since the last call, by entity.
  mutating func popNew() -> [(entity: Int, ids: [ObjectID])] {
    var ids: [Int: [ObjectID]] = [:]
    for object in new { ids[object.entity, default: []].append(object.id) }
    new = []
    return ids.sorted { $0.key < $1.key }.map { (entity: $0.key, ids: $0.value) }
  }

  private mutating func insert(_ object: ObjectIdentity) {
    guard objects[object.entity].insert(object.id).inserted else { return }
    new.append(object)
    gone.append(object)
  }

  /// Looks for a reference from an object that stays. Without one the object is deleted.
  ///
  /// - Returns: The search if it needs more references.
  /// - Throws: ``StoreContractError`` for a reference of an entity that the schema does not have.
  private mutating func lookAt(_ search: Search) throws -> Search? {
    var search = search
    for (place, reference) in search.found.enumerated() {
      // An entity that the schema does not have is not deleted here.
      guard let entity = reference.entity else { return nil }
      try StoreContractError.check(
        entity: entity, below: objects.count, in: "references(to:of:after:limit:)")
      if objects[entity].contains(reference.owner) { continue }
      search.wait(at: place)
      waiting[ObjectIdentity(entity: entity, id: reference.owner), default: []].append(search)
      return nil
    }
    search.found = []
    if !search.isComplete { return search }
    insert(search.object)
    return nil
  }

  // MARK: Questions

  /// Gets more references for searches, and looks at each answer before the next question.
  ///
  /// - Returns: The searches that need still more.
  private mutating func ask<W: StoreWriter>(_ searches: [Search], on writer: inout W) throws -> [Search] {
    var open: [Search] = []
    let first = writer.reader.prefersSets ? Self.firstLimitInSets : Self.firstLimit
    var questions: [Question: [Search]] = [:]
    for search in searches {
      let limit = search.count == 0 ? first : search.count * Self.growth
      if search.count == 0 || writer.reader.prefersSets && limit <= Self.largestLimit {
        questions[Question(entity: search.object.entity, limit: limit), default: []].append(search)
      } else {
        let limit = writer.reader.prefersSets ? Self.largestLimit : Self.firstLimit
        open += try ask([search], limit: limit, after: search.last, on: &writer)
      }
    }
    for (question, searches) in questions.sorted(by: {
      ($0.key.entity, $0.key.limit) < ($1.key.entity, $1.key.limit)
    }) {
      // Mostly they are sorted, and to sort searches costs more than to sort numbers.
      let isSorted = searches.indices.dropFirst().allSatisfy {
        searches[$0 - 1].object.id < searches[$0].object.id
      }
      let searches = isSorted ? searches : searches.sorted { $0.object.id < $1.object.id }
      let size = min(Self.objectsAtOnce, max(1, Self.referencesAtOnce / question.limit))
      for start in stride(from: 0, to: searches.count, by: size) {
        let some = Array(searches[start..<min(start + size, searches.count)])
        open += try ask(some, limit: question.limit, after: nil, on: &writer)
      }
    }
    return open
  }

  /// - Parameters:
  ///   - searches: The searches for references to objects of one entity.
  ///   - last: The last reference of the only search, which continues after it. If nil, the answer begins with the
  ///     first reference.
  private mutating func ask<W: StoreWriter>(
    _ searches: [Search], limit: Int, after last: Reference?, on writer: inout W
  ) throws -> [Search] {
    let found = try writer.checkedReferences(
      to: searches.map(\.object.id), of: searches[0].object.entity, after: last, limit: limit)
    var open: [Search] = []
    for (search, references) in zip(searches, found) {
      var search = search
      search.add(references, limit: limit, isFirst: last == nil)
      if let more = try lookAt(search) { open.append(more) }
    }
    return open
  }
}
