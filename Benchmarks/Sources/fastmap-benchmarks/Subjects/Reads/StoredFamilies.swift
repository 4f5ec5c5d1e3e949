import FastMapCore
import FastMapLMDB
import Foundation
import PlainLMDB

/// The families in three closed stores: FastMap's, SQLite's, and a plain LMDB with a value of a record's size for
/// each child.
struct StoredFamilies {
  let families: Families
  let plan: Plan
  let fastMap: String
  let sqlite: String
  let lmdb: String
  /// The keys of children, in random order and without repeats, as a query gives each object once.
  let keys: [Int]

  var childCount: Int { families.parentCount * families.shape.childrenPerParent }

  /// The keys of half of all children.
  var middleHalf: ClosedRange<Int> { (childCount / 4 + 1)...(childCount / 4 * 3) }

  init(_ families: Families, keyCount: Int, _ folder: Folder) throws {
    self.families = families
    plan = try Families.makePlan()
    fastMap = try folder.newPath("stored-fastmap")
    sqlite = try folder.newDirectory("stored-sqlite")
    lmdb = try folder.newDirectory("stored-lmdb")
    _ = try Mapper(LMDBStore(at: fastMap)).importJSON(families.json, as: plan)
    try FamilyDatabase(at: sqlite, isIndexed: true).upsert(Parent.decode(Data(families.json)))
    try PlainEnvironment(at: lmdb).put(Records(ofStore: fastMap))
    let childCount = families.parentCount * families.shape.childrenPerParent
    var numbers = SeededNumbers(seed: 9)
    var keys = Array(1...childCount)
    numbers.shuffle(&keys)
    self.keys = Array(keys.prefix(keyCount))
  }

  /// Evicts the files from the kernel's cache, as far as possible.
  func evict() {
    for file in [fastMap + "/data.mdb", sqlite + "/families.sqlite", lmdb + "/data.mdb"] {
      let descriptor = open(file, O_RDONLY)
      guard descriptor >= 0 else { continue }
      fsync(descriptor)
      #if canImport(Glibc)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
      #endif
      close(descriptor)
    }
  }
}
