import FastMapCore
import FastMapMemory
import FastMapStoreTesting

/// The faults of a store, with the promises that they break.
enum Fault: CaseIterable {
  case ignoresSchemas, looksAfresh, readerLosesItsSchema, writerLosesItsSchema, remembersUndoneKinds
  case leavesNumbers, confusesKinds, cutsKeys, refusesAnother, takesKeysOfAnyKind
  case leaksReads, keepsEveryRun, runsAgain, keepsUndone
  case leavesBuffers, losesTargets, swallowsErrors, readsAnything
  case refersBySchema, knowsOneReference, notesTwice, changesWhatIsGone, countsWhatIsNot
  case findsOnce, lendsOnce, sortsFields, ignoresLimits, answersInOrder, resolvesOne, repeatsNumbers
  case fillsPages, turnsPages, ignoresStops, notesLater, commitsConflicts, notesEveryTime, readsTooEarly
  case forgetsWhenClosed, countsAfreshWhenOpened
  case sortsOwners, repeatsOwners, ownersOnce
  case ignoresUniqueIndexes

  var promises: [String] {
    switch self {
    case .ignoresSchemas:
      [
        "A reader goes on with another schema, in the same snapshot",
        "A writer goes on with another schema, makes room for it, and commits all",
      ]
    case .looksAfresh: ["A reader goes on with another schema, in the same snapshot"]
    case .readerLosesItsSchema: ["A reader keeps the schema it had where another does not fit"]
    case .writerLosesItsSchema:
      ["A writer keeps the schema it had, and what it has done, where another does not fit"]
    case .remembersUndoneKinds:
      [
        "What a write that is undone has met of entities and fields is forgotten",
        "A dry run of a schema that was not prepared counts as the import does, and adds nothing",
      ]
    case .leavesNumbers: ["A batch of keys sets every number, to nil where there is none"]
    case .confusesKinds: ["A key of the other kind finds nothing"]
    case .cutsKeys, .refusesAnother: ["A key is held to its last byte, or refused by its place in the batch"]
    case .takesKeysOfAnyKind: ["A primary key of another kind is an error that names both"]
    case .leaksReads: ["What a read returns or throws comes out of it, as often as it likes"]
    case .keepsEveryRun: ["Of a write that is run again, its last run is what is kept"]
    case .runsAgain: ["A store that says so runs a write once, however it ends"]
    case .keepsUndone: ["What was undone is not there when the store is opened again"]
    case .leavesBuffers: ["A buffer holds nothing of the object that was read into it before"]
    case .losesTargets:
      ["A lent object has its to-one targets and its missing fields, however often it is asked"]
    case .swallowsErrors: ["What the body throws ends the lending of an object, which can be lent again"]
    case .readsAnything: ["The number of an object is no object of another entity"]
    case .refersBySchema:
      ["Objects of an entity that the schema leaves out refer to others, and lose targets that are deleted"]
    case .knowsOneReference:
      ["The references to an object are found one after the other, each relationship once"]
    case .notesTwice:
      ["Targets that a replace no longer has are noted once, in their old order, with their holder"]
    case .changesWhatIsGone: ["What was not there when a write began and is not now has not changed"]
    case .countsWhatIsNot:
      ["Objects are deleted in sets of none, one and thousands, and those that were not there are left out"]
    case .forgetsWhenClosed:
      [
        "What was committed is there when the store is opened again",
        "The order of objects is the same when the store is opened again",
        "Entities, fields and their kinds go by names when the store is opened again",
        "Relationships are followed back when the store is opened again",
        "An instance sees at once what another one has committed",
        "An instance reads and writes the entities and fields that another one adds, again and again",
        "Of a field that two instances add with two types, the second one is refused",
        "Instances that add entities and fields at the same time add all of them",
        "Two writers that insert the same key make one object",
        "Two writers lose no update",
      ]
    case .countsAfreshWhenOpened: ["No number comes back when the store is opened again"]
    case .sortsOwners, .repeatsOwners, .ownersOnce:
      ["The owners of targets are found in sets, each once, in the order of pages"]
    case .ignoresUniqueIndexes: ["A unique index is kept, or the write that declares it is refused"]
    case .findsOnce: ["Keys are found in sets of none, one and thousands, each repeat too"]
    case .lendsOnce:
      ["Objects are lent in sets of none, one and thousands, each with its place, and each repeat too"]
    case .sortsFields:
      ["Targets are read in sets of none, one and thousands of owners, and of several relationships"]
    case .ignoresLimits:
      ["References are found in sets of none, one and thousands, at most as many as wanted of each"]
    case .answersInOrder: ["What has changed is said of sets of none, one and thousands"]
    case .resolvesOne: ["The keys of a batch are looked up together, of none, one and several entities"]
    case .repeatsNumbers: ["Numbers are reserved together, as many as wanted, each once"]
    case .fillsPages, .turnsPages:
      ["Pages have one object to as many as wanted, in the order and in its reverse, in any range"]
    case .ignoresStops: ["Going over pages stops where it is told to, and where the body throws"]
    case .notesLater:
      ["Targets that a replace no longer has are noted by the time the batch is settled, once"]
    case .commitsConflicts:
      [
        "A write that a conflict ends, at any question, changes nothing, and is repeated with the same result",
        "Each attempt of a write reads what was committed before it",
      ]
    case .notesEveryTime: ["Preparing a schema makes no objects, and doing it again adds nothing"]
    case .readsTooEarly:
      ["Two writers lose no update", "A decision on what another writer changes is made again"]
    }
  }
}

