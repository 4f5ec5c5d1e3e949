import CFastMapLMDB

/// The LMDB library that the program is linked with. The program may be compiled for another version.
struct LMDBLibrary {
  let major: Int
  let minor: Int
  let patch: Int

  /// C: `mdb_version`
  static let linked: LMDBLibrary = {
    var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
    mdb_version(&major, &minor, &patch)
    return LMDBLibrary(major: Int(major), minor: Int(minor), patch: Int(patch))
  }()

  /// Refuses a library whose file format or structures may differ from the headers (shim.h).
  func check(_ path: String) throws(LMDBError) {
    guard major == Int(MDB_VERSION_MAJOR), minor == Int(MDB_VERSION_MINOR), patch < 70 else {
      throw LMDBError(.foreignLibrary(version: "\(major).\(minor).\(patch)"), path: path)
    }
  }
}
