public import FastMapCore

/// The difference between the stored targets of a to-many relationship and those of a change.
///
///     let change = SQLListChange(from: old, to: Array(row[field].targets), policy: change.policy(of: field))
///     if change.removesRest { try deleteTargets(of: owner, behind: change.kept) }
///     try append(change.added, to: owner)
///
/// A list keeps its beginning. Behind it, old targets are removed and new ones appended. So a list that only grew costs
/// what was added.
public struct SQLListChange: Equatable, Sendable {
  /// The number of old targets, from the first, that stay.
  public let kept: Int
  /// Whether the old targets behind those are removed.
  public let removesRest: Bool
  /// The targets to append.
  public let added: ArraySlice<ObjectID>

  /// Whether the list stays as it is.
  public var isEmpty: Bool { !removesRest && added.isEmpty }

  /// Compares two lists.
  ///
  /// - Parameters:
  ///   - old: The stored targets, in order.
  ///   - new: The targets in the change, in order, repeats included.
  ///   - policy: `merge` keeps the old ones, and appends each new one once. Every other policy sets the list.
  /// - Complexity: O(*n*).
  public init(from old: [ObjectID], to new: [ObjectID], policy: RelationshipPolicy) {
    if policy == .merge {
      var known = Set(old)
      kept = old.count
      removesRest = false
      added = new.filter { known.insert($0).inserted }[...]
    } else {
      var common = 0
      while common < min(old.count, new.count), old[common] == new[common] { common += 1 }
      kept = common
      removesRest = common < old.count
      added = new[common...]
    }
  }
}
