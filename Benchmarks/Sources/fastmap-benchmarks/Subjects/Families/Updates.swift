import FastMapCore
import FastMapLMDB
import FastMapMemory
import Foundation

/// A series of payloads, each imported into a store with the previous one.
final class Payloads {
  let plan: Plan
  let policy: RelationshipPolicy
  let old: FamilyDatabase.Old
  /// The initial content of every store.
  let first: Families
  private let make: (_ round: Int) -> Families
  private var made: [Int: Families] = [:]

  init(
    _ first: Families, policy: RelationshipPolicy = .assign,
    old: FamilyDatabase.Old = .kept(firstPosition: 0), make: @escaping (Int) -> Families
  ) throws {
    self.first = first
    self.old = old
    self.make = make
    self.policy = policy
    plan = try Families.makePlan(policy: policy)
  }

  /// The payload of a round, counted from 1. Only the last one is kept, because all subjects use it in turn.
  func payload(_ round: Int) -> Families {
    if let known = made[round] { return known }
    let families = make(round)
    made = [round: families]
    return families
  }

  /// Alternates between the first payload and another.
  static func alternating(_ first: Families, _ other: Families) -> (Int) -> Families {
    { round in round % 2 == 1 ? other : first }
  }
}

/// The required report of an import.
struct Outcome {
  var changed: ClosedRange<Int>
  var deleted = 0
  var commits = true

  func check(_ report: ImportReport) throws(WrongOutcome) {
    let counts = report.entities.map(\.counts)
    let found = counts.reduce(0) { $0 + $1.updated + $1.inserted }
    try WrongOutcome.check(changed.contains(found), "\(changed) changed, found \(found)")
    let gone = counts.reduce(0) { $0 + $1.deleted }
    try WrongOutcome.check(deleted == gone, "\(deleted) deleted, found \(gone)")
  }
}

/// FastMap into an LMDB store with the previous payload.
final class FastMapUpdates: Subject {
  private let payloads: Payloads
  private let outcome: Outcome
  private let store: LMDBStore
  private var round = 0

  init(_ payloads: Payloads, _ outcome: Outcome, _ folder: Folder) throws {
    self.payloads = payloads
    self.outcome = outcome
    store = try LMDBStore(at: folder.newPath("fastmap-updates"))
    _ = try Mapper(store).importJSON(payloads.first.json, as: payloads.plan)
  }

  func prepare() throws -> () throws -> Int {
    round += 1
    let families = payloads.payload(round)
    let commits = try store.statistics().file?.commitCount
    return { [self] in
      let report = try Mapper(store).importJSON(families.json, as: payloads.plan)
      try outcome.check(report)
      let isCommitted = try store.statistics().file?.commitCount != commits
      try WrongOutcome.check(
        isCommitted == outcome.commits, "a commit: \(outcome.commits), found \(isCommitted)")
      return report.rootObjects
    }
  }
}

/// FastMap into instances from the previous payload.
final class FastMapObjectUpdates: Subject {
  private let payloads: Payloads
  private let outcome: Outcome
  private let parents: Mapping<ParentObject>
  private let store = MemoryStore()
  private var round = 0

  init(_ payloads: Payloads, _ outcome: Outcome) throws {
    self.payloads = payloads
    self.outcome = outcome
    parents = ParentObject.parents(payloads.policy)
    _ = try Mapper(store).importJSON(payloads.first.json, as: parents)
  }

  func prepare() throws -> () throws -> Int {
    round += 1
    let families = payloads.payload(round)
    return { [store, parents, outcome] in
      let report = try Mapper(store).importJSON(families.json, as: parents)
      try outcome.check(report)
      return report.rootObjects
    }
  }
}

/// `JSONDecoder` and SQLite's prepared upserts, into a database with the previous payload.
final class FoundationSQLiteUpdates: Subject {
  private let payloads: Payloads
  private let database: FamilyDatabase
  private var round = 0

  init(_ payloads: Payloads, _ folder: Folder) throws {
    self.payloads = payloads
    var isIndexed = false
    if case .deleted = payloads.old { isIndexed = true }
    database = try FamilyDatabase(at: folder.newDirectory("sqlite-updates"), isIndexed: isIndexed)
    try database.upsert(Parent.decode(Data(payloads.first.json)))
  }

  func prepare() throws -> () throws -> Int {
    round += 1
    let json = Data(payloads.payload(round).json)
    let old = payloads.old
    return { [database] in
      let parents = try Parent.decode(json)
      try database.upsert(parents, old: old)
      return parents.count
    }
  }
}

/// simdjson and SQLite's prepared upserts in C++, into a database with the previous payload.
final class SimdjsonSQLiteUpdates: Subject {
  private let payloads: Payloads
  private let database: FamilyDatabase
  private var round = 0

  init(_ payloads: Payloads, _ folder: Folder) throws {
    self.payloads = payloads
    database = try FamilyDatabase(at: folder.newDirectory("simdjson-updates"))
    _ = try PaddedText(payloads.first.json).upsert(into: database)
  }

  func prepare() throws -> () throws -> Int {
    round += 1
    let text = PaddedText(payloads.payload(round).json)
    var position = 0
    if case .kept(let first) = payloads.old { position = first }
    return { [database] in try text.upsert(into: database, firstPosition: position) }
  }
}
