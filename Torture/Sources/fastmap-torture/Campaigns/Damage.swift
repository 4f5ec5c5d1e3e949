import Foundation

/// One kind of damage to a data file.
struct Damage {
  enum Kind: String, CaseIterable {
    case flippedBit = "flipped bits"
    case flippedHeaderBit = "flipped bits in the headers"
    case flippedCommitBit = "flipped bits in the commit numbers"
    case zeroedPage = "zeroed pages"
    case swappedPages = "swapped pages"
    case olderPage = "pages as they were a commit ago"
    case cut = "cut files"
    case zeroedBlock = "zeroed blocks of 8, 16 and 64 KiB"
    case foreign = "foreign words in the headers"
    case replaced = "other things in its place"

    /// Whether no checksum of a single record can detect it.
    var isBeyondChecksums: Bool { self == .olderPage || self == .flippedCommitBit }
  }

  static let page = 4096
  /// The offset of the commit number in a header, its last word.
  private static let commitNumber = 144

  let kind: Kind
  let words: String
  /// The file; nil for a directory in its place.
  let bytes: [UInt8]?

  /// All cases of the kinds that have only a few.
  static func every(of file: [UInt8], older: [UInt8]) -> [(Kind, Int)] {
    let pages = file.count / page
    var all: [(Kind, Int)] = (0..<128).map { (.flippedCommitBit, $0) }
    all += (0..<pages).map { (.zeroedPage, $0) }
    all += (0..<min(pages, older.count / page)).filter { number in
      let range = number * page..<(number + 1) * page
      return file[range] != older[range]
    }.map { (.olderPage, $0) }
    all += (0..<pages).map { (.cut, $0 * page) }
    all += blocks(of: file).map { (.zeroedBlock, $0) }
    all += (0..<16 * 8).map { (.cut, $0 * 512) }.filter { $0.1 < file.count }
    all += (0..<2 * words.count).map { (.foreign, $0) }
    all += (0..<6).map { (.replaced, $0) }
    return all
  }

  /// The aligned blocks of a file, each as its first page, and its size in the lowest two bits.
  static func blocks(of file: [UInt8]) -> [Int] {
    blockSizes.indices.flatMap { size in
      stride(from: 0, to: file.count / page, by: blockSizes[size]).map { $0 << 2 | size }
    }
  }

  /// In pages.
  private static let blockSizes = [2, 4, 16]

  /// Offsets and values of words: magic, version, page size, map size, flags.
  private static let words: [(offset: Int, value: UInt64, size: Int)] = [
    (16, 0, 4), (16, 0xDEC0_EFBE, 4), (16, 0xBEEF_C0DF, 4), (20, 0, 4), (20, 2, 4), (20, 999, 4),
    (40, 0, 4), (40, 512, 4), (40, 8192, 4), (40, 65536, 4), (40, 4095, 4),
    (32, 0, 8), (32, 4096, 8), (32, .max, 8), (32, 1 << 62, 8),
    (44, 0, 2), (92, 4, 2), (10, 0, 2), (10, 2, 2), (0, 7, 8),
    (136, 0, 8), (136, 1, 8), (136, .max, 8), (136, 1 << 50, 8), (128, 0, 8), (128, 1, 8), (128, 1 << 40, 8),
    (80, 0, 8), (80, 1 << 40, 8), (94, 0, 2), (94, 40, 2), (46, 33, 2),
  ]

  init(_ kind: Kind, _ number: Int, of file: [UInt8], older: [UInt8]) {
    self.kind = kind
    var random = SeededNumbers(seed: 0x5EED, case: number)
    var changed = file
    let pages = file.count / Self.page
    func range(_ page: Int) -> Range<Int> { page * Self.page..<(page + 1) * Self.page }
    func flip(_ offset: Int, _ bit: Int) -> String {
      changed[offset] ^= 1 << bit
      return "bit \(bit) of byte \(offset % Self.page) of page \(offset / Self.page)"
    }
    switch kind {
    case .flippedBit: words = flip(random.next(below: file.count), random.next(below: 8))
    case .flippedHeaderBit:
      words = flip(
        random.next(below: 2) * Self.page + random.next(below: Self.commitNumber), random.next(below: 8))
    case .flippedCommitBit:
      words = flip(number / 64 * Self.page + Self.commitNumber + number % 64 / 8, number % 8)
    case .zeroedPage:
      changed.replaceSubrange(range(number), with: [UInt8](repeating: 0, count: Self.page))
      words = "page \(number)"
    case .zeroedBlock:
      let first = number >> 2
      let range = first * Self.page..<min(file.count, (first + Self.blockSizes[number & 3]) * Self.page)
      changed.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
      words = "\(range.count) bytes from page \(first)"
    case .swappedPages:
      let (one, other) = (random.next(below: pages), random.next(below: pages))
      changed.replaceSubrange(range(one), with: file[range(other)])
      changed.replaceSubrange(range(other), with: file[range(one)])
      words = "pages \(one) and \(other)"
    case .olderPage:
      changed.replaceSubrange(range(number), with: older[range(number)])
      words = "page \(number)"
    case .cut:
      changed.removeLast(changed.count - number)
      words = "after \(number) bytes"
    case .foreign:
      let word = Self.words[number / 2]
      for index in 0..<word.size {
        changed[number % 2 * Self.page + word.offset + index] = UInt8(
          truncatingIfNeeded: word.value >> (8 * index))
      }
      words = "\(word.value) at \(word.offset) of header \(number % 2)"
    case .replaced:
      words = ["nothing", "one byte", "a directory", "noise", "text", "zeros"][number]
      switch number {
      case 0: changed = []
      case 1: changed = [0]
      case 3: changed = file.map { _ in UInt8(truncatingIfNeeded: random.next()) }
      case 4: changed = Array("this is not a store\n".utf8)
      case 5: changed = file.map { _ in 0 }
      default: break
      }
      bytes = number == 2 ? nil : changed
      return
    }
    bytes = changed
  }
}
