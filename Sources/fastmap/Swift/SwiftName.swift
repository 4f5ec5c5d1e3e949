/// Turns names of a mapping file into names in Swift: `user_name` into `userName`, and `github-user` into `GithubUser`.
///
/// The result is an identifier or empty. Backticks and distinct names are for `SwiftScope`.
enum SwiftName {
  static func property(_ name: String) -> String {
    let words = words(of: name)
    guard let first = words.first else { return "" }
    return guarded(first.lowercased() + words.dropFirst().map(inner).joined())
  }

  static func type(_ name: String) -> String {
    let words = words(of: name)
    let isShouting = words.allSatisfy { $0 == $0.uppercased() }
    let text = guarded(words.map { isShouting || $0 != $0.uppercased() ? inner($0) : $0 }.joined())
    // Letters without capitals: a property has the same name, and would hide the class.
    return !text.isEmpty && text == property(name) ? text + "Object" : text
  }

  /// Words that are written in capitals after another word.
  private static let initialisms: Set<String> = [
    "api", "css", "csv", "dna", "gps", "html", "http", "https", "iban", "id", "ip", "isbn", "json", "md5",
    "pdf", "sha",
    "sku", "sql", "ssh", "ssl", "svg", "tls", "ui", "uri", "url", "utc", "uuid", "vat", "xml", "yaml",
  ]

  /// A word after another one, or in the name of a type.
  private static func inner(_ word: String) -> String {
    let small = word.lowercased()
    if initialisms.contains(small) { return small.uppercased() }
    if small.last == "s", initialisms.contains(String(small.dropLast())) {
      return small.dropLast().uppercased() + "s"
    }
    return small.prefix(1).uppercased() + small.dropFirst()
  }

  /// The identifier, with an underscore before a digit.
  private static func guarded(_ text: String) -> String {
    guard let first = text.unicodeScalars.first else { return "" }
    return first.properties.isXIDStart || first == "_" ? text : "_" + text
  }

  // MARK: Words

  /// The longest name, in characters. Longer names are cut.
  private static let longest = 100

  /// The words of a name: letters and digits, cut where a capital follows a small letter, and before the last capital of
  /// several: `HTMLParser` is `HTML` and `Parser`.
  private static func words(of name: String) -> [String] {
    let scalars = Array(name.unicodeScalars.prefix(longest))
    let plain = split(scalars)
    let begins = scalars.first.map(isPart) ?? false
    if let first = plain.first?.unicodeScalars.first, begins || first.properties.isXIDStart { return plain }
    // Without its symbols the name would be empty, or begin with a digit: +1 and -1.
    let spelt = scalars.flatMap { isPart($0) ? [$0] : Array(" \(word(for: $0)) ".unicodeScalars) }
    return split(Array(spelt.prefix(longest)))
  }

  private static func split(_ scalars: [Unicode.Scalar]) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    func end() {
      if !word.isEmpty { words.append(String(word)) }
      word = String.UnicodeScalarView()
    }
    for (index, scalar) in scalars.enumerated() {
      guard isPart(scalar) else {
        end()
        continue
      }
      if scalar.properties.isUppercase, let last = word.last {
        let next = index + 1 < scalars.count ? scalars[index + 1] : nil
        let isLast = next?.properties.isLowercase ?? false
        if !last.properties.isUppercase || isLast && !isPlural(scalars[(index + 1)...]) { end() }
      }
      word.append(scalar)
    }
    end()
    return words
  }

  /// Whether nothing but an `s` is left of a word: `userIDs`.
  private static func isPlural(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
    guard rest.first == "s" else { return false }
    return rest.dropFirst().first.map { !$0.properties.isLowercase } ?? true
  }

  /// Whether a scalar can be in an identifier. Marks count with their letters.
  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) }
    return scalar.properties.isXIDContinue && scalar.properties.generalCategory != .connectorPunctuation
  }

  private static let symbols: [Unicode.Scalar: String] = [
    "+": "plus", "-": "minus", "_": "underscore", "$": "dollar", "#": "number", "@": "at", "%": "percent",
    "&": "and",
    "*": "star", "/": "slash", "\\": "backslash", ".": "dot", ",": "comma", ":": "colon", ";": "semicolon",
    "!": "not",
    "?": "question", "=": "equals", "<": "less", ">": "greater", "|": "bar", "~": "tilde", "^": "caret",
    " ": "space",
  ]

  /// The words for a symbol: its Unicode name, as in `grinning face`.
  private static func word(for scalar: Unicode.Scalar) -> String {
    symbols[scalar] ?? scalar.properties.name?.lowercased() ?? ""
  }
}
