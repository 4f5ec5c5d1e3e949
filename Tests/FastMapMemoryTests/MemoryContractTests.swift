import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Testing

// BUG-43
@Suite struct MemoryContractTests {
  // FEM-160, FEM-214, BUG-35, BUG-54, FEM-212
  @Test(arguments: StoreContract<MemoryStore>.shortChecks(whole: 1))
  func keepsTheStoreContract(_ check: StoreContract<MemoryStore>.Check) throws {
    try StoreContract { MemoryStore() }.run(check)
  }

  /// The check of a promise must see the faults that break it.
  @Test(arguments: Fault.allCases)
  func aStoreWithAFaultBreaksItsPromises(_ fault: Fault) throws {
    for promise in fault.promises {
      let check = try #require(StoreContract<FaultyStore>.checks.first { $0.name == promise })
      #expect(throws: (any Error).self, "\(fault): \(promise)") {
        try StoreContract { FaultyStore.newPlace(fault) }.run(check)
      }
    }
  }

  @Test(arguments: StoreContract<FaultyStore>.shortChecks())
  func withoutItsFaultItKeepsThem(_ check: StoreContract<FaultyStore>.Check) throws {
    try StoreContract { FaultyStore.newPlace(nil) }.run(check)
  }

  @Test func promisesHaveNamesOfTheirOwn() {
    let names = StoreContract<MemoryStore>.checks.map(\.name)
    #expect(Set(names).count == names.count)
  }
}
