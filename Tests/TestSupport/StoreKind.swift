package import FastMapCore
package import FastMapLMDB
import FastMapMemory
import FastMapStoreTesting
import FastMapSystem

/// The stores that a promise of every store is tested on. A new store is added here and nowhere else.
package enum StoreKind: String, Sendable {
  case memory
  case lmdb
  /// As a store on another machine: it wants sets, its numbers are in no order, it keeps fingerprints, and its answers
  /// come late.
  case remote
  /// A schema of its own in the database of `FASTMAP_POSTGRES`.
  case postgres

  /// Makes an empty store.
  package func make() throws -> any Store {
    switch self {
    case .memory: return MemoryStore()
    case .lmdb: return try ScratchStore()
    case .remote: return LateStore(FingerprintStore(ScatteredStore(try ScratchStore(), prefersSets: true)))
    case .postgres:
      #if Postgres
        return try ScratchSchema()
      #else
        preconditionFailure("\(Self.whyNoPostgres)")
      #endif
    }
  }

  /// Makes a store with the objects of a text.
  package func make(_ json: String, as source: some PlanSource) throws -> any Store {
    let store = try make()
    _ = try Mapper(store).importJSON(json, as: source.plan())
    return store
  }
}

extension StoreKind: CaseIterable {
  /// All that can be had; of these the ones that `FASTMAP_STORES` names, if it is set: `memory,postgres`.
  package static let allCases: [StoreKind] = {
    var kinds: [StoreKind] = [.memory, .lmdb, .remote]
    if hasPostgres { kinds.append(.postgres) }
    guard let wanted = getenv("FASTMAP_STORES").map({ String(cString: $0) }) else { return kinds }
    let names = wanted.split(separator: ",")
    kinds.removeAll { !names.contains(Substring($0.rawValue)) }
    precondition(
      kinds.count == names.count, "FASTMAP_STORES names stores that these tests do not have: \(wanted)")
    return kinds
  }()

  /// Whether there is a server for `.postgres`.
  package static var hasPostgres: Bool {
    #if Postgres
      getenv("FASTMAP_POSTGRES") != nil
    #else
      false
    #endif
  }

  /// Says why `.postgres` is not among the stores.
  package static let whyNoPostgres =
    "skipped: no store is tested on PostgreSQL, which needs the trait Postgres and FASTMAP_POSTGRES; scripts/test-postgres has both"
}

/// An LMDB store that goes with its last reference.
package final class ScratchStore: StoreOfBaseReaders, StoreOfBaseWriters {
  package let base: LMDBStore
  private let scratch = Scratch()

  package init(_ configuration: LMDBStore.Configuration = LMDBStore.Configuration()) throws {
    base = try LMDBStore(at: scratch.path + "/store", configuration: configuration)
  }

  /// A store that has to make room for nearly everything, and so runs writes again.
  package static func growing() throws -> ScratchStore {
    let configuration = LMDBStore.Configuration.with { $0.mapSize = 1 << 16 }
    return try ScratchStore(configuration)
  }
}

extension ScratchStore: PersistentStore {
  package func check() throws -> CheckReport { try base.check() }
  package func statistics() throws -> StoreStatistics { try base.statistics() }
}
