/// An order of the objects that a store keeps, so that queries need not look at all of them: a line of a mapping.
///
///     Index("status", "-created_at")          // by status, the newest of each first
///     Index("email", isUnique: true)
///
/// The first write with a mapping that declares an index builds it, in the same transaction. From then on every write keeps it up to
/// date, until it is dropped by its name. A read never builds one.
///
/// A field is an attribute or a to-one relationship whose name has no comma. A relationship finds the objects that refer to
/// a target, and does not sort them.
public struct Index: Hashable, Sendable, CustomStringConvertible {
  /// A field of an index.
  ///
  ///     let newestFirst = Index.Field("-created_at")
  package struct Field: Hashable, Sendable, CustomStringConvertible {
    /// The name of the attribute or the to-one relationship.
    package let name: String
    /// Whether the greatest comes first, and objects without a value last.
    package let isDescending: Bool

    /// Makes a field from its name, with a `-` before it if it is descending.
    ///
    ///     let temperature = Index.Field("\\-t")     // the attribute "-t", ascending
    ///
    /// - Parameter text: A name that begins with `-` has a backslash before it, also behind the `-` of a descending field. A
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
    package static func == (a: Field, b: Field) -> Bool {
      a.isDescending == b.isDescending && NameIndex.isSame(a.name, b.name)
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(ByteName(name))
      hasher.combine(isDescending)
    }

    /// The name, with a `-` before it if it is descending, as ``init(_:)`` reads it.
    package var description: String { (isDescending ? "-" : "") + spelling }
  }

  /// The fields, the most important first.
  package let fields: [Field]

  /// Whether no two objects may have the same values, none of them missing, when a transaction ends.
  package let isUnique: Bool

  /// Makes an index.
  ///
  /// - Parameters:
  ///   - fields: Names of attributes and to-one relationships, each with a `-` before it if it is descending: from one to
  ///     eight.
  ///   - isUnique: Whether no two objects may have the same values.
  public init(_ fields: String..., isUnique: Bool = false) {
    self.init(fields.map(Field.init), isUnique: isUnique)
  }

  /// Makes an index from its parts.
  package init(_ fields: [Field], isUnique: Bool = false) {
    self.fields = fields
    self.isUnique = isUnique
  }

  /// Its name in its entity: `status,-created_at`.
  public var description: String { fields.map(\.description).joined(separator: ",") }
}
