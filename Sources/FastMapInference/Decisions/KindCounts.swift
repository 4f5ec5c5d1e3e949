/// How often the objects of an entity have each member, for each value of one of them.
struct KindCounts {
  /// A member, or one of a single object below.
  struct Feature {
    let name: UInt64
    let owner: UInt64?
    fileprivate let numbers: [Int]
  }

  /// Objects, and how many of them have each feature.
  struct Group {
    var objects = 0
    var having: [Int]
  }

  let features: [Feature]
  private let table: RowTable
  /// The sets of features that objects have, and the place of each row's set.
  private var layouts: [[Int]] = []
  private var layoutOfRow: [Int] = []

  /// - Parameter inner: Members with single objects that have no key and are met in no other place.
  init(_ entity: Entity, inner: [Shape]) {
    table = entity.shape.rows
    features =
      entity.members.map { Feature(name: $0.nameHash, owner: nil, numbers: [$0.number]) }
      + inner.flatMap { owner in
        owner.members.map {
          Feature(name: $0.nameHash, owner: owner.nameHash, numbers: [owner.number, $0.number])
        }
      }
    let places = Dictionary(features.enumerated().map { ($1.numbers, $0) }) { $1 }
    var below: [Int: [UInt64: [Int]]] = [:]
    for owner in inner {
      let rows = owner.rows.rows.indices.map { row in
        (RowTable.short(owner.rows.rows[row].content), Self.numbers(owner.rows, row).map { $0.number })
      }
      below[owner.number] = Dictionary(rows) { Array(Set($0 + $1)) }
    }
    var known: [[Int]: Int] = [:]
    for row in table.rows.indices {
      let layout = Self.numbers(table, row).flatMap { number, hash in
        [places[[number]]] + (below[number]?[hash] ?? []).map { places[[number, $0]] }
      }.compactMap(\.self).sorted()
      if known[layout] == nil {
        known[layout] = layouts.count
        layouts.append(layout)
      }
      layoutOfRow.append(known[layout] ?? 0)
    }
  }

  /// The members of a row that are not null, with their hashes.
  private static func numbers(_ table: RowTable, _ row: Int) -> [(number: Int, hash: UInt64)] {
    table.cells(of: row).map { (RowTable.number(of: $0), RowTable.hash(of: $0)) }.filter { $0.1 != 0 }
  }

  /// The objects with any value of a member or none, and those with each value, by its hash.
  func groups(by member: Shape) -> (all: Group, byValue: [UInt64: Group]) {
    var counts: [UInt64: [Int: Int]] = [:]
    for (row, value) in table.values(of: [member.number]).enumerated() {
      counts[value ?? 0, default: [:]][layoutOfRow[row], default: 0] +=
        table.rows[row].count
    }
    var all = Group(having: Array(repeating: 0, count: features.count))
    let groups = counts.mapValues { layouts in
      var group = Group(having: Array(repeating: 0, count: features.count))
      for (layout, count) in layouts {
        group.objects += count
        for feature in self.layouts[layout] { group.having[feature] += count }
      }
      all.objects += group.objects
      for (feature, count) in group.having.enumerated() { all.having[feature] += count }
      return group
    }
    return (all, groups)
  }
}
