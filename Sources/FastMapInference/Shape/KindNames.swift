/// Names of members that people give to the kind of an object.
enum KindNames {
  private static let typical = words(
    """
    type kind class event category variant object action tag op model method command element node shape
    schema
    """)
  /// Names of members whose values change while an object stays the same.
  private static let changing: Set = ["status", "state", "phase", "stage", "step"]

  static func isTypical(_ name: String) -> Bool {
    guard name.utf8.count <= 64, let last = Words(name).all.last else { return false }
    return typical.contains(last) || ["type", "kind", "class"].contains { last.hasSuffix($0) }
  }

  static func isChanging(_ name: String) -> Bool { Words(name).all.last.map(changing.contains) ?? false }

  /// The name of a mapping for a value: `wikibase-item` is `WikibaseItem`.
  static func mapping(of value: String, entity: String) -> String {
    let words = value.split { !($0.isLetter || $0.isNumber) }
    let name = String(words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined().prefix(60))
    return name.first.map(\.isLetter) ?? false ? name : entity + name
  }
}
