import FastMapCore
import FastMapLMDB

/// FastMap: instances of classes into a new LMDB store, without JSON of the caller.
struct FamilyInserts: Subject {
  let families: Families
  let folder: Folder
  /// Whether objects with known keys would be updated.
  let updates: Bool

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: folder.newPath("fastmap"))
    let parents = try ParentObject.parents.objects(from: families.json)
    return {
      let report =
        try updates
        ? store.upsert(parents, as: ParentObject.parents) : store.insert(parents, as: ParentObject.parents)
      let inserted = report.entities.reduce(0) { $0 + $1.counts.inserted }
      try WrongOutcome.check(
        inserted == families.objectCount, "\(families.objectCount) inserted, found \(inserted)")
      return parents.count
    }
  }
}
