internal import CFastMap

/// The batches of an import, one transaction after another, and their units, with all rows and trees in them.
///
/// The importer asks for the next batch and maps it. Only this type knows how a batch is made:
///
///     on demand     read and walked when it is asked for, in the memory of the last one
///     ahead         read on a thread while the last one is mapped, in one of three units: see `ReadAhead`
///     beforehand    read and walked before the transaction begins, each in a unit of its own
///
/// All three cut the payload into the same batches.
///
/// - Note: Thread rule: for the importing thread. While `ReadAhead` runs, its thread has the source and the sizes.
final class ImportBatches {
  private enum Supply {
    case onDemand
    case ahead(ReadAhead)
    /// The last one is empty, holds the last root object that the transaction takes, or is the error that ended the reading.
    case beforehand(ArraySlice<Result<ImportUnit, any Error>>)
  }

  private let source: RootSources
  private let plan: Plan
  private let options: ImportOptions
  /// Root objects that a transaction takes; nil for all.
  private let rootLimit: Int?
  private let fills: Bool

  /// The units of all batches so far, reused by later transactions.
  private var units: [ImportUnit] = []
  private var supply = Supply.onDemand
  /// The unit that `next` returned last.
  private var current: ImportUnit?
  /// The number of root objects that the transaction has still to map; nil without a limit.
  private var unmapped: Int?
  /// Where the last batch ends.
  private(set) var position = RootSource.Position()
  /// Whether the transaction has reached the end of the source.
  private(set) var hasEnded = false

  /// The objects that a batch should have.
  private var batchSize = 4096
  let shared: SharedState
  /// The size of the largest value that the store holds; nil for no limit.
  private(set) var mostValueBytes: Int?
  private var sizes: BatchSizes
  /// The number of root objects that the transaction has still to read; nil without a limit.
  private var unread: Int?

  /// - Parameters:
  ///   - rootLimit: The root objects that a transaction takes; nil for all.
  ///   - fills: Whether the only root object is read into a known object.
  init(_ source: RootSources, _ plan: Plan, _ options: ImportOptions, rootLimit: Int?, fills: Bool = false) {
    self.source = source
    self.plan = plan
    self.options = options
    self.rootLimit = rootLimit
    self.fills = fills
    shared = SharedState(plan, options)
    sizes = BatchSizes(objectCount: batchSize, plan.schema)
  }

  /// Adopts the store's batch size, limit and fingerprint key. Called before the first transaction.
  func use(_ capabilities: StoreCapabilities) {
    batchSize = options.batchSize ?? max(1, capabilities.batchSize ?? 4096)
    shared.fingerprinter = capabilities.fingerprintKey.map { Fingerprinter(key: $0, plan.schema) }
    mostValueBytes = capabilities.mostValueBytes
  }

  // MARK: A transaction

  /// Reads and walks all batches of the next transaction. An error comes from `next`, in its place after them.
  ///
  /// - Parameter check: Called before each batch; ends the reading when it throws.
  func readAll(from position: RootSource.Position, check: () throws -> Void) {
    var batches: [Result<ImportUnit, any Error>] = []
    do {
      try check()
      try goBack(to: position)
      var isLast = false
      while !isLast {
        if !batches.isEmpty { try check() }
        let unit = try unit(batches.count)
        try read(into: unit)
        unit.walk()
        if batches.isEmpty { sizes.begin(after: unit) }
        sizes.add(after: unit)
        batches.append(.success(unit))
        isLast = unit.input.roots.isEmpty || unread == 0
      }
    } catch {
      batches.append(.failure(error))
    }
    supply = .beforehand(batches[...])
  }

  /// Begins a transaction, with the batches of `readAll` if it has been called. A transaction that runs again reads again.
  ///
  /// - Parameter position: Where the transaction before has ended.
  func begin(at position: RootSource.Position) throws {
    (unmapped, hasEnded) = (rootLimit, false)
    if case .onDemand = supply { try goBack(to: position) }
  }

  /// Returns the next batch, walked; nil at the end of the transaction.
  ///
  /// The rows and trees of the last one are invalid from now on.
  ///
  /// - Parameter check: Called when the batch is there, and from time to time while the call waits for it.
  func next(check: () throws -> Void) throws -> ImportUnit? {
    if hasEnded || unmapped == 0 { return nil }
    let unit = try nextUnit(check)
    try check()
    let count = unit.input.roots.count
    position = unit.input.end
    hasEnded = count == 0
    if hasEnded { return nil }
    if let unmapped { self.unmapped = max(0, unmapped - count) }
    current = unit
    if case .onDemand = supply, let ahead = readAhead(behind: unit) { supply = .ahead(ahead) }
    return unit
  }

