/// How the values of a candidate tell the objects of an entity apart. All objects are compared.
struct Evidence {
  /// The different values.
  private(set) var distinct = 0
  /// The values that are met again.
  private(set) var repeated = 0
  /// Of these, the values that are met with another value of a member that both objects have.
  private(set) var differing = 0
  /// The values of objects that changed: they differ, and were made at one time, or come from one input each.
  private(set) var changed = 0
  /// The hashes of the names of these members.
  private(set) var names: Set<UInt64> = []
  /// Whether no object was left out.
  let isComplete: Bool

  private let shape: Shape
  /// The rows of the values that are met again.
  private var groups: [[Int]] = []

  /// Counts values.
  init(_ shape: Shape, _ columns: [Shape]) {
    self.shape = shape
    let table = shape.rows
    isComplete = table.isComplete
    // By value, its first row, or the group of its rows as a negative number.
    var places: [UInt64: Int] = [:]
    places.reserveCapacity(table.rows.count)
    for (row, value) in table.values(of: columns.map(\.number)).enumerated() {
      guard let value else { continue }
      guard let first = places[value] else {
        places[value] = row
        if table.rows[row].count > 1 { repeated += 1 }
        continue
      }
      if first >= 0 {
        if table.rows[first].count == 1 { repeated += 1 }
        places[value] = ~groups.count
        groups.append([first, row])
      } else {
        groups[~first].append(row)
      }
    }
    distinct = places.count
  }

  var isUnique: Bool { repeated == 0 }

  /// Compares the objects that have one value.
  ///
  /// - Parameters:
  ///   - looksBelow: Whether objects differ if anything below their members does.
  ///   - birth: The member with the time at which an object was made.
  ///   - comparesInputs: Whether objects of different inputs may be one object, earlier and later.
  ///   - most: The number of differences that is enough.
  func compared(looksBelow: Bool, birth: Shape? = nil, comparesInputs: Bool = false, most: Int = .max)
    -> Evidence
  {
    var result = self
    let table = shape.rows
    let named = table.names(of: shape)
    var cells = [UInt64](repeating: .max, count: RowTable.mostMembers)
    // Objects of several inputs that have little in common.
    var unlike = 0
    for rows in groups where result.differing < most {
      let found = table.differences(rows, looksBelow: looksBelow, &cells)
      guard let found else { continue }
      result.names.formUnion(found.compactMap { named[$0] })
      let hasChanged =
        birth.map { !found.contains($0.number) } ?? (comparesInputs && table.areOfDifferentInputs(rows))
      if hasChanged { result.changed += 1 } else { result.differing += 1 }
      if found.count * 2 > table.cells(of: rows[0]).count - 1 { unlike += 1 }
    }
    // A few may have changed as a whole. Many are counted anew in each input.
    if comparesInputs, unlike >= 5, unlike * 2 > repeated { result.differing += result.changed }
    return result
  }
}

extension RowTable {
  fileprivate func areOfDifferentInputs(_ numbers: [Int]) -> Bool {
    var seen: UInt64 = 0
    return numbers.allSatisfy { number in
      defer { seen |= rows[number].inputs }
      return seen & rows[number].inputs == 0
    }
  }

  /// The numbers of members that differ in two objects that have them; nil if none does.
  ///
  /// - Parameter seen: Of each member nothing, which is `UInt64.max`, and so afterwards.
  fileprivate func differences(_ rows: [Int], looksBelow: Bool, _ seen: inout [UInt64]) -> Set<Int>? {
    defer { for cell in rows.lazy.flatMap(cells) { seen[Self.number(of: cell)] = .max } }
    var found: Set<Int> = []
    var sums: Set<UInt64> = []
    for row in rows {
      var sum: UInt64 = 0
      for cell in cells(of: row) {
        let number = Self.number(of: cell)
        if seen[number] == .max { seen[number] = cell } else if seen[number] != cell { found.insert(number) }
        sum &+= cell
      }
      if looksBelow { sums.insert(sum) }
    }
    // Objects with the same members and identifiers differ below these.
    return !found.isEmpty ? found : looksBelow && sums.count < rows.count ? [] : nil
  }
}
