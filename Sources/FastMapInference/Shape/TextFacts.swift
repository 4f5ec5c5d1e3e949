/// Facts about all strings of a place.
struct TextFacts {
  private(set) var count = 0
  private(set) var empties = 0
  private(set) var longest = 0
  private(set) var dates = DateForms.all
  private var isBase64 = true
  private var isPadded = false
  private var hasPlainBytes = true
  private var hasSpaces = false
  /// Whether all texts are letters alone.
  private(set) var isOfLetters = true
  /// Whether all texts are amounts or times: digits with one sign or two between them.
  private(set) var isMeasure = true

  /// The different texts by their hashes; nil if there are too many, or long ones.
  private(set) var few: [UInt64: [UInt8]]? = [:]
  /// The most texts that may choose the kinds of objects, and their longest, in bytes.
  static let mostFew = 64

  mutating func add(_ text: UnsafeBufferPointer<UInt8>, _ hash: UInt64) {
    count += 1
    if few != nil, few?[hash] == nil { few?[hash] = Array(text.prefix(Self.mostFew + 1)) }
    if few?.count ?? 0 > Self.mostFew { few = nil }
    if text.isEmpty { empties += 1 }
    longest = max(longest, text.count)
    if dates != 0 { dates = DateForms.surviving(dates, text) }
    if isBase64 { addBase64(text) }
    if !hasSpaces, text.count <= 200 { hasSpaces = text.contains(UInt8(ascii: " ")) }
    if isOfLetters {
      isOfLetters = text.allSatisfy {
        $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") || $0 > 127
      }
    }
    if isMeasure {
      let signs = text.count { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      isMeasure = (1...2).contains(signs) && signs < text.count && text.allSatisfy { $0 < 60 || $0 > 127 }
    }
  }

  mutating func absorb(_ other: TextFacts) {
    few = other.few.flatMap { few?.merging($0) { $1 } }
    if few?.count ?? 0 > Self.mostFew { few = nil }
    count += other.count
    empties += other.empties
    longest = max(longest, other.longest)
    dates &= other.dates
    isBase64 = isBase64 && other.isBase64
    isPadded = isPadded || other.isPadded
    hasPlainBytes = hasPlainBytes && other.hasPlainBytes
    hasSpaces = hasSpaces || other.hasSpaces
    isOfLetters = isOfLetters && other.isOfLetters
    isMeasure = isMeasure && other.isMeasure
  }

  /// Whether all texts are base64, and look like it. Short ones may be identifiers.
  ///
  /// - Parameter isExpected: Whether the name suggests it.
  func isData(isExpected: Bool) -> Bool {
    count > 0 && isBase64 && (isPadded || hasPlainBytes) && (isExpected || longest >= 128)
  }

  /// Whether all texts could be identifiers.
  var isWordLike: Bool { count > 0 && empties == 0 && !hasSpaces && longest <= 100 }

  private mutating func addBase64(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.count >= 20, text.count % 4 == 0 else {
      isBase64 = false
      return
    }
    var (upper, lower, digit, padding) = (false, false, false, 0)
    for byte in text {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): upper = true
      case UInt8(ascii: "a")...UInt8(ascii: "z"): lower = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = true
      case UInt8(ascii: "="):
        padding += 1
        continue
      case UInt8(ascii: "+"), UInt8(ascii: "/"): break
      default:
        isBase64 = false
        return
      }
      if padding > 0 { isBase64 = false }
    }
    if padding > 2 || !TextFacts.isCanonical(text, padding) { isBase64 = false }
    if padding > 0 { isPadded = true }
    if text.count < 32 || !(upper && lower && digit) { hasPlainBytes = false }
  }

  /// Whether the bits beyond the last byte are zero, so that the text is written again as it was.
  private static func isCanonical(_ text: UnsafeBufferPointer<UInt8>, _ padding: Int) -> Bool {
    guard padding > 0, padding < text.count else { return true }
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    guard let value = alphabet.firstIndex(of: text[text.count - padding - 1]) else { return false }
    return value & (padding == 2 ? 15 : 3) == 0
  }
}
