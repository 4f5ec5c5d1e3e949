public import FastMapCore

/// The changes of a batch that set the same columns of one table, so one statement serves them all.
///
///     for group in SQLChangeGroup.groups(of: batch.changes, binding) {
///       let statement = group.isNew ? insert(group) : update(group)
///       for index in group.changes { try run(statement, batch.changes[index]) }
///     }
///
/// - Note: It has indices into the batch, and is valid as long as the batch has the same changes.
public struct SQLChangeGroup: Sendable {
  /// The number of the entity in the schema.
  public let entity: Int
  /// Whether the objects are inserted. Otherwise they are updated.
  public let isNew: Bool
  /// Whether the objects have a key.
  public let hasKey: Bool
  /// The attributes and to-one relationships to set, ascending: those with a column that are not missing. Null is set.
  public let fields: [Int]
  /// The indices of the changes, ascending.
  public private(set) var changes: [Int]

  /// Groups the changes of a batch. Every change of a bound entity is in one group, also if it sets no column.
  ///
  /// - Parameters:
  ///   - changes: The changes of one batch.
  ///   - binding: The binding of its schema. Changes of an entity without a table are left out.
  /// - Returns: The groups, in the order of their first changes.
  /// - Complexity: O(*n*) in the fields of all changes.
  public static func groups(of changes: [ObjectChange], _ binding: SQLBinding) -> [SQLChangeGroup] {
    var groups: [SQLChangeGroup] = []
    var known: [Shape: Int] = [:]
    var last: Int?
    for (index, change) in changes.enumerated() {
      guard let bound = binding[change.entity] else { continue }
      // Neighbours mostly have the same shape.
      if let last, groups[last].fits(change, bound) {
        groups[last].changes.append(index)
        continue
      }
      let shape = Shape(
        entity: change.entity, isNew: change.isNew, hasKey: change.keyField != nil,
        fields: bound.columns.filter { !change.row[$0].isMissing })
      if let group = known[shape] {
        groups[group].changes.append(index)
        last = group
      } else {
        known[shape] = groups.count
        last = groups.count
        groups.append(SQLChangeGroup(shape, index))
      }
    }
    return groups
  }

  private struct Shape: Hashable {
    let entity: Int
    let isNew: Bool
    let hasKey: Bool
    let fields: [Int]
  }

  private init(_ shape: Shape, _ first: Int) {
    entity = shape.entity
    isNew = shape.isNew
    hasKey = shape.hasKey
    fields = shape.fields
    changes = [first]
  }

  private func fits(_ change: ObjectChange, _ bound: SQLBinding.Entity) -> Bool {
    guard change.entity == entity, change.isNew == isNew, (change.keyField != nil) == hasKey else {
      return false
    }
    let row = change.row
    var place = 0
    for field in bound.columns {
      let isSet = place < fields.count && fields[place] == field
      if row[field].isMissing == isSet { return false }
      if isSet { place += 1 }
    }
    return true
  }
}
