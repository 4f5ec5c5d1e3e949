// What a call lends and the compiler must refuse to keep: each case by itself, with its error. See scripts/check-refused.
import FastMapCore
import FastMapMemory

final class Keeper {
  var text: String?
  #if CASE_1  // refused: cannot return a ~Escapable result
    var row: Row?
  #endif
}

struct Letter: AttributeValue {
  var text: String

  static var attributeType: AttributeType { .string }
  init?(_ field: Field) { text = field.string ?? "" }

  func write(to field: inout FieldWriter) {
    text.write(to: &field)
    #if CASE_2  // refused: does not conform to expected type 'Copyable'
      let kept = field
      print(kept)
    #endif
  }
}

func isAccepted(_ store: MemoryStore, _ people: Plan) throws -> [String?] {
  var names: [String?] = []
  try store.read(people) { snapshot in
    try snapshot.forEachRow(people) { row, key in
      try names.append(row["name"].string)
      return key != nil
    }
    _ = try snapshot.reader.withRow(ObjectID(rawValue: 1), of: 0) { $0[0].integer }
  }
  return names
}

func isAccepted(_ object: MappedObject) throws -> Int { try object.store.count(of: "Person") }

func refused(_ store: MemoryStore, _ people: Plan, _ object: MappedObject) throws {
  #if CASE_3  // refused: does not conform to protocol 'Escapable'
    var rows: [Row] = []
    try store.read(people) {
      try $0.forEachRow(people) { row, _ in
        rows.append(row); return true
      }
    }
  #elseif CASE_4  // refused: lifetime-dependent variable 'kept' escapes its scope
    var kept: Row?
    try store.read(people) {
      try $0.forEachRow(people) { row, _ in
        kept = row; return true
      }
    }
    print(kept?.count as Any)
  #elseif CASE_5  // refused: lifetime-dependent variable 'row' escapes its scope
    var later: [() -> Int] = []
    try store.read(people) {
      try $0.forEachRow(people) { row, _ in
        later.append { row.count }; return true
      }
    }
  #elseif CASE_6  // refused: is consuming
    var kept: Snapshot?
    try store.read(people) { kept = $0 }
  #elseif CASE_7  // refused: requires that 'Snapshot' conform to 'Copyable'
    let kept = try store.read(people) { snapshot in return snapshot }
  #elseif CASE_8  // refused: is borrowed and cannot be consumed
    let kept = object.store
    print(kept.schema)
  #elseif CASE_9  // refused: ~Escapable result
    func longer() -> Row? {
      let buffer = RowBuffer()
      return buffer.row
    }
  #elseif CASE_10  // refused: is consuming
    var kept: Transaction?
    try store.write { kept = $0 }
  #elseif CASE_11  // refused: overlapping accesses
    try store.read(people) { snapshot in
      try snapshot.forEachRow(people) { _, _ in
        try snapshot.count(people) > 0
      }
    }
  #endif
}
