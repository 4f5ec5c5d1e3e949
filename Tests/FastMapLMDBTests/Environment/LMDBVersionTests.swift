import CFastMapLMDB
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// LMDB 1.x, whose files and structures are others. `scripts/check-lmdb-version` expects errors for its headers.
@Suite struct LMDBVersionTests {
  let scratch = Scratch()

  /// The first bytes of a file that the development branch has made: its page headers have 24 bytes.
  @Test(arguments: [false, true])
  func aFileOfLMDB1IsRefusedByItsName(isReadOnly: Bool) throws {
    mkdir(scratch.store, 0o700)
    for number in 0..<2 {
      let page = number * Int(getpagesize())
      write([UInt8](repeating: 0, count: Int(getpagesize())), to: scratch.dataFile, at: page)
      write(UInt64(number), to: scratch.dataFile, at: page)
      write(UInt16(8), to: scratch.dataFile, at: page + 18)
      write(UInt32(0xBEEF_C0DE), to: scratch.dataFile, at: page + 24)
      write(UInt32(2), to: scratch.dataFile, at: page + 28)
      write(UInt64(1 << 20), to: scratch.dataFile, at: page + 40)
      write(UInt32(getpagesize()), to: scratch.dataFile, at: page + 48)
    }
    let before = try Files.bytes(of: scratch.dataFile)
    let error = thrown(LMDBError.self) {
      let configuration = LMDBStore.Configuration.with { $0.isReadOnly = isReadOnly }
      _ = try LMDBStore(at: scratch.store, configuration: configuration)
    }
    #expect(
      error?.description == "\(scratch.store): not usable by this version of FastMap:"
        + " data.mdb was written by LMDB 1.x (its format 2), FastMap reads the files of LMDB 0.9")
    #expect(try Files.bytes(of: scratch.dataFile) == before)
    #expect(try FileSystem.names(in: scratch.store) == ["data.mdb"])
  }

  @Test func theLinkedLibraryIsTheOneOfTheHeaders() throws {
    #expect((LMDBLibrary.linked.major, LMDBLibrary.linked.minor) == (0, 9))
    try LMDBLibrary.linked.check("people.db")
  }

  @Test(arguments: [(1, 0, 0), (0, 10, 0), (0, 9, 70), (0, 9, 90)])
  func anotherLibraryIsRefused(_ major: Int, _ minor: Int, _ patch: Int) {
    let library = LMDBLibrary(major: major, minor: minor, patch: patch)
    let error = thrown(LMDBError.self) { try library.check("people.db") }
    let version = "\(major).\(minor).\(patch)"
    #expect(error?.reason == .foreignLibrary(version: version))
    #expect(
      error?.description
        == "people.db: the program is linked with LMDB \(version), but FastMap requires LMDB 0.9")
  }
}
