/// Decides about the old targets of a relationship when a payload has new ones.
///
///     ToMany("reviews", \.reviews, Review.mapping, policy: .replace)
///     ToMany("tags", \.tags, Tag.mapping, policy: .custom { change in
///       change.new + change.old.filter { !change.new.contains($0) }
///     })
///
/// Under every policy, a missing member leaves the relationship alone.
public struct RelationshipPolicy: Sendable, Equatable {
  /// The name for messages: `assign`, `merge`, `replace`, or the name of a custom policy.
  package let name: String
  private let kind: Kind
  /// Whether old targets are deleted even if other objects refer to them.
  package let deletesShared: Bool

  private enum Kind {
    case assign, merge, replace, custom
  }

  /// The closure of a custom policy, boxed so that policies can be compared.
  package let custom: CustomPolicy?

  private init(_ name: String, _ kind: Kind, deletesShared: Bool = false, custom: CustomPolicy? = nil) {
    self.name = name
    self.kind = kind
    self.deletesShared = deletesShared
    self.custom = custom
  }

  /// The new targets replace the old ones, which stay in the store.
  public static let assign = RelationshipPolicy("assign", .assign)

  /// A to-many relationship keeps its old targets and appends new ones. A to-one takes the new target, unless it is
  /// null.
  ///
  /// An element without a key is appended if the list has no equal one.
  public static let merge = RelationshipPolicy("merge", .merge)

  /// Like `assign`, but deletes old targets at the end of the import. Targets that something refers to, or that the
  /// payload contains elsewhere, stay.
  public static let replace = RelationshipPolicy("replace", .replace)

  /// Like `replace`.
  ///
  /// - Parameter deletesShared: Whether old targets are deleted even if other objects refer to them. They are then
  ///   removed from these relationships. Objects that the payload contains elsewhere stay in any case.
  public static func replace(deletesShared: Bool) -> RelationshipPolicy {
    RelationshipPolicy("replace", .replace, deletesShared: deletesShared)
  }

  /// A policy that a closure defines.
  ///
  /// The closure is called once for each occurrence of the member in the payload, including null, but not for lists of
  /// elements without keys. The calls come in
  /// payload order, when the attributes of the batch's objects are in the store. If a store runs a transaction again,
  /// because it has to grow or another writer has interfered, the calls of the transaction repeat. So the closure should
  /// change nothing outside the store.
  ///
  /// - Parameters:
  ///   - name: For messages.
  ///   - targets: Returns the new targets of the relationship: old ones, new ones, or others that it has found
  ///     in the store. At most one for a to-one relationship, none to clear it. An error that it throws ends
  ///     the import.
  public static func custom(
    _ name: String = "custom", _ targets: @escaping @Sendable (inout RelationshipChange) throws -> [ObjectID]
  ) -> RelationshipPolicy {
    RelationshipPolicy(name, .custom, custom: CustomPolicy(targets))
  }

  public static func == (a: RelationshipPolicy, b: RelationshipPolicy) -> Bool {
    a.kind == b.kind && a.deletesShared == b.deletesShared && a.custom === b.custom
  }

  /// The policies with a name in mapping files.
  package static let named = [assign, merge, replace]

  /// Its effect on stored targets. A custom policy sets the targets that its closure returns.
  var update: ListUpdate {
    switch kind {
    case .assign, .custom: .assign
    case .merge: .merge
    case .replace: .replace
    }
  }

  package var isReplace: Bool { kind == .replace }
  package var isMerge: Bool { kind == .merge }
}

/// The closure of a custom policy.
package final class CustomPolicy: Sendable {
  package let targets: @Sendable (inout RelationshipChange) throws -> [ObjectID]

  init(_ targets: @escaping @Sendable (inout RelationshipChange) throws -> [ObjectID]) {
    self.targets = targets
  }
}
