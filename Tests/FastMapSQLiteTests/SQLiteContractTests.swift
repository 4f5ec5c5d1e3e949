import FastMapCore
import FastMapModels
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

/// Random runs beside models.
@Suite struct SQLiteModelTests {
  @Test func aQueryMatchesAFilteredArray() throws {
    let folder = try Folder()
    try StoreContract {
      let path = folder.newFile()
      return { try SQLiteStore(at: path) }
    }.runQueries(200, seed: .random(in: 0 ... .max))
  }

  @Test func aContextMatchesItsModel() throws {
    let folder = try Folder()
    try StoreContract {
      let path = folder.newFile()
      return { try SQLiteStore(at: path) }
    }.runContexts(8, seed: .random(in: 0 ... .max))
  }

  @Test func anImportOfAnyFormMatchesItsModel() throws {
    let folder = try Folder()
    try StoreContract {
      let path = folder.newFile()
      return { try SQLiteStore(at: path) }
    }.runForms(1, seed: .random(in: 0 ... .max))
  }
}