  /// Ends the transaction, and with it the thread that reads ahead.
  func end() {
    if case .ahead(let ahead) = supply { ahead.stop() }
    supply = .onDemand
    current = nil
  }

  private func nextUnit(_ check: () throws -> Void) throws -> ImportUnit {
    if case .beforehand(var batches) = supply {
      let next = batches.removeFirst()
      supply = .beforehand(batches)
      return try next.get()
    }
    guard let current else {
      let first = try unit(0)
      try read(into: first)
      first.walk()
      sizes.begin(after: first)
      return first
    }
    if case .ahead(let ahead) = supply { return try ahead.exchange(current, check: check) }
    try readAgain(into: current)
    current.walk()
    return current
  }

  private func goBack(to position: RootSource.Position) throws {
    for unit in units { unit.input.empty(first: 0) }
    sizes = BatchSizes(objectCount: batchSize, plan.schema)
    unread = rootLimit
    try source.seek(to: position)
  }

  /// Begins to read the next batches on another thread, where that is faster and a thread is available.
  private func readAhead(behind unit: ImportUnit) -> ReadAhead? {
    let bytes = options.readsAhead ? source.bytesAhead(of: unit.input, rootLimit: unread) : 0
    let pays = options.alwaysReadsAhead ? bytes > 0 : bytes >= ReadAhead.leastBytes && ReadAhead.hasCores
    guard pays else { return nil }
    // Transforms are called one at a time and in payload order, except for unresolved targets of weak relationships.
    if plan.hasTransforms, plan.traits.hasWeakFields { return nil }
    let sharesWalks = !plan.hasTransforms
    let most = sharesWalks ? BatchSizes.distance - 1 : 1
    var spares: [ImportUnit] = []
    while spares.count < most, let unit = try? self.unit(spares.count + 1) { spares.append(unit) }
    if spares.isEmpty { return nil }
    return try? ReadAhead(into: spares, sharesWalks: sharesWalks) { unit in
      try self.readAgain(into: unit)
      return !unit.input.roots.isEmpty && self.unread != 0
    } interrupt: {
      self.source.interrupt($0)
    }
  }

  // MARK: Reading

  /// Reads the next batch into a unit that is empty, or has the batch of this transaction that was mapped longest ago.
  private func readAgain(into unit: ImportUnit) throws {
    if !unit.input.roots.isEmpty { sizes.add(after: unit) }
    try read(into: unit)
  }

  /// Reads the next batch into a unit, empty at the end of the source.
  private func read(into unit: ImportUnit) throws {
    let size = sizes.next()
    unit.reset()
    try source.read(min(size, unread ?? size), into: unit.input)
    if let unread { self.unread = max(0, unread - unit.input.roots.count) }
  }

  // MARK: Units

  private func unit(_ index: Int) throws(SystemError) -> ImportUnit {
    if index == units.count {
      units.append(try makeUnit(stopsAtFault: options.faults == .abort, fills: fills))
    }
    return units[index]
  }

  /// Makes a unit, for a batch of the payload or for rows beside it.
  func makeUnit(stopsAtFault: Bool, fills: Bool = false) throws(SystemError) -> ImportUnit {
    let unit = try ImportUnit(
      plan: plan, input: source.makeBatch(), stopsAtFault: stopsAtFault, fills: fills, shared: shared)
    unit.batch.pointee.matches_roots = options.replaces != nil
    unit.batch.pointee.walks_skipped = options.replaces != nil && options.faults == .skip
    return unit
  }

  /// The fields that no object had although objects of their mapping were met, as `Mapping.field`.
  ///
  /// Each unit's walk marks the fields that it finds.
  var unseenFields: [String] {
    let compiled = plan.compiled.pointer.pointee
    func isMarked(_ mark: UInt32) -> Bool { units.contains { $0.batch.pointee.marks[Int(mark)] != 0 } }
    var names: [String] = []
    // A mapping and its copies for the members of objects have one name.
    var seen: Set<String> = []
    // A mapping with kinds has the fields of all of them.
    for (index, planned) in plan.mappings.enumerated() where planned.kinds?.isKind ?? true {
      let mapping = planned.mapping
      let first = compiled.mappings[index].first_mark
      let fields = mapping.attributes.map(\.name) + mapping.relationships.map(\.name)
      guard isMarked(first + UInt32(fields.count)) else { continue }
      for (field, name) in fields.enumerated() where name != Kinds.fieldName || planned.kinds == nil {
        let title = "\(mapping.name).\(name)"
        if isMarked(first + UInt32(field)) { seen.insert(title) } else { names.append(title) }
      }
    }
    if plan.mappings.contains(where: { $0.named != nil }) {
      names = names.filter { seen.insert($0).inserted }
    }
    return names
  }
}
