import CFastMapLMDB
import FastMapCore
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// A power cut leaves a complete file under a name, or none: a file is synced before it gets its name, its directory after that.
@Suite struct SyncTests {
  private let scratch = Scratch()

  private static let item = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("text", .string)
  }

  /// A store with free pages.
  private func makeStore() throws -> LMDBStore {
    let store = try LMDBStore(at: scratch.store)
    let text = String(repeating: "x", count: 500)
    let items = (0..<200).map { #"{"id":\#($0),"text":"\#(text)"}"# }
    try store.take("[\(items.joined(separator: ","))]", as: Self.item)
    try store.delete(try Plan(Self.item).query(of: "Item").keys(KeyRange(from: 10)))
    return store
  }

  private func steps(of body: () throws -> Void) rethrows -> [FileStep] {
    let steps = Shared<[FileStep]>([])
    try FileStep.$observer.withValue({ step in steps.change { $0.append(step) } }) { try body() }
    return steps.value
  }

  /// Expects that the file at `path` got its name once, that nothing was written to it between its last sync and that, and that
  /// the directories were synced after it.
  private func expectDurable(
    _ path: String, in directories: [String], _ steps: [FileStep],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let file = FileID(try #require(try FileSystem.status(of: path), sourceLocation: location))
    let places = steps.indices.filter {
      if case .named(let status) = steps[$0] { FileID(status) == file } else { false }
    }
    #expect(places.count == 1, sourceLocation: location)
    guard let place = places.first, case .named(let named) = steps[place] else { return }
    let before = steps[..<place].compactMap { step -> stat? in
      if case .synced(let status) = step, FileID(status) == file { status } else { nil }
    }
    let synced = try #require(before.last, "it gets its name unsynced", sourceLocation: location)
    #expect(synced.st_size == named.st_size, "it was written to after its sync", sourceLocation: location)
    #expect(
      Self.modified(synced) == Self.modified(named), "it was written to after its sync",
      sourceLocation: location)
    let after = steps[place...].compactMap { step -> FileID? in
      if case .synced(let status) = step { FileID(status) } else { nil }
    }
    for directory in directories {
      let id = FileID(try #require(try FileSystem.status(of: directory), sourceLocation: location))
      #expect(after.contains(id), "\(directory) is not synced after it", sourceLocation: location)
    }
  }

  private static func modified(_ status: stat) -> [Int] {
    #if canImport(Darwin)
      [Int(status.st_mtimespec.tv_sec), Int(status.st_mtimespec.tv_nsec)]
    #else
      [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
    #endif
  }

  @Test func aNewStore() throws {
    let steps = try steps { _ = try LMDBStore(at: scratch.store) }
    try expectDurable(scratch.dataFile, in: [scratch.store, scratch.path], steps)
  }

  /// The store's maker may have died before it synced the names. Openers sync them until the next commit.
  @Test func theNamesOfAStoreThatAnotherProcessHasMade() throws {
    func syncs() throws -> Int { try steps { _ = try LMDBStore(at: scratch.store) }.count }
    #expect(try syncs() > 2)
    #expect(try syncs() == 2)
    try LMDBStore(at: scratch.store).take(#"{"id":1}"#, as: Self.item)
    #expect(try syncs() == 0)
  }

  @Test(arguments: [false, true]) func aBackup(compacting: Bool) throws {
    let store = try makeStore()
    let copy = scratch.path + "/copy.db"
    let steps = try steps { try store.backup(to: copy, compacting: compacting) }
    try expectDurable(copy + "/data.mdb", in: [copy, scratch.path], steps)
  }

  @Test func aCompactedStore() throws {
    try withExtendedLifetime(makeStore()) {}
    var saved = 0
    let steps = try steps { saved = try LMDBStore.compact(at: scratch.store) }
    #expect(saved > 0)
    try expectDurable(scratch.dataFile, in: [scratch.store], steps)
  }

  /// LMDB has synced its own commits.
  @Test func aRepairedStore() throws {
    try withExtendedLifetime(makeStore()) {}
    let repaired = scratch.path + "/repaired.db"
    let steps = try steps { _ = try LMDBStore.repair(from: scratch.store, to: repaired) }
    let named = try #require(
      steps.lastIndex { if case .named = $0 { true } else { false } })
    let file = FileID(try #require(try FileSystem.status(of: repaired + "/data.mdb")))
    guard case .named(let status) = steps[named] else { return }
    #expect(FileID(status) == file)
    let after = steps[named...].compactMap { step -> FileID? in
      if case .synced(let status) = step { FileID(status) } else { nil }
    }
    for directory in [repaired, scratch.path] {
      let id = FileID(try #require(try FileSystem.status(of: directory)))
      #expect(after.contains(id))
    }
  }

  /// LMDB syncs each commit, and its header after that, unless asked not to.
  @Test(arguments: [
    (LMDBStore.Durability.full, CInt(0)), (.lastTransactionMayBeLost, MDB_NOMETASYNC),
  ])
  func eachCommit(_ durability: LMDBStore.Durability, _ expected: CInt) throws {
    #expect(LMDBStore.Configuration().durability == .full)
    let environment = try Environment.open(at: scratch.store, .test { $0.durability = durability })
    var flags: CUnsignedInt = 0
    #expect(mdb_env_get_flags(environment.handle, &flags) == MDB_SUCCESS)
    #expect(CInt(flags) & (MDB_NOSYNC | MDB_NOMETASYNC | MDB_MAPASYNC | MDB_WRITEMAP) == expected)
    withExtendedLifetime(environment) {}
  }

  /// A load is a commit of a store that has its name.
  @Test func aLoadedStoreAndItsDump() throws {
    let store = try makeStore()
    let (file, copy) = (scratch.path + "/all.dump", scratch.path + "/copy.db")
    let dumping = try steps { try store.dump(to: file) }
    try expectDurable(file, in: [scratch.path], dumping)
    let loading = try steps { try LMDBStore(at: copy).load(dump: file) }
    try expectDurable(copy + "/data.mdb", in: [copy, scratch.path], loading)
  }
}