/// A memory store with a fault; without one, where it is nil.
final class FaultyStore: InterceptedStore {
  let base: MemoryStore
  private let fault: Fault?
  private let failedReads = Counter()
  private let lastNumber = Counter()

  init(_ base: MemoryStore, _ fault: Fault?) {
    self.base = base
    self.fault = fault
  }

  /// Opens the same store again and again.
  static func newPlace(_ fault: Fault?) -> () -> FaultyStore {
    let store = MemoryStore()
    return { FaultyStore(fault == .forgetsWhenClosed ? MemoryStore() : store, fault) }
  }

  var capabilities: StoreCapabilities {
    StoreCapabilities(runsWritesOnce: fault != .keepsEveryRun, keepsUniqueIndexes: true)
  }

  func prepare(_ schema: Schema) -> [String] { fault == .notesEveryTime ? ["A note."] : [] }

  func reader(on reader: MemoryReader, _ schema: Schema) -> FaultyReader {
    FaultyReader(base: reader, store: base, fault: fault)
  }

  func writer(on writer: MemoryWriter, _ schema: Schema) -> FaultyWriter {
    FaultyWriter(base: writer, store: base, schema: schema, lastNumber: lastNumber, fault: fault)
  }

  func read<R>(_ schema: Schema, _ body: (inout FaultyReader) throws -> R) throws -> R {
    if failedReads.value > 1000 { throw Exhausted() }
    return try base.read(known(schema)) { inner in
      var reader = reader(on: inner, schema)
      do { return try body(&reader) } catch {
        if fault == .leaksReads { failedReads.value += 1 }
        throw error
      }
    }
  }

  func write<R>(_ schema: Schema, _ body: (inout FaultyWriter) throws -> TransactionCompletion<R>) throws -> R
  {
    if fault == .runsAgain {
      try base.write(schema) { inner in
        _ = try run(body, &inner, schema, nil)
        return .rollBack(())
      }
    }
    // Before it is this write's turn.
    let early = fault == .readsTooEarly ? try base.read(schema) { $0 } : nil
    var conflict = ConflictError("")
    let ending = try base.write(known(schema)) { inner -> TransactionCompletion<TransactionCompletion<R>?> in
      if fault == .keepsEveryRun { _ = try run(body, &inner, schema, early) }
      let ending: TransactionCompletion<R>
      do { ending = try run(body, &inner, schema, early) } catch let error as ConflictError {
        guard fault == .commitsConflicts else { throw error }
        conflict = error
        return .commit(nil)
      }
      return fault == .keepsUndone ? .commit(.commit(ending.result)) : ending.kept
    }
    guard let ending else { throw conflict }
    if fault == .remembersUndoneKinds, case .rollBack = ending {
      try base.write(schema) { _ in .commit(()) }
    }
    return ending.result
  }

  private func run<R>(
    _ body: (inout FaultyWriter) throws -> TransactionCompletion<R>, _ inner: inout MemoryWriter,
    _ schema: Schema, _ early: MemoryReader?
  ) throws -> TransactionCompletion<R> {
    var writer = writer(on: inner, schema)
    writer.early = early
    defer { inner = writer.base }
    return try body(&writer)
  }

  /// The schema without the kinds of keys, or without indexes.
  private func known(_ schema: Schema) -> Schema {
    guard fault == .takesKeysOfAnyKind || fault == .ignoresUniqueIndexes else { return schema }
    return Schema(
      entities: schema.entities.map {
        .init(name: $0.name, fields: $0.fields, keyKind: fault == .takesKeysOfAnyKind ? nil : $0.keyKind)
      })
  }
}

/// The error of a store that has no reads left.
private struct Exhausted: Error {}

extension TransactionCompletion {
  /// The ending itself as its result.
  fileprivate var kept: TransactionCompletion<TransactionCompletion?> {
    switch self {
    case .commit: .commit(self)
    case .rollBack: .rollBack(self)
    }
  }
}

// @unchecked: a store with a fault that counts is used by one thread.
final class Counter: @unchecked Sendable {
  var value = 0
}
