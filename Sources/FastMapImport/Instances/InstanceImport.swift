internal import CFastMap

/// Reads a payload into instances of classes, without a store.
///
///     text ──ImportBatches──▶ occurrences + rows ──InstancePass──▶ instances
///
/// An import reads and walks the payload as usual, on a second core too. A plan with weak relationships is walked as a
/// whole before the first instance is made, because they see the whole payload. So is a plan whose kinds have classes.
final class InstanceImport {
  private let plan: Plan
  private let options: ImportOptions
  private let source: RootSources
  private let batches: ImportBatches
  private let totalBytes: Int
  private var faults: ImportFaults
  let pass: InstancePass
  /// The instance of the caller that the only root object is read into.
  private let filled: AnyObject?
  private let existing: ExistingInstances?
  private var hasReadAll = false
  private var rootObjects = 0

  /// - Parameters:
  ///   - input: Outlives the import.
  ///   - isOne: Whether more than one root object is an error.
  ///   - filled: The instance for the only root object; nil to make all.
  init(
    _ plan: Plan, _ input: LentJSON, _ options: ImportOptions, isOne: Bool = false,
    filling filled: AnyObject? = nil
  ) throws {
    try options.check()
    try plan.checkInstances()
    self.plan = plan
    self.options = options
    self.filled = filled
    existing = filled.map { _ in ExistingInstances() }
    totalBytes = input.byteCount
    faults = ImportFaults(options)
    source = RootSources(
      try RootSource(input, plan: plan, options: options, isOne: isOne), plan: plan, options: options)
    batches = ImportBatches(source, plan, options, rootLimit: nil, fills: filled != nil)
    batches.use(StoreCapabilities())
    pass = InstancePass(plan, existing: existing)
  }

  var errors: [MappingError] { faults.errors }
  var errorCount: Int { faults.count }
  var unseen: [String] { batches.unseenFields }

  /// Reads and walks the whole payload. Uses no instance, so any thread may call this.
  func readAll() {
    batches.readAll(from: source.position, check: checkCancellation)
    hasReadAll = true
  }

  /// Makes and sets the instances.
  ///
  /// - Throws: The error that ends the import. The caller's instances have their old properties then.
  func run() throws {
    try MainIsolation.check(plan.mainEntity)
    if plan.decidesAtEnd, !hasReadAll { readAll() }
    try batches.begin(at: source.position)
    defer { batches.end() }
    do {
      try runAll()
    } catch {
      existing?.restore()
      throw error
    }
    options.progress?.update(.init(bytes: totalBytes, totalBytes: totalBytes, rootObjects: rootObjects))
  }

  /// A batch, with its faults so far.
  private typealias Batch = (unit: ImportUnit, faults: [FaultReader.Fault])

  private func runAll() throws {
    if source.isCollection { try options.delegate?.willMapCollection(of: plan.root, from: nil) }
    var waiting: [Batch] = []
    while let unit = try batches.next(check: checkCancellation) {
      waiting.append((unit, try check(unit)))
      if plan.decidesAtEnd { continue }
      try make(waiting)
      waiting.removeAll()
    }
    try make(waiting)
    if filled != nil, options.isDryRun { return }
    try pass.end(in: try batches.makeUnit(stopsAtFault: true))
    if source.isCollection { try showRoots() }
  }

  private func make(_ batches: [Batch]) throws {
    let kindless = try pass.verdicts?.decide(batches.map(\.unit)) ?? []
    for (number, (unit, found)) in batches.enumerated() {
      let more = kindless.isEmpty ? [] : kindless[number]
      if !more.isEmpty { try faults.check(more, reader(of: unit)) }
      try faults.add((found + more).sorted { $0.occurrence < $1.occurrence }, reader(of: unit))
    }
    for (unit, _) in batches { try make(unit) }
  }

  private func make(_ unit: ImportUnit) throws {
    if filled != nil, options.isDryRun { return }
    try pass.add(unit)
    if let delegate = options.delegate {
      pass.merged.setAll()
      var run = DelegateRun(unit, delegate) { [pass] index in
        pass.lender.number(of: pass.instance(of: unit.occurrence(index)))
      } lend: { [pass] body in
        try pass.lender.lend { try body($0) }
      }
      try run.run()
    }
    rootObjects += unit.input.roots.count
    let step = ImportOptions.Progress(
      bytes: unit.input.end.offset, totalBytes: totalBytes, rootObjects: rootObjects)
    options.onProgress?(step)
    options.progress?.update(step)
  }

  private func showRoots() throws {
    guard let delegate = options.delegate else { return }
    let ids = pass.roots.map { pass.lender.number(of: $0) }
    try pass.lender.lend { lent in
      let objects = ids.map { MappedObject(id: $0, mapping: plan.root, lent: lent) }
      try delegate.didMapCollection(objects, of: plan.root, from: nil)
    }
  }

  // MARK: Faults

  private func reader(of unit: ImportUnit) -> FaultReader {
    FaultReader(
      plan: plan, unit: unit, skipsFaults: options.faults == .skip)
  }

  /// Throws the first fault of a batch, or leaves faulty objects out.
  ///
  /// - Returns: The faults.
  private func check(_ unit: ImportUnit) throws -> [FaultReader.Fault] {
    let reader = reader(of: unit)
    guard !unit.faults.contains(where: { $0.code == UInt32(FASTMAP_FAULT_MEMORY) }) else {
      throw SystemError.outOfMemory
    }
    if let missing = reader.missingContext() { throw missing }
    var found = unit.faults.map { FaultReader.Fault(occurrence: Int($0.occurrence), what: .walked($0)) }
    try faults.check(found, reader)
    // There was no memory to note the fault either.
    guard unit.isWalked else { throw SystemError.outOfMemory }
    if let filled, let existing, !unit.isSkipped(0),
      let reason = try existing.addFilled(filled, unit, pass.tables)
    {
      let refused = FaultReader.Fault(occurrence: 0, what: .refused(reason, isOfKey: true))
      try faults.check([refused], reader)
      unit.skip(0)
      found.insert(refused, at: 0)
    }
    unit.hasFaults = options.faults == .skip && !found.isEmpty
    if unit.hasFaults { unit.leaveOutFaultyElements() }
    return found
  }

  private func checkCancellation() throws {
    if options.progress?.isCancelled ?? false || Task.isCancelled { throw CancellationError() }
  }
}
