package import FastMapStoreKit

/// A stored target of a relationship, and its place in the list.
///
///     let link = SQLLink(position: row.integer(1), target: row.id(2))
package struct SQLLink: Hashable, Sendable {
  /// Ascends in the list, perhaps with gaps. Any number for a to-one relationship.
  package let position: Int64
  package let target: ObjectID

  /// Makes a link.
  package init(position: Int64, target: ObjectID) {
    self.position = position
    self.target = target
  }
}

/// The difference between the stored targets of a to-many relationship and the targets of a change.
///
///     let change = SQLListChange(from: links, to: Array(row[field].targets), update: change.update(of: field))
///     if let position = change.removedFrom { try delete(of: owner, from: position) }
///     for (offset, target) in change.added.enumerated() { insert(owner, change.firstAdded + Int64(offset), target) }
///
/// A list keeps its beginning. After it, old targets are removed and new ones appended. So growth costs only the
/// additions.
package struct SQLListChange: Equatable, Sendable {
  /// The position from which on the old targets are removed; nil if all stay.
  package let removedFrom: Int64?
  /// The targets to append, in order.
  package let added: ArraySlice<ObjectID>
  /// The position of the first of ``added``. The others follow without gaps.
  package let firstAdded: Int64

  /// Whether the list stays as it is.
  package var isEmpty: Bool { removedFrom == nil && added.isEmpty }

  /// Compares two lists.
  ///
  /// - Parameters:
  ///   - old: The stored targets, ascending by position.
  ///   - new: The targets in the change, in order, repeats included.
  ///   - update: `merge` keeps the old ones, and appends each new one once. Every other update sets the list.
  /// - Complexity: O(*n*).
  package init(from old: [SQLLink], to new: [ObjectID], update: ListUpdate) {
    var kept = 0
    if update == .merge {
      var known = Set(old.map(\.target))
      kept = old.count
      added = new.filter { known.insert($0).inserted }[...]
    } else {
      while kept < min(old.count, new.count), old[kept].target == new[kept] { kept += 1 }
      added = new[kept...]
    }
    removedFrom = kept < old.count ? old[kept].position : nil
    firstAdded = kept == 0 ? 0 : old[kept - 1].position + 1
  }
}
