#if os(Linux)
  import FastMapSystem
  import Testing
  import TestSupport

  /// A file system of a few megabytes, visible to the calling thread alone, which goes with its process.
  enum SmallDisk: String, CaseIterable, Codable, Sendable {
    case tmpfs, ext4

    /// The disks that this machine lets us mount; none if mounting takes rights that we do not have.
    static let mountable: [SmallDisk] = allCases.filter { disk in
      let scratch = Scratch()
      return shell(disk.commands(at: scratch.path).replacing("mount ", with: "unshare -m mount ")) == 0
    }

    private func commands(at directory: String) -> String {
      switch self {
      case .tmpfs: "mount -t tmpfs -o size=4m none \(directory)"
      case .ext4:
        "truncate -s 8M \(directory).img && mkfs.ext4 -q -m 0 \(directory).img && mount -o loop \(directory).img \(directory);"
          + " status=$?; rm -f \(directory).img; exit $status"
      }
    }

    /// Mounts it over a directory, for this thread and the programs that it starts.
    func mount(at directory: String) {
      typealias Unshare = @convention(c) (CInt) -> CInt  // glibc shows it to GNU programs only
      let unshare = unsafeBitCast(dlsym(nil, "unshare"), to: Unshare.self)
      precondition(unshare(0x0002_0000) == 0, "CLONE_NEWNS")
      precondition(Self.shell("mount --make-rprivate /") == 0)
      precondition(Self.shell(commands(at: directory)) == 0)
    }

    private static func shell(_ line: String) -> CInt {
      let words = ["/bin/sh", "-c", "PATH=$PATH:/sbin:/usr/sbin; \(line)"]
      guard let process = try? Program.start(words), Program.ending(of: process, waits: true) == .exited(0)
      else { return -1 }
      return 0
    }

    /// Writes a file that leaves no room for anything else.
    static func fill(_ directory: String) {
      let ballast = open(directory + "/ballast", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      precondition(ballast >= 0)
      defer { close(ballast) }
      var part = [UInt8](repeating: 0x78, count: 1 << 16)
      var place = 0
      while !part.isEmpty {
        let count = pwrite(ballast, part, part.count, off_t(place))
        place += max(count, 0)
        if count < part.count { part.removeLast(max(part.count / 2, 1)) }
      }
      fsync(ballast)
    }

    static func makeRoom(_ directory: String) { unlink(directory + "/ballast") }
  }
#endif
