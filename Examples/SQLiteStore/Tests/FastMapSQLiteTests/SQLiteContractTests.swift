import FastMapCore
import FastMapSQLite
import FastMapStoreTesting
import Testing

@Suite struct SQLiteContractTests {
  @Test(arguments: StoreContract<SQLiteStore>.checks)
  func keepsTheStoreContract(_ check: StoreContract<SQLiteStore>.Check) throws {
    let folder = try Folder()
    try StoreContract { try SQLiteStore(at: folder.newFile()) }.run(check)
  }
}
