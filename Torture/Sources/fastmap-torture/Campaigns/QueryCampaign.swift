import FastMapCore
import FastMapLMDB
import FastMapMemory
import FastMapModels
import FastMapStoreTesting

/// Asks random queries about random objects with indexes and inverses, by turns on LMDB and in memory.
enum QueryCampaign {
  static let campaign = Campaign(
    name: "queries", title: "random queries over random objects, with indexes and inverses",
    cases: .count("queries"), rule: "each finds what an array has"
  ) { run in
    try RandomChecks.repeated(
      run, "queries", total: run.count(short: 2000, long: 400_000), each: 100,
      onLMDB: { try $0.runQueries(100, seed: $1) }, inMemory: { try $0.runQueries(100, seed: $1) })
  }
}

/// Checks of the store contract that take a seed, on LMDB and in memory.
enum RandomChecks {
  /// - Parameters:
  ///   - total: The number of cases.
  ///   - each: The number of cases of one call.
  static func repeated(
    _ run: Run, _ what: String, total: Int, each: Int,
    onLMDB: (StoreContract<LMDBStore>, UInt64) throws -> Void,
    inMemory: (StoreContract<MemoryStore>, UInt64) throws -> Void
  ) throws {
    let scratch = try Scratch(isInMemory: true)
    let lmdb = StoreContract {
      scratch.clear(scratch.store)
      return try LMDBStore(at: scratch.store)
    }
    let memory = StoreContract { MemoryStore() }
    var random = SeededNumbers(seed: run.seed)
    for done in stride(from: 0, to: total, by: each) {
      guard run.goesOn(done, of: total, what) else { return }
      let seed = random.next()
      do {
        if done / each % 2 == 0 { try onLMDB(lmdb, seed) } else { try inMemory(memory, seed) }
      } catch { run.violation("\(error)") }
      run.add(each, to: what)
    }
  }
}
