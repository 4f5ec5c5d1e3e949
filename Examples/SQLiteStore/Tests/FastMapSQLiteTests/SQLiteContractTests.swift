import FastMapCore
import FastMapSQLite
import FastMapStoreTesting
import Foundation
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

  /// `FASTMAP_QUERIES` sets another number.
  @Test func aQueryFindsWhatAnArrayHas() throws {
    let count = ProcessInfo.processInfo.environment["FASTMAP_QUERIES"].flatMap { Int($0) } ?? 1000
    let folder = try Folder()
    try StoreContract {
      let path = folder.newFile()
      return { try SQLiteStore(at: path) }
    }.runQueries(count, seed: .random(in: 0 ... .max))
  }

  /// `FASTMAP_SEQUENCES` sets another number.
  @Test func aContextDoesWhatItsModelDoes() throws {
    let count = ProcessInfo.processInfo.environment["FASTMAP_SEQUENCES"].flatMap { Int($0) } ?? 30
    let folder = try Folder()
    try StoreContract {
      let path = folder.newFile()
      return { try SQLiteStore(at: path) }
    }.runContexts(count, seed: .random(in: 0 ... .max))
  }

  /// `FASTMAP_FORMS` sets another number.
  @Test func anImportOfAnyFormDoesWhatItsModelDoes() throws {
    let count = ProcessInfo.processInfo.environment["FASTMAP_FORMS"].flatMap { Int($0) } ?? 3
    let folder = try Folder()
    try StoreContract {
      let path = folder.newFile()
      return { try SQLiteStore(at: path) }
    }.runForms(count, seed: .random(in: 0 ... .max))
  }
}
