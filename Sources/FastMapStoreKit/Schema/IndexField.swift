/// A field of an index.
///
///     let newestFirst = IndexField("-created_at")
package struct IndexField: Hashable, Sendable, CustomStringConvertible {
  /// The name of the attribute or the to-one relationship.
  package let name: String
  /// Whether the greatest comes first, and objects without a value last.
  package let isDescending: Bool

  /// Makes a field from its name, with a `-` before it if it is descending.
  ///
  ///     let temperature = IndexField("\\-t")     // the attribute "-t", ascending
  ///
  /// - Parameter text: A name that begins with `-` has a backslash before it, also after the `-` of a descending field. A
  ///   name that begins with a backslash and another one or `-` has one more.
  package init(_ text: String) {
    isDescending = text.utf8.first == UInt8(ascii: "-")
    let rest = isDescending ? String(text.dropFirst()) : text
    name = Self.hasMark(rest, before: rest.utf8.dropFirst()) ? String(rest.dropFirst()) : rest
  }

  package init(name: String, isDescending: Bool) {
    self.name = name
    self.isDescending = isDescending
  }

  /// Whether a text begins with a backslash, and the rest with a character that needs one.
  private static func hasMark(_ text: String, before rest: Substring.UTF8View) -> Bool {
    text.utf8.first == UInt8(ascii: "\\")
      && (rest.first == UInt8(ascii: "\\") || rest.first == UInt8(ascii: "-"))
  }

  /// The name with a backslash, if it needs one to be read as a name.
  package var spelling: String {
    name.utf8.first == UInt8(ascii: "-") || Self.hasMark(name, before: name.utf8.dropFirst())
      ? "\\" + name : name
  }

  /// Whether both are the same field: names are compared by their bytes.
  package static func == (a: IndexField, b: IndexField) -> Bool {
    a.isDescending == b.isDescending && NameIndex.isSame(a.name, b.name)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ByteName(name))
    hasher.combine(isDescending)
  }

  /// The name, with a `-` before it if it is descending, as ``init(_:)`` reads it.
  package var description: String { (isDescending ? "-" : "") + spelling }
}
