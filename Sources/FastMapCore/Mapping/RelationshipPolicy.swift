internal import CFastMap

/// What happens to the old value of a relationship when a payload brings a new one.
///
///     ToMany("reviews", \.reviews, Review.mapping, policy: .replace)
///
/// A payload that lacks the member leaves the relationship alone under each of them.
public enum RelationshipPolicy: String, Sendable, CaseIterable {
  /// The new value takes the old one's place; old targets stay in the store.
  case assign
  /// To-many: the old targets in their order, then those of the new ones that it does not have yet. To-one:
  /// the new target, unless it is null.
  case merge
  /// As `assign`, and old targets that nothing refers to any more are deleted from the store, unless the
  /// payload has them in another place.
  case replace

  package var code: UInt8 {
    switch self {
    case .assign: UInt8(FASTMAP_ASSIGN)
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
}
