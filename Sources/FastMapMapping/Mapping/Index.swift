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
  /// The fields, the most important first.
  package let fields: [IndexField]

  /// Whether no two objects may have the same values, none of them missing, when a transaction ends.
  package let isUnique: Bool

  /// Makes an index.
  ///
  /// - Parameters:
  ///   - fields: Names of attributes and to-one relationships, each with a `-` before it if it is descending: from one to
  ///     eight.
  ///   - isUnique: Whether no two objects may have the same values.
  public init(_ fields: String..., isUnique: Bool = false) {
    self.init(fields.map { IndexField($0) }, isUnique: isUnique)
  }

  /// Makes an index from its parts.
  package init(_ fields: [IndexField], isUnique: Bool = false) {
    self.fields = fields
    self.isUnique = isUnique
  }

  /// Its name in its entity: `status,-created_at`.
  public var description: String { fields.map(\.description).joined(separator: ",") }
}
