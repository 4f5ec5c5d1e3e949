import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import Synchronization
import TestSupport
import Testing

/// Every promise of a store, on disk.
@Suite struct ContractTests {
  /// Names places for stores in one directory, a new one each time.
  private final class Stores: Sendable {
    private let scratch = Scratch()
    private let count = Atomic(0)
    private let configuration: LMDBStore.Configuration

    init(_ configuration: LMDBStore.Configuration = .init()) { self.configuration = configuration }

    func newPlace() -> () throws -> LMDBStore {
      let path = scratch.path + "/\(count.add(1, ordering: .relaxed).newValue).db"
      return { [configuration] in try LMDBStore(at: path, configuration: configuration) }
    }

    /// Looks over all stores that were made.
    func expectSound() throws {
      for number in 1...max(1, count.load(ordering: .relaxed)) {
        try LMDBStore(at: scratch.path + "/\(number).db").expectSound()
      }
    }
  }

  // FEM-160, FEM-214, FEM-215, WAM-46, WAM-80, BUG-43, BUG-54, BUG-65, BUG-67
  @Test(arguments: StoreContract<LMDBStore>.checks)
  func keepsTheStoreContract(_ check: StoreContract<LMDBStore>.Check) throws {
    let stores = Stores()
    try StoreContract(makePlace: stores.newPlace).run(check)
    try stores.expectSound()
  }

  /// Writes start afresh when the map grows under them.
  @Test(arguments: StoreContract<LMDBStore>.shortChecks())
  func keepsTheStoreContractWhileItGrows(_ check: StoreContract<LMDBStore>.Check) throws {
    let configuration = LMDBStore.Configuration.with { $0.mapSize = 1 << 16 }
    let stores = Stores(configuration)
    try StoreContract(makePlace: stores.newPlace).run(check)
    try stores.expectSound()
  }
}
