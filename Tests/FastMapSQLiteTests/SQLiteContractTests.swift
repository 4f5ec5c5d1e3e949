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
  private let contract: StoreContract<SQLiteStore>

  init() throws {
    let folder = try Folder()
    contract = StoreContract {
      let path = folder.newFile()
      return { try SQLiteStore(at: path) }
    }
  }

  @Test func aQueryMatchesAFilteredArray() throws {
    try contract.runQueries(200, seed: .random(in: 0 ... .max))
  }

  @Test func aContextMatchesItsModel() throws { try contract.runContexts(8, seed: .random(in: 0 ... .max)) }

  @Test func anImportOfAnyFormMatchesItsModel() throws {
    try contract.runForms(1, seed: .random(in: 0 ... .max))
  }
}
