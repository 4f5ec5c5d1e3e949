package import CFastMap

/// A condition that an object's own fields decide.
package protocol RowCondition: AnyObject {
  func includes(_ id: ObjectID, _ row: Row) throws -> Bool
  /// - Parameter slots: As many as the entity has fields.
  func includes(_ id: ObjectID, slots: UnsafePointer<fastmap_slot>) throws -> Bool
}

/// A test of an object by its own fields, which a store runs while it visits objects.
///
///     while let record = cursor.next() {
///       let isIncluded = try Row.lend(count: columns.count) { record.field($0) } to: { try test.includes(record.id, $0) }
///       if isIncluded { page.append(record.id, record.key) }
///     }
///
/// FastMap makes it for one read. Use it in that read only, on its thread.
public final class RowTest {
  /// The numbers of the fields that it reads, ascending. A row need not have the others.
  public let fields: [Int]
  /// The objects that were tested.
  // One thread has it, and asking for sole use each time takes as long as a quick test.
  @exclusivity(unchecked) package private(set) var count = 0
  private let condition: (any RowCondition)?

  /// - Parameters:
  ///   - condition: Nil includes every object.
  ///   - fields: Ascending.
  package init(_ condition: (any RowCondition)?, reading fields: [Int]) {
    self.condition = condition
    self.fields = fields
  }

  /// Whether an object is included.
  ///
  /// - Parameters:
  ///   - id: The object's number.
  ///   - row: Its row, with the values of ``fields`` at least, borrowed until the call returns.
  /// - Throws: ``StoreContractError`` if the row has too few fields.
  /// - Complexity: O(*n*) in the tests of the filter and the bytes that they compare.
  public func includes(_ id: ObjectID, _ row: Row) throws -> Bool {
    count &+= 1
    return try condition?.includes(id, row) ?? true
  }

  /// The same for a filled row with as many slots as the entity has fields.
  package func includes(_ id: ObjectID, slots: UnsafePointer<fastmap_slot>) throws -> Bool {
    count &+= 1
    return try condition?.includes(id, slots: slots) ?? true
  }
}
