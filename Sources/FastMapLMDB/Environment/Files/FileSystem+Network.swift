import FastMapSystem

extension FileSystem {
  /// The name of the file system at `path`, if LMDB cannot work on it. `lmdb.h` forbids remote file systems. File
  /// systems in user space are mostly remote, or have no coherent memory maps.
  static func networkFileSystem(holding path: String) -> String? {
    #if os(Linux) || os(Android)
      return kernelType(of: path).flatMap { networkFileSystem(ofType: $0) }
    #else
      var volume = statfs()
      guard statfs(path, &volume) == 0, volume.f_flags & UInt32(MNT_LOCAL) == 0 else { return nil }
      return withUnsafeBytes(of: &volume.f_fstypename) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
    #endif
  }

  #if os(Linux) || os(Android)
    private typealias StatFS = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer) -> CInt

    /// The `f_type` of statfs(2), looked up by name because Swift's Glibc module omits `<sys/statfs.h>`.
    private static func kernelType(of path: String) -> UInt32? {
      guard let symbol = dlsym(nil, "statfs") else { return nil }
      let statfs = unsafeBitCast(symbol, to: StatFS.self)
      // The largest `struct statfs` has 120 bytes. The type comes first, and all known types have 32 bits.
      return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { volume in
        statfs(path, volume.baseAddress!) == 0 ? volume.load(as: UInt32.self) : nil
      }
    }

    /// The name of an unsupported kind of file system; nil for any other.
    static func networkFileSystem(ofType type: UInt32) -> String? {
      networkFileSystems.first { $0.type == type }?.name
    }

    /// By `f_type`; see statfs(2) and the kernel's `linux/magic.h`.
    private static let networkFileSystems: [(type: UInt32, name: String)] = [
      (0x0000_6969, "NFS"),
      (0xFF53_4D42, "CIFS"),
      (0xFE53_4D42, "SMB2"),
      (0x0000_517B, "SMB"),
      (0x0000_564C, "NCP"),
      (0x0102_1997, "9p"),
      (0x6573_5546, "FUSE"),
      (0x5346_414F, "AFS"),
      (0x6B41_4653, "AFS"),
      (0x7375_7245, "Coda"),
      (0x00C3_6400, "Ceph"),
      (0x0BD0_0BD0, "Lustre"),
      (0x4750_4653, "GPFS"),
      (0x1983_0326, "BeeGFS"),
      (0x786F_4256, "VirtualBox shared folder"),
      (0x0116_1970, "GFS2"),
      (0x7461_636F, "OCFS2"),
    ]
  #endif
}
