package import CFastMap

/// One batch on its way into a store: *walk → resolve → changes*.
///
/// 1. `walk` reads the root objects into occurrences: one for each place where an object was met.
/// 2. `resolve` sorts their keys, asks the store once for all entities, and gives each occurrence its object.
/// 3. `changes` folds the rows of each object's occurrences, in payload order, into one row for the store.
///
///         $[0] {id 1, tags [{id 5}, {id 6}]}      occurrence 0 → object 0    row: id 1, tags → 1 2
///         $[0].tags[0] {id 5}                     occurrence 1 → object 1    row: id 5
///         $[0].tags[1] {id 6}                     occurrence 2 → object 2    row: id 6
///         $[1] {id 1, name "x"}                   occurrence 3 → object 0    row: name "x", folded into the first
///
/// The rows of a unit refer to its occurrences, and then to its objects (`fastmap_link`). `changes` turns them into rows for
/// the store, which refer to stored objects (`fastmap_slot`).
package final class ImportUnit {
  let plan: Plan
  /// The root objects. The occurrences borrow from their memory.
  let input: ParsedBatch
  let batch: UnsafeMutablePointer<fastmap_batch>
  let shared: SharedState
  /// Whether all root objects were walked.
  private(set) var isWalked = true

  /// One object of the batch.
  package struct Object {
    var id = ObjectID.unset
    package var entity: Int
    package var key = fastmap_slot()
    /// The field of `key` in the mapping that met it first.
    var keyField: Int?
    var row: UnsafeMutablePointer<fastmap_batch_slot>?
    var isStored = false
    /// True once a strong occurrence exists.
    var isPresent = false
    /// Whether it is stored, and left out because of a fault: it keeps its values and its links: a bad value must not
    /// unlink good data.
    var isSpared = false
    /// Whether an occurrence of it is stale, and whether another one is not.
    var isStale = false
    var isFresh = false
  }

  var objects: [Object] = []
  /// The objects with a key, ascending, by entity.
  var keyed: [Range<Int>] = []
  /// Objects without a key, in the order they were made.
  var keyless: Range<Int> = 0..<0
  var owned = OwnedObjects()
  /// Occurrences that were left out, by entity.
  var skippedEntities: [Int] = []
  /// Occurrences that are left out and that a report does not count, as it counts another of their object.
  var uncounted: Set<Int> = []
  var late = LateTargets()
  /// The unresolved targets of earlier batches; nil if neither they nor this batch has any.
  var pendingLinks: PendingLinks?

  /// The fingerprints that the store has returned, by the number of a stored object in the unit.
  var fingerprints: [Int: Fingerprint] = [:]
  /// The custom policies to ask, in payload order.
  var policyCalls: [PolicyCall] = []

  /// Refusals of values that C could read.
  var refusals: [Refusal] = []
  /// The big integers of all trees of the batch, which share one arena; nil as long as there are none.
  private var bigIntegers: BigIntegers?
  var decisions = Decisions()
  var elements: ElementTable
  /// The stored roots without a key that the import replaces; nil if it replaces none.
  var storedRoots: StoredRoots?
  /// Whether the walk or a unique index has left something out.
  var hasFaults = false

  /// A refused value, or a refused value inside of it.
  package struct Refusal {
    package var steps: [JSONPath.Step] = []
    var reason: MappingError.Reason
  }

  /// A relationship of one owner.
  package struct Holder: Hashable {
    var owner: Int
    package var field: Int
  }

  /// Makes an empty unit.
  ///
  /// - Parameters:
  ///   - stopsAtFault: Whether the first fault ends the walk.
  ///   - fills: Whether the only root object is read into a known object, and needs no key.
  /// - Throws: ``SystemError``.
  init(
    plan: Plan, input: ParsedBatch, stopsAtFault: Bool, fills: Bool, shared: SharedState
  ) throws(SystemError) {
    guard let batch = fastmap_batch_new(plan.compiled.pointer, stopsAtFault) else {
      throw SystemError.outOfMemory
    }
    self.plan = plan
    self.shared = shared
    elements = ElementTable(plan, shared.known.hasher)
    self.input = input
    self.batch = batch
    batch.pointee.fills_root = fills
    useConverter()
  }

  deinit { fastmap_batch_free(batch) }

  func reset() {
    fastmap_batch_reset(batch)
    objects.removeAll(keepingCapacity: true)
    keyed.removeAll(keepingCapacity: true)
    owned.occurrences.removeAll(keepingCapacity: true)
    late = LateTargets()
    skippedEntities.removeAll(keepingCapacity: true)
    uncounted.removeAll(keepingCapacity: true)
    owned.before.removeAll(keepingCapacity: true)
    if !elements.isEmpty { elements = ElementTable(plan, shared.known.hasher) }
    decisions = Decisions()
    owned.orphaned.removeAll(keepingCapacity: true)
    owned.orphanedScoped.removeAll(keepingCapacity: true)
    policyCalls.removeAll(keepingCapacity: true)
    (keyless, storedRoots, bigIntegers, pendingLinks, hasFaults) = (0..<0, nil, nil, nil, false)
    refusals.removeAll(keepingCapacity: true)
    fingerprints.removeAll(keepingCapacity: true)
  }

  // MARK: Walking

  /// Walks the root objects, up to a fault that stops the walk: see `faults` and `isWalked`.
  func walk() {
    isWalked = input.roots.allSatisfy { walk($0, mapping: $0.name == nil ? 0 : plan.keyedRoot ?? 0) }
  }

  func walk(_ root: ParsedBatch.Root, mapping: Int) -> Bool {
    batch.pointee.big_integers = root.bigIntegers?.pointer
    batch.pointee.document = root.document.map { UnsafeRawPointer($0.pointer) }
    batch.pointee.values = input.context.map { UnsafeRawPointer($0.pointer) }
    if let bigIntegers = root.bigIntegers { self.bigIntegers = bigIntegers }
    // Its place in the batch: a stream may have more objects than that has room for.
    let position = root.index.map { UInt32($0 - input.first) } ?? FASTMAP_NONE
    let name = fastmap_name(
      text: root.name?.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) },
      length: root.name?.count ?? 0)
    return fastmap_walk(batch, UInt32(mapping), root.node.pointer, name, position)
  }

  /// Reads and walks a representation that was kept as text.
  func walk(_ text: PendingLinks.Text) throws {
    let (node, bigIntegers) = try text.bytes.withUnsafeBytes { bytes in
      let reading = try input.reader.read(bytes, from: 0)
      return (reading.node, reading.bigIntegers)
    }
    var root = ParsedBatch.Root(node: node, bigIntegers: bigIntegers, index: nil)
    input.roots.append(root)
    let isWalked = (text.name ?? []).withUnsafeBufferPointer { name in
      if text.name != nil { root.name = name }
      return walk(root, mapping: text.mapping)
    }
    guard isWalked else { throw SystemError.outOfMemory }
  }

  var faults: UnsafeBufferPointer<fastmap_fault> {
    UnsafeBufferPointer(start: batch.pointee.faults, count: Int(batch.pointee.fault_count))
  }

  /// A node of the batch, with the digits of the numbers inside of it.
  package func value(of node: JSONNode) -> JSONValue { JSONValue(node, bigIntegers) }

  package var occurrenceCount: Int { Int(batch.pointee.count) }
  var occurrences: UnsafeMutablePointer<fastmap_occurrence> { batch.pointee.occurrences }
  package func occurrence(_ index: Int) -> fastmap_occurrence { batch.pointee.occurrences[index] }

  /// The mappings in their C form. In a loop, a `PlannedMapping` would be copied with everything it refers to.
  var mappings: UnsafePointer<fastmap_plan_mapping> { plan.compiled.pointer.pointee.mappings }

  func allocate<T>(_ type: T.Type, _ count: Int) throws(SystemError) -> UnsafeMutablePointer<T> {
    guard let memory = fastmap_arena_alloc(&batch.pointee.arena, max(1, count) * MemoryLayout<T>.stride)
    else {
      throw SystemError.outOfMemory
    }
    return memory.bindMemory(to: T.self, capacity: max(1, count))
  }

  /// The numbers of the store for the root objects that were not left out.
  func rootNumbers() -> [ObjectID] {
    (0..<occurrenceCount).compactMap { index in
      let occurrence = occurrences[index]
      guard occurrence.owner == FASTMAP_NONE, !isOut(index) else { return nil }
      return objects[Int(occurrence.object)].id
    }
  }
}

extension fastmap_plan_mapping {
  var keyField: Int? { key_attribute < 0 ? nil : Int(attributes[Int(key_attribute)].field) }
}
