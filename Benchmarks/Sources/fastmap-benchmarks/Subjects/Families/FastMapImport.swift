import FastMapCore
import FastMapLMDB
import FastMapMemory

/// FastMap: JSON text into a new LMDB store. Objects are uniqued and related, and the commit is on the disk.
struct FastMapImport: Subject {
  let families: Families
  let folder: Folder
  let plan: Plan
  let options: ImportOptions

  init(_ families: Families, _ folder: Folder, readsAhead: Bool = true, indexes: [String] = []) throws {
    self.families = families
    self.folder = folder
    plan = try Families.makePlan(indexes: indexes)
    var options = ImportOptions()
    options.readsAhead = readsAhead
    self.options = options
  }

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: folder.newPath("fastmap"))
    return {
      let report = try Mapper(store).importJSON(families.json, as: plan, options: options)
      let inserted = report.entities.reduce(0) { $0 + $1.counts.inserted }
      try WrongOutcome.check(
        inserted == families.objectCount, "\(families.objectCount) inserted, found \(inserted)")
      return report.rootObjects
    }
  }
}

/// FastMap: JSON text into dynamic records, uniqued and related, in a memory store.
struct FastMapRecords: Subject {
  let families: Families
  let plan: Plan

  init(_ families: Families) throws {
    self.families = families
    plan = try Families.makePlan()
  }

  func prepare() throws -> () throws -> Int {
    let store = MemoryStore()
    return { try Mapper(store).importJSON(families.json, as: plan).rootObjects }
  }
}
