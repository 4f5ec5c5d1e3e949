/// The workload of FastEasyMapping's own benchmark: parents with their children, and in each an integer key
/// and ten attributes.
///
///     [{"id":1,"boolean":true,"int16":-7,"int32":…,"int64":…,"float":1.5,"double":…,"string":"…",
///       "date":"2014-05-01T12:00:00Z","data":"…","decimal":"12.3456","children":[{"id":1,…},…]},…]
///
/// Every object is about 290 bytes of text. The same seed gives the same bytes.
struct Families {
  let parentCount: Int
  let childrenPerParent: Int
  let json: [UInt8]

  var objectCount: Int { parentCount * (1 + childrenPerParent) }

  /// - Parameter areKeysShuffled: Whether keys come in no order, as in an answer sorted by something else;
  ///   else they ascend.
  init(parents: Int, childrenPerParent: Int = 10, areKeysShuffled: Bool = false, seed: UInt64 = 217) {
    parentCount = parents
    self.childrenPerParent = childrenPerParent
    var numbers = SeededNumbers(seed: seed)
    let parentKeys = Self.keys(parents, areKeysShuffled, &numbers)
    let childKeys = Self.keys(parents * childrenPerParent, areKeysShuffled, &numbers)
    var text = JSONText(capacity: parents * (1 + childrenPerParent) * 300)
    var childNumber = 0
    text.append("[")
    for parent in 0..<parents {
      if parent > 0 { text.append(",") }
      Self.append(parentKeys[parent], to: &text, &numbers)
      text.append(",\"children\":[")
      for child in 0..<childrenPerParent {
        if child > 0 { text.append(",") }
        Self.append(childKeys[childNumber], to: &text, &numbers)
        text.append("}")
        childNumber += 1
      }
      text.append("]}")
    }
    text.append("]")
    json = text.bytes
  }

  private static func keys(_ count: Int, _ areShuffled: Bool, _ numbers: inout SeededNumbers) -> [Int] {
    var keys = Array(1..<(count + 1))
    guard areShuffled else { return keys }
    for last in stride(from: count - 1, to: 0, by: -1) { keys.swapAt(last, numbers.next(below: last + 1)) }
    return keys
  }

  /// Writes the key and the ten attributes, without the brace at the end.
  private static func append(_ key: Int, to text: inout JSONText, _ numbers: inout SeededNumbers) {
    text.append("{\"id\":")
    text.append(key)
    text.append(numbers.next(below: 2) == 0 ? ",\"boolean\":false" : ",\"boolean\":true")
    text.append(",\"int16\":")
    text.append(Int16(truncatingIfNeeded: numbers.next()))
    text.append(",\"int32\":")
    text.append(Int32(truncatingIfNeeded: numbers.next()))
    text.append(",\"int64\":")
    text.append(Int64(truncatingIfNeeded: numbers.next()))
    text.append(",\"float\":")
    text.append(Float(numbers.next(below: 1_000_000)) / 100)
    text.append(",\"double\":")
    text.append(Double(numbers.next(below: 1_000_000_000_000)) / 1_000_000)
    text.append(",\"string\":\"")
    for word in 0..<6 {
      if word > 0 { text.append(" ") }
      text.append(words[numbers.next(below: words.count)])
    }
    text.append("\",\"date\":")
    text.append(dateOf: 946_684_800 + UInt64(numbers.next(below: 946_684_800)))
    text.append(",\"data\":\"")
    // Any digits, four for three bytes, are the base64 of something.
    for _ in 0..<44 { text.append(base64Digits[numbers.next(below: 64)]) }
    text.append("\",\"decimal\":\"")
    text.append(numbers.next(below: 100_000))
    text.append(".")
    text.append(digitsOf: UInt64(numbers.next(below: 10_000)), atLeast: 4)
    text.append("\"")
  }

  /// As JSON writes them: some are not ASCII, and some need a backslash.
  private static let words: [StaticString] = [
    "lorem", "ipsum", "dolor", "amet", "tempor", "magna", "aliqua", "veniam", "nostrud", "ullamco", "laboris",
    "commodo", "consequat", "voluptate", "naïveté", "Zürich", "東京", "\\\"quoted\\\"", "tab\\tbed",
    "\\u00e9t\\u00e9",
  ]

  private static let base64Digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
