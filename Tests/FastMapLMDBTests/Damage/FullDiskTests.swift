#if os(Linux)
  import FastMapSystem
  import CFastMapLMDB
  import TestSupport
  import Testing

  @testable import FastMapLMDB

  /// A disk without room, in earnest: a page of a map that has no block on it ends the process.
  @Suite(.enabled(if: !SmallDisk.mountable.isEmpty, "no file system may be mounted here"))
  struct FullDiskTests {
    let scratch = Scratch()

    /// A store on a small disk, and many readers at once.
    private static func makeStore(_ path: String) throws {
      let environment = try Environment.open(at: path, .test)
      try environment.write { try $0.put(environment.things, 1, "one") }
    }

    private static func readAtOnce(_ count: Int, _ environment: Environment) throws {
      try environment.read { snapshot in
        try expect(snapshot.text(environment.things, 1), is: "one")
        if count > 1 { try readAtOnce(count - 1, environment) }
      }
    }

    @Test(arguments: SmallDisk.mountable)
    func readersHaveTheirRoom(_ disk: SmallDisk) async {
      let path = scratch.path
      await #expect(processExitsWith: .success) { [path = path as String, disk = disk as SmallDisk] in
        disk.mount(at: path)
        try Self.makeStore(path + "/store")
        SmallDisk.fill(path)
        for isReadOnly in [false, true] {
          let environment = try Environment.open(at: path + "/store", .test { $0.isReadOnly = isReadOnly })
          try Self.readAtOnce(400, environment)
          guard !isReadOnly else { continue }
          let found = reason {
            try environment.write { try $0.fill(environment.things, 0..<500, length: 1000) }
          }
          expect(found, is: .diskFull)
          try Self.readAtOnce(400, environment)
        }
      }
    }

    @Test(arguments: SmallDisk.mountable)
    func aLockFileWithoutRoomIsAnError(_ disk: SmallDisk) async {
      let path = scratch.path
      await #expect(processExitsWith: .success) { [path = path as String, disk = disk as SmallDisk] in
        disk.mount(at: path)
        let lock = path + "/store/lock.mdb"
        // None; one that has lost its blocks, as a copy may; one of an LMDB that allocates none.
        for hasLength in [false, true] {
          try Self.makeStore(path + "/store")
          unlink(lock)
          if hasLength {
            write([], to: lock)
            truncate(lock, off_t(LockFile.size(readers: 1024)))
          }
          SmallDisk.fill(path)
          for isReadOnly in [false, true] {
            let found = reason {
              _ = try Environment.open(at: path + "/store", .test { $0.isReadOnly = isReadOnly })
            }
            expect(found, is: .diskFull)
          }
          SmallDisk.makeRoom(path)
          let environment = try Environment.open(at: path + "/store", .test)
          SmallDisk.fill(path)
          try Self.readAtOnce(400, environment)
          SmallDisk.makeRoom(path)
        }
      }
    }

    /// Another program has made the lock file, and has it open.
    @Test(arguments: SmallDisk.mountable)
    func aLockFileInUseGetsItsBlocks(_ disk: SmallDisk) async {
      let path = scratch.path
      await #expect(processExitsWith: .success) { [path = path as String, disk = disk as SmallDisk] in
        disk.mount(at: path)
        try Self.makeStore(path + "/store")
        let lock = path + "/store/lock.mdb"
        unlink(lock)
        let other = try #require(OtherProgram.hold(path + "/store"))
        defer { OtherProgram.end(other) }
        SmallDisk.fill(path)
        expect(reason { _ = try Environment.open(at: path + "/store", .test) }, is: .diskFull)
        SmallDisk.makeRoom(path)
        let environment = try Environment.open(at: path + "/store", .test)
        SmallDisk.fill(path)
        try Self.readAtOnce(100, environment)  // that program has room for 126
      }
    }

    @Test(arguments: SmallDisk.mountable)
    func aStoreWithoutRoomIsNotMade(_ disk: SmallDisk) async {
      let path = scratch.path
      await #expect(processExitsWith: .success) { [path = path as String, disk = disk as SmallDisk] in
        disk.mount(at: path)
        mkdir(path + "/store", 0o700)
        SmallDisk.fill(path)
        expect(reason { _ = try Environment.open(at: path + "/store", .test) }, is: .diskFull)
        // At most a lock file remains, and a store can be made once there is room.
        let names = try FileSystem.names(in: path + "/store")
        #expect(names.allSatisfy { $0 == "data.mdb" || $0 == "lock.mdb" }, "\(names)")
        SmallDisk.makeRoom(path)
        try Self.makeStore(path + "/store")
      }
    }

    @Test(.enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"), arguments: SmallDisk.mountable)
    func theToolSaysIt(_ disk: SmallDisk) async {
      let path = scratch.path
      await #expect(processExitsWith: .success) { [path = path as String, disk = disk as SmallDisk] in
        disk.mount(at: path)
        try Self.makeStore(path + "/store")
        unlink(path + "/store/lock.mdb")
        SmallDisk.fill(path)
        let run = try FastMapTool.run(["stats", "--store", path + "/store"], in: Scratch())
        #expect(run.ending == .exited(1))
        #expect(run.errors.contains("store: no room left: the disk, a quota or a file size limit is full"))
      }
    }
  }

  /// A program that uses plain LMDB, which gives its lock file no blocks.
  private enum OtherProgram {
    static func hold(_ store: String) -> (process: pid_t, end: CInt)? {
      var ready: [CInt] = [0, 0]
      var over: [CInt] = [0, 0]
      guard pipe(&ready) == 0, pipe(&over) == 0 else { return nil }
      let child = forkProcess()
      var byte: UInt8 = 0
      if child == 0 {
        close(ready[0])
        close(over[1])
        var handle: OpaquePointer?
        guard mdb_env_create(&handle) == MDB_SUCCESS, mdb_env_open(handle, store, 0, 0o600) == MDB_SUCCESS
        else { _exit(1) }
        close(ready[1])
        read(over[0], &byte, 1)  // until the other end is closed
        _exit(0)
      }
      close(ready[1])
      close(over[0])
      read(ready[0], &byte, 1)
      close(ready[0])
      return (child, over[1])
    }

    static func end(_ other: (process: pid_t, end: CInt)) {
      close(other.end)
      var status: CInt = 0
      waitpid(other.process, &status, 0)
    }
  }
#endif
