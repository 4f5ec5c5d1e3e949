extension RowTest {
  /// - Parameter runner: Has begun, and needs no other object. Nil includes every object.
  convenience init(_ runner: FilterRunner?) { self.init(runner, reading: runner?.program.ownFields ?? []) }
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
