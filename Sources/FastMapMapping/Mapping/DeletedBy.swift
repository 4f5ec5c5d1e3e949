/// The attribute whose value marks an object as deleted.
///
///     Mapping("User", primaryKey: "id", deletedBy: "deleted") { … }        // true deletes
///     Mapping("User", primaryKey: "id", deletedBy: "deleted_at") { … }     // any date deletes
///     Mapping("User", primaryKey: "id", deletedBy: DeletedBy("state", ["closed", "spam"])) { … }
///
/// An import deletes the stored object of such a representation as ``StoreAccess/delete(_:isDryRun:)`` does, and reads nothing else of it.
/// Null and a missing member say nothing.
public struct DeletedBy: Sendable, ExpressibleByStringLiteral {
  /// The name of the attribute.
  package let attribute: String
  /// The values that delete; nil for true of a boolean, and for any value of a date.
  package let values: [Value]?

  /// - Parameters:
  ///   - attribute: The name of an attribute of type boolean, integer, string or date, which is no part of the key.
  ///   - values: The values that delete. Nil stands for true of a boolean, and for any value of a date; integers and
  ///     strings need values.
  public init(_ attribute: String, _ values: [Value]? = nil) {
    self.attribute = attribute
    self.values = values
  }

  /// Names a boolean or a date.
  public init(stringLiteral attribute: String) { self.init(attribute) }
}
