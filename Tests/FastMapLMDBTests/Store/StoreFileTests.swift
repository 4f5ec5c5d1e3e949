import FastMapCore
import FastMapLMDB
import FastMapSystem
import TestSupport
import Testing

/// The store's directory, as others see it.
@Suite struct StoreFileTests {
  let scratch = Scratch()

  static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("phones", phone)
    ToOne("boss", boss, at: "boss_id")
  }
  static let phone = Mapping("Phone") { Attribute("number", .string) }
  static let boss = Mapping("Boss", entity: "Person", primaryKey: "id") {
    Attribute("id", .integer, at: .wholeValue)
  }

  // MARK: Opening

  struct BadFile: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let expected: LMDBError.Reason
    /// Damages a sound data file.
    let change: @Sendable (_ path: String) -> Void

    init(
      _ name: String, _ expected: LMDBError.Reason, _ change: @escaping @Sendable (_ path: String) -> Void
    ) {
      testDescription = name
      self.expected = expected
      self.change = change
    }
  }

  private static let page = Int(getpagesize())

  @Test(arguments: [
    BadFile(
      "empty", .notAStore(detail: "data.mdb is 0 bytes long, the shortest has \(2 * page)")
    ) { truncate($0, 0) },
    BadFile("cut in the first page", .truncated(expected: 2 * page, found: 1000)) { truncate($0, 1000) },
    BadFile("cut after the first page", .truncated(expected: 2 * page, found: page)) {
      truncate($0, off_t(page))
    },
    BadFile("overwritten with text", .notAStore(detail: "data.mdb is not LMDB's")) {
      write([UInt8](repeating: 0x41, count: size(of: $0)), to: $0)
    },
    BadFile("of another format", .foreignFile(detail: "data.mdb has LMDB's format 2, this LMDB reads 1")) {
      write(UInt32(2), to: $0, at: 20)
    },
    BadFile(
      "of the other byte order", .foreignFile(detail: "written on a machine of the other byte order")
    ) {
      write(UInt32(0xDEC0_EFBE), to: $0, at: 16)
    },
    BadFile(
      "with its first page lost", .damaged(place: "data.mdb, meta page 0", detail: "LMDB's mark is missing")
    ) {
      write([UInt8](repeating: 0, count: page), to: $0)
    },
  ])
  func aFileThatIsNoStoreIsRefusedAndLeftAlone(_ file: BadFile) throws {
    try LMDBStore(at: scratch.store).take(#"{"id": 1}"#, as: Self.person)
    file.change(scratch.dataFile)
    let before = try Files.bytes(of: scratch.dataFile)
    let error = thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store) }
    #expect((error?.reason, error?.path) == (file.expected, scratch.store))
    #expect(try Files.bytes(of: scratch.dataFile) == before)
  }

  // BUG-68
  @Test func aStoreThatLostItsLastPageIsRefused() throws {
    try LMDBStore(at: scratch.store).take(#"{"id": 1}"#, as: Self.person)
    let whole = size(of: scratch.dataFile)
    truncate(scratch.dataFile, off_t(whole - 1))
    let error = thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store) }
    #expect(error?.reason == .truncated(expected: whole, found: whole - 1))
  }

  @Test func aStoreForReadingRefusesAnImport() throws {
    try LMDBStore(at: scratch.store).take(#"{"id": 1}"#, as: Self.person)
    let configuration = LMDBStore.Configuration.with { $0.isReadOnly = true }
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    let error = thrown(LMDBError.self) { try store.take(#"{"id": 2}"#, as: Self.person) }
    #expect(error?.reason == .readOnly)
    #expect(try store.count(Self.person) == 1)
  }
}
