/// The workload of FastEasyMapping's own benchmark: parents with their children, and in each an integer key
/// and ten attributes.
///
///     [{"id":1,"boolean":true,"int16":-7,"int32":…,"int64":…,"float":1.5,"double":…,"string":"…",
///       "date":"2014-05-01T12:00:00Z","data":"…","decimal":"12.3456","children":[{"id":1,…},…]},…]
///
/// Every object is about 290 bytes of text and depends only on its key and its revision. So the same seed gives the same
/// bytes, and two texts differ exactly where they should.
struct Families {
  /// The parameters of a text.
  struct Shape {
    var parents: Int
    var childrenPerParent = 10
    /// Whether keys are in random order, as in a response sorted by something else. Otherwise they ascend.
    var areKeysShuffled = false
    var seed: UInt64 = 217
    /// How many objects in ten thousand differ from revision 0.
    var changedPerTenThousand = 0
    /// Determines the values of changed objects.
    var revision: UInt64 = 0
    /// How many children of each parent are replaced by new ones: the first are left out, and new ones are appended.
    var replacedChildren = 0
    /// A number above 0 makes all children new, with keys that no other text has.
    var newChildren = 0
  }

  let shape: Shape
  let json: [UInt8]
  /// The range of each parent in the text.
  let parentRanges: [Range<Int>]

  var parentCount: Int { shape.parents }
  var objectCount: Int { shape.parents * (1 + shape.childrenPerParent) }

  init(_ shape: Shape) {
    self.shape = shape
    var numbers = SeededNumbers(seed: shape.seed)
    let parentKeys = Self.keys(shape.parents, shape.areKeysShuffled, &numbers)
    let childKeys = Self.keys(shape.parents * shape.childrenPerParent, shape.areKeysShuffled, &numbers)
    var text = JSONText(capacity: shape.parents * (1 + shape.childrenPerParent) * 300)
    text.append("[")
    var ranges: [Range<Int>] = []
    for parent in 0..<shape.parents {
      if parent > 0 { text.append(",") }
      let start = text.bytes.count
      Self.append(parentKeys[parent], shape, isParent: true, to: &text)
      text.append(",\"children\":[")
      for child in 0..<shape.childrenPerParent {
        if child > 0 { text.append(",") }
        let place =
          parent * shape.childrenPerParent + (child + shape.replacedChildren) % shape.childrenPerParent
        let isNew = child + shape.replacedChildren >= shape.childrenPerParent
        let generation = shape.newChildren > 0 ? shape.newChildren : (isNew ? 1_000_000 : 0)
        Self.append(childKeys[place] + generation * 100_000_000, shape, isParent: false, to: &text)
        text.append("}")
      }
      text.append("]}")
      ranges.append(start..<text.bytes.count)
    }
    text.append("]")
    parentRanges = ranges
    json = text.bytes
  }

  private static func keys(_ count: Int, _ areShuffled: Bool, _ numbers: inout SeededNumbers) -> [Int] {
    var keys = Array(1..<(count + 1))
    if areShuffled { numbers.shuffle(&keys) }
    return keys
  }

  /// Writes the key and the ten attributes, without the closing brace.
  private static func append(_ key: Int, _ shape: Shape, isParent: Bool, to text: inout JSONText) {
    let seed = shape.seed ^ UInt64(key) << 1 ^ (isParent ? 1 : 0)
    var numbers = SeededNumbers(seed: seed &* 0xD134_2543_DE82_EF95)
    var other = SeededNumbers(seed: seed &+ shape.revision &* 0xA076_1D64_78BD_642F)
    let isChanged = shape.changedPerTenThousand > 0 && other.next(below: 10_000) < shape.changedPerTenThousand
    text.append("{\"id\":")
    text.append(key)
    text.append(numbers.next(below: 2) == 0 ? ",\"boolean\":false" : ",\"boolean\":true")
    text.append(",\"int16\":")
    text.append(Int16(truncatingIfNeeded: numbers.next()))
    text.append(",\"int32\":")
    let int32 = numbers.next()
    text.append(Int32(truncatingIfNeeded: isChanged ? other.next() : int32))
    text.append(",\"int64\":")
    text.append(Int64(truncatingIfNeeded: numbers.next()))
    text.append(",\"float\":")
    text.append(Float(numbers.next(below: 1_000_000)) / 100)
    text.append(",\"double\":")
    text.append(Double(numbers.next(below: 1_000_000_000_000)) / 1_000_000)
    text.append(",\"string\":\"")
    for word in 0..<6 {
      if word > 0 { text.append(" ") }
      let own = numbers.next(below: words.count)
      text.append(words[isChanged ? other.next(below: words.count) : own])
    }
    text.append("\",\"date\":")
    text.append(dateOf: 946_684_800 + UInt64(numbers.next(below: 946_684_800)))
    text.append(",\"data\":\"")
    // Any digits are valid base64, four for three bytes.
    for _ in 0..<44 { text.append(base64Digits[numbers.next(below: 64)]) }
    text.append("\",\"decimal\":\"")
    text.append(numbers.next(below: 100_000))
    text.append(".")
    text.append(digitsOf: UInt64(numbers.next(below: 10_000)), atLeast: 4)
    text.append("\"")
  }

  /// In JSON syntax: some are not ASCII, and some need a backslash.
  private static let words: [StaticString] = [
    "lorem", "ipsum", "dolor", "amet", "tempor", "magna", "aliqua", "veniam", "nostrud", "ullamco", "laboris",
    "commodo", "consequat", "voluptate", "naïveté", "Zürich", "東京", "\\\"quoted\\\"", "tab\\tbed",
    "\\u00e9t\\u00e9",
  ]

  private static let base64Digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
