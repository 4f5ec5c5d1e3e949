/// The distinct objects of a place, as hashes of their members' values.
///
/// Of more cells than it keeps, the objects stay whose identifiers have small hashes. So all objects with one identifier stay or go,
/// in any order.
struct RowTable {
  private static let mostCells = 1 << 23
  /// The bits of a cell with the number of its member.
  private static let numberBits: UInt64 = 511
  static let mostMembers = Int(numberBits) + 1

  struct Row {
    /// A hash of the whole object, with all below it.
    let identity: UInt64
    /// The hash that stands for it in the object around it.
    let content: UInt64
    /// The hash of its identifier, or its own.
    let sample: UInt64
    let start: Int
    var count: Int
    /// A bit for each input that has it. From the 65th on, inputs share bits.
    var inputs: UInt64
  }

  private(set) var rows: [Row] = []
  private var cells: [UInt64] = []
  /// One more than the number of a row, by its identity; 0 is free.
  private var slots: [Int32] = []
  private var limit = UInt64.max

  /// Whether no object was left out.
  var isComplete: Bool { limit == .max }

  /// The bits of a hash that a cell keeps. Null has the hash 0.
  static func short(_ hash: UInt64) -> UInt64 { max(hash & ~numberBits, numberBits + 1) }
  static func hash(of cell: UInt64) -> UInt64 { cell & ~numberBits }
  static func number(of cell: UInt64) -> Int { Int(cell & numberBits) }

  func cells(of row: Int) -> ArraySlice<UInt64> {
    cells[rows[row].start..<(row + 1 < rows.count ? rows[row + 1].start : cells.count)]
  }

  mutating func insert(
    _ new: some Sequence<UInt64>, identity: UInt64, content: UInt64, sample: UInt64, count: Int = 1,
    inputs: UInt64
  ) {
    let start = cells.count
    cells.append(contentsOf: new)
    add(Row(identity: identity, content: content, sample: sample, start: start, count: count, inputs: inputs))
    while cells.count > Self.mostCells { thin(to: limit / 2) }
  }

  /// Adds a row whose cells are the last ones.
  private mutating func add(_ row: Row) {
    if rows.count * 3 >= slots.count * 2 { grow() }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: row.identity) & mask
    while slots[slot] != 0, rows[Int(slots[slot]) - 1].identity != row.identity { slot = (slot + 1) & mask }
    if slots[slot] != 0 {
      let known = Int(slots[slot]) - 1
      rows[known].count += row.count
      rows[known].inputs |= row.inputs
    }
    guard slots[slot] == 0, row.sample <= limit else {
      cells.removeSubrange(row.start...)
      return
    }
    rows.append(row)
    slots[slot] = Int32(rows.count)
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: max(8, slots.count * 2))
    for (number, row) in rows.enumerated() {
      var slot = Int(truncatingIfNeeded: row.identity) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(number + 1)
    }
  }

  private mutating func thin(to newLimit: UInt64) {
    guard newLimit < limit else { return }
    let old = self
    self = RowTable()
    limit = newLimit
    for (number, row) in old.rows.enumerated() where row.sample <= limit {
      insert(
        old.cells(of: number), identity: row.identity, content: row.content, sample: row.sample,
        count: row.count, inputs: row.inputs)
    }
  }

  /// Adds the objects of another place.
  ///
  /// - Parameter numbers: By the numbers of members there: their numbers here.
  mutating func absorb(_ other: RowTable, _ numbers: [Int?]) {
    let isSame = numbers.indices.allSatisfy { numbers[$0] == $0 }
    if isSame, rows.isEmpty, other.limit <= limit {
      self = other
      return
    }
    thin(to: other.limit)
    for (number, row) in other.rows.enumerated() where row.sample <= limit {
      let cells = other.cells(of: number).lazy.map { cell in
        Self.hash(of: cell) | UInt64(numbers[Self.number(of: cell)] ?? 511)
      }
      insert(
        cells, identity: row.identity, content: row.content, sample: row.sample, count: row.count,
        inputs: row.inputs)
    }
  }
}

extension RowTable {
  /// The cell of a member; nil for an object without it. Most objects have all members in one order.
  private func cell(_ number: Int, of row: Int) -> UInt64? {
    let cells = cells(of: row)
    let place = cells.startIndex + number
    if place < cells.endIndex, Self.number(of: cells[place]) == number { return cells[place] }
    return cells.last { Self.number(of: $0) == number }
  }

  /// By the numbers of members: the hashes of their names.
  func names(of shape: Shape) -> [Int: UInt64] {
    Dictionary(shape.members.map { ($0.number, $0.nameHash) }, uniquingKeysWith: { $1 })
  }

  /// For each row a hash of the values of some members; nil if one is missing or null.
  func values(of numbers: [Int]) -> [UInt64?] {
    rows.indices.map { row in
      var result: UInt64?
      for number in numbers {
        guard let hash = cell(number, of: row).map(Self.hash), hash != 0 else { return nil }
        result = result.map { ShapeFolder.mixed($0, hash) } ?? hash
      }
      return result
    }
  }
}
