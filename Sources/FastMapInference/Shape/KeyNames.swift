internal import CFastMap
import FastMapCore

/// Names that people give to keys, and their ranks.
enum KeyNames {
  static let noRank = 1000

  /// Names that say identifier, best first.
  private static let identifiers = [
    "id", "_id", "@id", "$id", "uuid", "guid", "_uuid", "uid", "identifier", "pk", "key", "_key",
  ]
  /// Names of members that often tell objects apart, if the values say so.
  private static let weak = [
    "code", "slug", "sku", "isbn", "asin", "sha", "urn", "purl", "bom-ref", "symbol", "login", "username",
    "email", "hash", "handle", "abbreviation", "serialnumber", "url", "uri", "href", "path", "ref", "name",
    "title",
  ]

  private static let identifierRanks = Dictionary(uniqueKeysWithValues: zip(identifiers, identifiers.indices))
  private static let weakRanks = Dictionary(uniqueKeysWithValues: zip(weak, weak.indices))

  /// Above this rank, `key` may be one of many names of things.
  static let firstRanks = 10
  /// The rank of names that end like a key: `areaId`, `area_id`. Lower ranks are those of identifiers.
  static let suffixRank = 100
  /// The rank of numbers, which count within something.
  static let numberRank = 150
  /// From this rank on, a name means little.
  static let firstWeakRank = 200

  static func rank(of name: [UInt8]) -> Int {
    guard !name.isEmpty, name.count <= 64 else { return noRank }
    let text = String(decoding: name, as: UTF8.self)
    if let rank = identifierRanks[text.lowercased()] { return rank }
    if let rank = weakRanks[text.lowercased()] { return firstWeakRank + rank }
    let words = Words(text)
    if words.endsLikeIdentifier { return suffixRank }
    return words.all.count == 1 && numbers.contains(words.all[0]) ? numberRank : noRank
  }

  private static let numbers: Set = ["number", "num", "nr", "no"]
  /// Names of members that divide objects, so that others begin again in each part.
  private static let parts = words(
    """
    id key code number type kind date year version line seq no repo repository project owner group country
    locale lang language package namespace system source org organization account tenant workspace site
    store shop season platform provider
    """)

  private static func lastWord(_ name: [UInt8]) -> String? {
    Words(String(decoding: name.prefix(64), as: UTF8.self)).all.last
  }

  static func mayBePart(_ name: [UInt8]) -> Bool { lastWord(name).map(parts.contains) ?? false }

  /// Whether whole numbers with this name may identify. Amounts, scores and prices do not.
  static func mayBeNumber(_ name: [UInt8]) -> Bool {
    guard let last = lastWord(name) else { return false }
    return numbers.contains(last) || ["id", "code", "isbn", "sku", "ean", "gtin", "upc"].contains(last)
  }

  /// The hash of a name that is a whole number, as the number has it.
  static func integerHash(of name: [UInt8]) -> UInt64? {
    name.withUnsafeBufferPointer { integerHash(of: $0) }
  }

  static func integerHash(of name: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard let first = name.first, name.count <= 19 else { return nil }
    guard name.count == 1 || first != UInt8(ascii: "0") else { return nil }
    var value: Int64 = 0
    for byte in name {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowed) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      if overflow || overflowed { return nil }
      value = sum
    }
    return fastmap_event_integer_hash(value)
  }

  static func hash(of name: String) -> UInt64 {
    var name = name
    return name.withUTF8 { fastmap_event_text_hash($0.baseAddress, $0.count) }
  }
}

/// The words of a text with spaces.
func words(_ text: String) -> Set<String> { Set(text.split { $0.isWhitespace }.map(String.init)) }

/// The words of a name: `authorIds` has `author` and `ids`.
struct Words {
  let all: [String]

  init(_ name: String) {
    var words: [String] = []
    var word = ""
    var previous: Character?
    for character in name {
      let isBreak = !(character.isLetter || character.isNumber)
      let isHump = character.isUppercase && previous.map { $0.isLowercase || $0.isNumber } ?? false
      if isBreak || isHump {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if !isBreak { word += character.lowercased() }
      previous = character
    }
    if !word.isEmpty { words.append(word) }
    all = words
  }

  private static let endings: Set = [
    "id", "ids", "uuid", "uuids", "guid", "key", "keys", "ref", "refs", "code",
  ]

  var endsLikeKey: Bool { all.count > 1 && all.last.map { Self.endings.contains($0) } ?? false }
  var endsLikeIdentifier: Bool {
    all.count > 1 && all.last.map { ["id", "uuid", "guid", "key", "pk"].contains($0) } ?? false
  }

  /// The words without `id`, `key` or another word for a key.
  var withoutKeyEnding: [String] { endsLikeKey ? Array(all.dropLast()) : all }

  private static let oddOnes = [
    "people": "person", "children": "child", "men": "man", "women": "woman", "indices": "index",
    "vertices": "vertex", "matrices": "matrix", "data": "data", "media": "media", "series": "series",
    "news": "news", "heroes": "hero", "alias": "alias", "atlas": "atlas", "canvas": "canvas",
    "status": "status",
    "address": "address", "species": "species", "statuses": "status",
    "aliases": "alias", "canvases": "canvas", "atlases": "atlas", "addresses": "address", "buses": "bus",
    "movies": "movie", "cookies": "cookie", "caches": "cache", "axes": "axis", "analyses": "analysis",
  ]

  /// One of several: `people` is `person`.
  static func singular(of word: String) -> String {
    if let odd = oddOnes[word] { return odd }
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    for ending in ["sses", "shes", "ches", "xes"] where word.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    let isPlural =
      word.hasSuffix("s") && word.count > 3
      && !["ss", "us", "is"].contains { word.hasSuffix($0) }
    return isPlural ? String(word.dropLast()) : word
  }

  /// The last word as one of several, without a number after it: `goals2` and `home_goals` have `goal`.
  var lastStem: String {
    guard let last = all.last else { return "" }
    let end = last.lastIndex { !$0.isNumber }.map(last.index(after:)) ?? last.endIndex
    return Self.singular(of: String(last[..<end]))
  }

  /// Two names of kinds in one, without words that both have there: `RootAction` and `ActionDimming` are `RootActionDimming`.
  static func joined(_ outer: String, _ name: String) -> String {
    let ends = name.indices.filter { name[$0].isUppercase } + [name.endIndex]
    let shared = ends.last { $0 > name.startIndex && outer.hasSuffix(name[..<$0]) }
    return outer + (shared.map { String(name[$0...]) } ?? name)
  }

  /// A name that is not near another one, and is not taken for a slip: `OtherOrder` beside `Order`.
  static func free(_ name: String, among others: [String]) -> String {
    var free = name
    while others.contains(free) || suggestion(for: free, among: others) != nil { free = "Other" + free }
    return free
  }

  /// The name of a kind of object: `retweeted_statuses` is `RetweetedStatus`.
  static func entity(of name: String) -> String {
    var words = Words(name).all
    guard let last = words.popLast() else { return "" }
    return (words + [singular(of: last)]).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
