import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Testing

@Suite struct MemoryContractTests {
  // FEM-160, FEM-214, BUG-35, BUG-43, BUG-54
  @Test(arguments: StoreContract<MemoryStore>.checks)
  func keepsTheStoreContract(_ check: StoreContract<MemoryStore>.Check) throws {
    try StoreContract { MemoryStore() }.run(check)
  }
}
