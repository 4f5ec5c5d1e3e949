extension ImportOptions {
  /// An object that a transaction has changed.
  ///
  ///     for field in change.fields { print(change.entity, field.name, field.before, field.after) }   // Order total 30 31
  public struct Change: Sendable {
    /// The effect of a transaction on an object.
    public enum Kind: String, Sendable { case inserted, updated, deleted }

    /// Whether the object is new, different or gone.
    public let kind: Kind
    /// The entity of the object.
    public let entity: String
    /// Its primary key; nil for a root object without one.
    public let key: PrimaryKey?
    /// The fields of an updated object that differ, each with its value before and after the transaction, as JSON.
    ///
    /// No value is `null`. A target is its key, and a target without a key an object of its fields by their names. A date
    /// has the format of its mapping.
    public let fields: [(name: String, before: String, after: String)]
  }
}
