/// How the names of fields that say no key path become the names of JSON members.
///
///     Mapping(Person.self, "Person", keys: .snakeCase, make: Person.init) {
///       Attribute("firstName", \.firstName)          // reads first_name
///       Attribute("email", \.email, at: "e_mail")    // as it says
///     }
public enum KeyStrategy: Sendable, CaseIterable {
  /// The name as it is.
  case asDeclared
  /// `firstName` stands at `first_name`, `imageURL` at `image_url`.
  case snakeCase
  /// `first_name` stands at `firstName`.
  case camelCase

  /// The name of the member for a field's name.
  package func key(for name: String) -> String {
    switch self {
    case .asDeclared: name
    case .snakeCase: Self.snake(name)
    case .camelCase: Self.camel(name)
    }
  }

  /// A word begins at a capital after anything else, and at the last of several capitals before a small letter.
  private static func snake(_ name: String) -> String {
    let letters = Array(name)
    var result = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0, letters[index - 1] != "_" {
        let followsWord = !letters[index - 1].isUppercase
        let beginsWord = index + 1 < letters.count && letters[index + 1].isLowercase
        if followsWord || beginsWord { result += "_" }
      }
      result += letter.lowercased()
    }
    return result
  }

  /// Underscores at the ends stay.
  private static func camel(_ name: String) -> String {
    guard let first = name.firstIndex(where: { $0 != "_" }), let last = name.lastIndex(where: { $0 != "_" })
    else { return name }
    let words = name[first...last].split(separator: "_")
    guard words.count > 1 else { return name }
    let inner = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return name[..<first] + words[0] + inner.joined() + name[name.index(after: last)...]
  }
}
