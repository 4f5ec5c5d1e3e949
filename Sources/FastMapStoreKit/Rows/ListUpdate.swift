internal import CFastMap

/// The fate of a relationship's old targets when a change has new ones.
///
///     let isAppended = change.update(of: field) == .merge
public enum ListUpdate: Sendable {
  /// The new targets take the place of the old ones.
  case assign
  /// The old targets of a to-many relationship stay, and each new one is appended once.
  case merge
  /// As `assign`. The store also reports each target that the relationship no longer has:
  /// ``ChangeBatch/recordRemoved(_:from:of:)``.
  case replace

  package init(code: UInt8) {
    switch Int(code) {
    case FASTMAP_MERGE: self = .merge
    case FASTMAP_REPLACE: self = .replace
    default: self = .assign
    }
  }

  package var code: UInt8 {
    switch self {
    case .assign: UInt8(FASTMAP_ASSIGN)
    case .merge: UInt8(FASTMAP_MERGE)
    case .replace: UInt8(FASTMAP_REPLACE)
    }
  }
}
