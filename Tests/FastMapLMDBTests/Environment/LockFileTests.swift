import FastMapCore
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// lock.mdb, which LMDB makes, follows and maps without a look.
@Suite struct LockFileTests {
  let scratch = Scratch()
  private var lock: String { scratch.store + "/lock.mdb" }

  @Test(arguments: [false, true])
  func aLockFileThatIsALinkIsRefused(isReadOnly: Bool) throws {
    try scratch.makeStore { try $0.put($1, 1, "one") }
    let target = scratch.path + "/precious"
    for hasTarget in [true, false] {
      if hasTarget { write(Array("precious".utf8), to: target) } else { unlink(target) }
      unlink(lock)
      symlink(target, lock)
      let found = reason {
        _ = try Environment.open(at: scratch.store, .test { $0.isReadOnly = isReadOnly })
      }
      let detail = "lock.mdb is a symbolic link; remove it"
      #expect(found == .notAStore(detail: detail))
      #expect(size(of: target) == (hasTarget ? 8 : -1))
    }
  }

  @Test func noStoreIsMadeBesideALink() throws {
    mkdir(scratch.store, 0o700)
    symlink(scratch.path + "/precious", lock)
    #expect(reason { _ = try Environment.open(at: scratch.store, .test) } != nil)
    #expect(try FileSystem.names(in: scratch.store) == ["lock.mdb"])
    #expect(size(of: scratch.path + "/precious") == -1)
  }

  @Test func compactionAndRepairRefuseIt() throws {
    do { _ = try LMDBStore(at: scratch.store) }
    unlink(lock)
    symlink(scratch.path + "/precious", lock)
    #expect(throws: LMDBError.self) { try LMDBStore.compact(at: scratch.store) }
    _ = try? LMDBStore.repair(from: scratch.store, to: scratch.path + "/repaired")
    _ = try? LMDBStore.removeUnused(at: scratch.store, keepsDirectory: true)
    #expect(size(of: scratch.path + "/precious") == -1)
  }

  @Test(arguments: ["directory", "pipe"])
  func aLockFileThatIsNoFileIsRefused(_ kind: String) throws {
    try scratch.makeStore()
    unlink(lock)
    if kind == "pipe" { mkfifo(lock, 0o600) } else { mkdir(lock, 0o700) }
    for isReadOnly in [false, true] {
      let found = reason {
        _ = try Environment.open(at: scratch.store, .test { $0.isReadOnly = isReadOnly })
      }
      #expect(found == .notAStore(detail: "lock.mdb is not a file"))
    }
    unlink(lock)
    rmdir(lock)
  }

  @Test(.enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"))
  func theToolRefusesALink() throws {
    do { _ = try LMDBStore(at: scratch.store) }
    unlink(lock)
    symlink(scratch.path + "/precious", lock)
    for command in ["stats", "check", "repair"] {
      let target = command == "repair" ? [scratch.path + "/repaired.db"] : []
      let run = try FastMapTool.run([command, "--store", scratch.store] + target, in: scratch)
      #expect(run.ending == .exited(1))
      #expect(run.errors.contains("lock.mdb is a symbolic link"))
      #expect(size(of: scratch.path + "/precious") == -1)
    }
  }

  /// LMDB changes neither its length nor its blocks.
  @Test(arguments: [1, 100, 1024])
  func theLockFileHasItsLengthAndItsBlocks(readers: Int) throws {
    let environment = try Environment.open(at: scratch.store, .test { $0.maxReaders = readers })
    var status = stat()
    #expect(lstat(lock, &status) == 0)
    #expect(Int(status.st_size) == LockFile.size(readers: readers))
    #expect(Int(status.st_blocks) * 512 >= LockFile.size(readers: readers))
    #expect(try environment.statistics().maxReaders == readers)
  }

  @Test func aLockFileWithoutBlocksGetsThem() throws {
    try scratch.makeStore()
    for length in [0, 100, 65_664, 1 << 30] {
      unlink(lock)
      write([], to: lock)
      truncate(lock, off_t(length))
      let environment = try Environment.open(at: scratch.store, .test)
      try environment.write { try $0.put(environment.things, 1, "one") }
      var status = stat()
      #expect(lstat(lock, &status) == 0)
      #expect(Int(status.st_size) == LockFile.size(readers: 1024))
      #expect(Int(status.st_blocks) * 512 >= LockFile.size(readers: 1024))
    }
  }
}
