import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// The contract does not ask how a store numbers its objects, nor when it answers.
@Suite struct WrappedContractTests {
  typealias Wrapped = LateStore<FingerprintStore<ScatteredStore<MemoryStore>>>

  /// Numbers in no order, fingerprints, answers that come late, and several instances that share one base store.
  @Test(arguments: StoreContract<Wrapped>.shortChecks())
  func aStoreLikeOneOnAnotherMachineKeepsTheContract(_ check: StoreContract<Wrapped>.Check) throws {
    try StoreContract {
      let (store, table) = (MemoryStore(), FingerprintTable())
      return { LateStore(FingerprintStore(ScatteredStore(store), table)) }
    }.run(check)
  }
}
