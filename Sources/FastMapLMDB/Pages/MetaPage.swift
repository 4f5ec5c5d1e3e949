// What LMDB 0.9 writes at the start of data.mdb, on a 64-bit machine, in the machine's byte order:
//
//   page 0, 1      one meta page each; a commit with the number t writes page t % 2, the newer one counts
//
//   a page         number 8 | pad 2 | kind 2 | lower 2, upper 2 (of an overflow run: its length 4)      = 16
//   a meta page    header 16 | magic 4 | version 4 | address 8 | map size 8
//                  | tree of free pages 48 | tree of everything else 48 | last page 8 | commit 8       = 152
//   a tree         pad 4 (page size, in the first tree) | flags 2 | depth 2
//                  | branch, leaf and overflow pages 8 each | entries 8 | root 8                        = 48

/// The header of one page.
struct PageHeader {
  static let size = 16

  struct Kind: OptionSet {
    let rawValue: UInt16
    static let branch = Kind(rawValue: 0x01)
    static let leaf = Kind(rawValue: 0x02)
    static let overflow = Kind(rawValue: 0x04)
    static let meta = Kind(rawValue: 0x08)
  }

  let number: UInt64
  let kind: Kind
  /// Where the table of entries ends. The entries' offsets begin after the header, two bytes each.
  let lower: UInt16
  /// The pages of an overflow run.
  let runLength: UInt32

  init(_ page: UnsafeRawBufferPointer) {
    number = page.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    kind = Kind(rawValue: page.loadUnaligned(fromByteOffset: 10, as: UInt16.self))
    lower = page.loadUnaligned(fromByteOffset: 12, as: UInt16.self)
    runLength = page.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
  }
}

/// The record of one tree of pages.
struct TreeRecord {
  static let size = 48
  /// The root of a tree that has no pages.
  static let noRoot = UInt64.max

  let flags: UInt16
  let depth: UInt16
  let branches: UInt64
  let leaves: UInt64
  let overflows: UInt64
  let entries: UInt64
  let root: UInt64

  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    flags = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self)
    depth = bytes.loadUnaligned(fromByteOffset: offset + 6, as: UInt16.self)
    branches = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
    leaves = bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)
    overflows = bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self)
    entries = bytes.loadUnaligned(fromByteOffset: offset + 32, as: UInt64.self)
    root = bytes.loadUnaligned(fromByteOffset: offset + 40, as: UInt64.self)
  }
}

/// One of the two meta pages.
struct MetaPage {
  static let size = 152
  static let magic: UInt32 = 0xBEEF_C0DE
  static let version: UInt32 = 1
  /// Where LMDB 1.x has its mark and its version: its page headers are eight bytes longer.
  private static let laterMagicOffset = 24
  /// LMDB takes pages of up to 32 KiB: the offsets within a page have 16 bits.
  static let pageSizes = 512...32_768
  static let usualPageSize = 4096
  /// Where the number of the commit is.
  static let commitOffset = 144

  let header: PageHeader
  let magic: UInt32
  let version: UInt32
  /// The version where LMDB 1.x has it, if its mark is there.
  let laterVersion: UInt32?
  let mapSize: UInt64
  let pageSize: Int
  let free: TreeRecord
  let main: TreeRecord
  let lastPage: UInt64
  let commit: UInt64

  init(_ bytes: UnsafeRawBufferPointer) {
    header = PageHeader(bytes)
    magic = bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
    version = bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self)
    let laterMagic = bytes.loadUnaligned(fromByteOffset: Self.laterMagicOffset, as: UInt32.self)
    let later = bytes.loadUnaligned(fromByteOffset: Self.laterMagicOffset + 4, as: UInt32.self)
    laterVersion = laterMagic == Self.magic ? later : nil
    mapSize = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
    pageSize = Int(bytes.loadUnaligned(fromByteOffset: 40, as: UInt32.self))
    free = TreeRecord(bytes, at: 40)
    main = TreeRecord(bytes, at: 88)
    lastPage = bytes.loadUnaligned(fromByteOffset: 136, as: UInt64.self)
    commit = bytes.loadUnaligned(fromByteOffset: Self.commitOffset, as: UInt64.self)
  }
}
