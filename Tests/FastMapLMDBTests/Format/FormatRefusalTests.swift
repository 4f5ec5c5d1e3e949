import CFastMap
import FastMapCore
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Stores of other versions, and with features that this FastMap does not know, stay as they are.
@Suite struct FormatRefusalTests {
  let scratch = Scratch()
  let page = Int(getpagesize())
  private var copy: String { scratch.path + "/copy.db" }

  static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("items", item)
  }

  struct Header: Sendable, CustomTestStringConvertible {
    let version: UInt16
    var toRead: UInt32 = 0
    var toWrite: UInt32 = 0
    let detail: String
    var testDescription: String { detail }
  }

  static let unreadable = [
    Header(version: 1, detail: "its format version is 1, this FastMap has 3"),
    Header(version: 4, detail: "its format version is 4, this FastMap has 3"),
    Header(
      version: 3, toRead: 1 << 30,
      detail: "a later FastMap wrote it, with features that this one cannot read (30)"),
  ]
  static let unwritable = Header(
    version: 3, toWrite: 1 << 31,
    detail: "a later FastMap wrote it, with features that this one can read but not write (31)")

  private func put(_ header: Header, to store: LMDBStore) throws {
    var rest = ByteWriter()
    rest.append(header.version)
    rest.append(UInt16(1))
    rest.append(header.toRead)
    rest.append(header.toWrite)
    let key = StoreLayout.formatKey
    let sum = key.withUnsafeBytes { key in rest.bytes.withUnsafeBytes { Checksum.make(.meta, key, $0) } }
    let value = withUnsafeBytes(of: sum.littleEndian) { Array($0) } + rest.bytes
    try store.environment.write { transaction in
      try key.withUnsafeBytes { key in
        try value.withUnsafeBytes { try transaction.put(store.tables.meta, key, $0) }
      }
    }
  }

  /// A store with free pages.
  private func makeStore(_ header: Header?, isEmpty: Bool = false) throws {
    let store = try LMDBStore(at: scratch.store)
    for _ in 0..<2 {
      let items = (0..<200).map { #"{"id": \#($0), "items": [\#($0 / 2)]}"# }.joined(separator: ",")
      try store.take("[\(items)]", as: Self.item)
    }
    if isEmpty { try store.delete(try Plan(Self.item).query(of: "Item").keys(KeyRange(from: 0))) }
    if let header { try put(header, to: store) }
  }

  private func expectRefused(_ header: Header, _ body: () throws -> Void) throws {
    let before = try Files.bytes(of: scratch.dataFile)
    #expect(reason(body) == .foreignFile(detail: header.detail))
    #expect(try Files.bytes(of: scratch.dataFile) == before)
  }

  @Test(arguments: unreadable + [unwritable], [false, true])
  func nothingIsLoaded(into header: Header, isEmpty: Bool) throws {
    try makeStore(header, isEmpty: isEmpty)
    let dump = scratch.path + "/dump"
    write(
      Array(
        """
        {"fastmapDump":1,"entities":[]}
        {"end":true,"objects":0,"targets":0}
        """.utf8), to: dump)
    // A store that can be read has its objects counted first.
    if !isEmpty, header.detail == Self.unwritable.detail { return }
    try expectRefused(header) { try LMDBStore(at: scratch.store).load(dump: dump) }
  }

  @Test(arguments: unreadable + [unwritable])
  func aCompactionRefuses(_ header: Header) throws {
    try makeStore(header)
    try expectRefused(header) { try LMDBStore.compact(at: scratch.store) }
  }

  @Test(arguments: unreadable)
  func aBackupRefuses(_ header: Header) throws {
    try makeStore(header)
    for isCompact in [false, true] {
      try expectRefused(header) { try LMDBStore(at: scratch.store).backup(to: copy, compacting: isCompact) }
      #expect(size(of: copy) == -1)
    }
  }

  @Test func aBackupOfAStoreThatCanOnlyBeReadIsThatStore() throws {
    try makeStore(Self.unwritable)
    try LMDBStore(at: scratch.store).backup(to: copy)
    let count = try LMDBStore(at: copy).count(Self.item)
    #expect(count == 200)
  }

  /// The names of the tables have no checksum.
  private func renameTable(_ old: String, _ new: String) throws {
    let bytes = try Files.bytes(of: scratch.dataFile)
    for place in bytes.indices.dropLast(old.utf8.count)
    where bytes[place...].starts(with: Array(old.utf8)) && place % 2 == 0 {
      write(Array(new.utf8), to: scratch.dataFile, at: place)
    }
  }

  @Test func aCompactionRefusesADamagedNameOfATable() throws {
    try makeStore(nil)
    try renameTable("records", "recordr")
    let before = try Files.bytes(of: scratch.dataFile)
    #expect(
      reason { try LMDBStore.compact(at: scratch.store) }
        == .damaged(place: "data.mdb", detail: "a table has an unknown name"))
    #expect(try Files.bytes(of: scratch.dataFile) == before)
  }

  /// Format 1 had no table `numbers`.
  @Test(arguments: [false, true])
  func anotherVersionWithOtherTablesIsNotCalledDamaged(isReadOnly: Bool) throws {
    let header = Self.unreadable[0]
    try makeStore(header)
    try renameTable("numbers", "objects")
    let configuration = LMDBStore.Configuration.with { $0.isReadOnly = isReadOnly }
    try expectRefused(header) { _ = try LMDBStore(at: scratch.store, configuration: configuration) }
    try expectRefused(header) { try LMDBStore.compact(at: scratch.store) }
    try expectRefused(header) { _ = try LMDBStore.repair(from: scratch.store, to: copy) }
  }

  /// A list of free pages that became shorter.
  @Test func aPageThatNothingHasIsFound() throws {
    try makeStore(nil)
    let bytes = try Files.bytes(of: scratch.dataFile)
    let metas = bytes.withUnsafeBytes { bytes in
      [0, page].map { MetaPage(UnsafeRawBufferPointer(rebasing: bytes[$0...])) }
    }
    let root = Int(metas[metas[0].commit > metas[1].commit ? 0 : 1].free.root) * page
    let leaf = Array(bytes[root..<(root + page)])
    let node = try #require(PageNode.all(on: leaf).last)
    let count = bytes.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: root + Int(node.value), as: UInt64.self)
    }
    try #require(count > 0)
    write(count - 1, to: scratch.dataFile, at: root + Int(node.value))
    let report = try LMDBStore(at: scratch.store).check()
    #expect(report.problems.map(\.detail) == ["in no tree and in no list of free pages"])
    #expect(scratch.refusalOfAWrite() != nil)
  }
}
