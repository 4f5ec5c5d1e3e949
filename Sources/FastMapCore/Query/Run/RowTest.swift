package import CFastMap

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
  @exclusivity(unchecked) private(set) var count = 0
  private let runner: FilterRunner?

  /// - Parameter runner: One that has begun and needs no other object. Nil includes every object.
  init(_ runner: FilterRunner?) {
    self.runner = runner
    fields = runner?.program.ownFields ?? []
  }

  /// Whether an object is included.
  ///
  /// - Parameters:
  ///   - id: The object's number.
  ///   - row: Its row, with the values of ``fields`` at least. It is borrowed until the call returns.
  /// - Throws: ``StoreContractError`` if the row has too few fields.
  /// - Complexity: O(*n*) in the tests of the filter and the bytes that they compare.
  public func includes(_ id: ObjectID, _ row: Row) throws -> Bool {
    count &+= 1
    return try runner?.includes(id, row) ?? true
  }

  /// The same for a filled row with as many slots as the entity has fields.
  package func includes(_ id: ObjectID, slots: UnsafePointer<fastmap_slot>) throws -> Bool {
    count &+= 1
    return try runner?.includes(id, slots: slots) ?? true
  }
}

extension FilterProgram {
  /// The fields of the object itself that the filter reads, ascending.
  var ownFields: [Int] {
    var fields: Set<Int> = []
    root.addOwnFields(to: &fields)
    return fields.sorted()
  }
}

extension FilterProgram.Node {
  fileprivate func addOwnFields(to fields: inout Set<Int>) {
    switch self {
    case .constant: break
    case .all(let parts), .any(let parts): for part in parts { part.addOwnFields(to: &fields) }
    case .not(let part): part.addOwnFields(to: &fields)
    case .test(let test, _): for operand in test.operands { operand.addOwnFields(to: &fields) }
    }
  }
}

extension FilterProgram.Test {
  fileprivate var operands: [FilterProgram.Operand] {
    switch self {
    case .exists(let operand), .decimal(let operand, _), .isOne(let operand, _), .isObject(let operand, _, _):
      [operand]
    case .compare(let a, _, let b), .text(let a, _, let b, _): [a, b]
    }
  }
}

extension FilterProgram.Operand {
  fileprivate func addOwnFields(to fields: inout Set<Int>) {
    switch self {
    case .field(0, let field), .shown(0, let field, _): fields.insert(field)
    case .json(let place, _), .jsonCount(let place, _), .jsonOnly(let place, _):
      if place.frame == 0 { fields.insert(place.field) }
    case .length(let operand), .lowercased(let operand), .presence(let operand):
      operand.addOwnFields(to: &fields)
    case .literal, .field, .shown, .object, .listCount, .listValue: break
    }
  }
}
