import FastMapCore
import FastMapSQLite
import FastMapStoreTesting
import Testing

@Suite struct SQLiteContractTests {
  @Test(arguments: StoreContract<SQLiteStore>.checks)
  func keepsTheStoreContract(_ check: StoreContract<SQLiteStore>.Check) throws {
    let folder = try Folder()
    let contract = StoreContract {
      let path = folder.newFile()
      return { try SQLiteStore(at: path) }
    }
    try contract.run(check)
  }
}
