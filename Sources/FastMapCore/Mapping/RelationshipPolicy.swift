internal import CFastMap

/// What happens to the old value of a relationship when a payload brings a new one.
///
///     ToMany("reviews", \.reviews, Review.mapping, policy: .replace)
///     ToMany("tags", \.tags, Tag.mapping, policy: .custom { change in
///       change.new + change.old.filter { !change.new.contains($0) }
///     })
///
/// A payload that lacks the member leaves the relationship alone under each of them.
public struct RelationshipPolicy: Sendable, Equatable {
  /// Its name in messages: `assign`, `merge`, `replace`; or that of a custom one.
  public let name: String
  private let kind: Kind
  /// Whether old targets are deleted even where other objects refer to them.
  let deletesShared: Bool

  private enum Kind {
    case assign, merge, replace, custom
  }

  /// The caller's own rule, boxed to be told from others.
  let custom: CustomPolicy?

  private init(_ name: String, _ kind: Kind, deletesShared: Bool = false, custom: CustomPolicy? = nil) {
    self.name = name
    self.kind = kind
    self.deletesShared = deletesShared
    self.custom = custom
  }

  /// The new value takes the old one's place; old targets stay in the store.
  public static let assign = RelationshipPolicy("assign", .assign)

  /// To-many: the old targets in their order, then those of the new ones that it does not have yet. To-one:
  /// the new target, unless it is null. Objects without a key update the old ones by their position among those
  /// without a key; those beyond the old ones are new.
  public static let merge = RelationshipPolicy("merge", .merge)

  /// As `assign`, and old targets that nothing refers to any more are deleted from the store at the end of
  /// the import, unless the payload has them in another place.
  public static let replace = RelationshipPolicy("replace", .replace)

  /// As `replace`.
  ///
  /// - Parameter deletesShared: Whether old targets are deleted even where other objects still refer to them.
  ///   Their relationships lose them then. What the payload has in another place is kept in any case.
  public static func replace(deletesShared: Bool) -> RelationshipPolicy {
    RelationshipPolicy("replace", .replace, deletesShared: deletesShared)
  }

  /// The caller's own rule.
  ///
  /// It is called once for each place in the payload that has the member, null included, in payload order,
  /// when the attributes of the batch's objects are in the store.
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

  /// The policies that have a name in mapping files.
  static let named = [assign, merge, replace]

  package var code: UInt8 {
    switch kind {
    case .assign, .custom: UInt8(FASTMAP_ASSIGN)
    case .merge: UInt8(FASTMAP_MERGE)
    case .replace: UInt8(FASTMAP_REPLACE)
    }
  }

  package init(code: UInt8) {
    switch Int(code) {
    case FASTMAP_MERGE: self = .merge
    case FASTMAP_REPLACE: self = .replace
    default: self = .assign
    }
  }

  var isReplace: Bool { kind == .replace }
}

/// A custom policy's closure.
final class CustomPolicy: Sendable {
  let targets: @Sendable (inout RelationshipChange) throws -> [ObjectID]

  init(_ targets: @escaping @Sendable (inout RelationshipChange) throws -> [ObjectID]) {
    self.targets = targets
  }
}
