import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Testing

@Suite struct MemoryContractTests {
  @Test(arguments: StoreContract<MemoryStore>.checks)
  func keepsTheStoreContract(_ check: StoreContract<MemoryStore>.Check) throws {
    try StoreContract { MemoryStore() }.run(check)
  }
}
