/// How the values of a candidate tell the objects of an entity apart. All objects are compared.
struct Evidence {
  /// The different values.
  private(set) var distinct = 0
  /// The values that are met again.
  private(set) var repeated = 0
  /// Of these, the values that are met with another value of a member that both objects have.
  private(set) var differing = 0
  /// The values of objects that changed: they differ, and were made at one time.
  private(set) var changed = 0
  /// The hashes of the names of these members.
  private(set) var names: Set<UInt64> = []
  /// Whether no object was left out.
  let isComplete: Bool

  /// - Parameters:
  ///   - looksBelow: Whether objects differ if anything below their members does.
  ///   - birth: The member with the time at which an object was made.
  init(_ shape: Shape, _ columns: [Shape], looksBelow: Bool, birth: Shape? = nil) {
    let table = shape.rows
    isComplete = table.isComplete
    var groups: [UInt64: Int32] = [:]
    var members: [UInt64: [Int32]] = [:]
    groups.reserveCapacity(table.rows.count)
    let values = table.values(of: columns.map(\.number))
    for (row, value) in values.enumerated() {
      guard let value else { continue }
      guard let first = groups[value] else {
        groups[value] = Int32(row)
        if table.rows[row].count > 1 { repeated += 1 }
        continue
      }
      if members[value] == nil, table.rows[Int(first)].count == 1 { repeated += 1 }
      members[value, default: [first]].append(Int32(row))
    }
    distinct = groups.count
    let named = table.names(of: shape)
    for rows in members.values {
      let found = Self.differences(rows.map { table.cells(of: Int($0)) }, looksBelow: looksBelow)
      guard let found else { continue }
      names.formUnion(found.compactMap { named[$0] })
      if let birth, !found.contains(birth.number) {
        changed += 1
        continue
      }
      differing += 1
    }
  }

  var isUnique: Bool { repeated == 0 }

  /// The numbers of members that differ in two objects that have them; nil if none does.
  private static func differences(_ objects: [ArraySlice<UInt64>], looksBelow: Bool) -> Set<Int>? {
    var seen: [Int: UInt64] = [:]
    var found: Set<Int> = []
    for cell in objects.joined() {
      let number = RowTable.number(of: cell)
      if let old = seen[number], old != cell { found.insert(number) } else { seen[number] = cell }
    }
    if !found.isEmpty { return found }
    // The objects have the same members with the same identifiers, and differ below these.
    let isBelow = Set(objects.map { Set($0) }).count < objects.count
    return looksBelow && isBelow ? [] : nil
  }
}
