import FastMapCore

/// The places of entities and relationships in a picture: layers from top to bottom, each target below its owner where
/// that is possible.
///
/// The same entities give the same picture. The time is linear in entities and relationships, up to a limit of both.
struct Diagram {
  struct Box {
    let entity: Int
    var x = 0.0
    var y = 0.0
    let width: Double
  }

  /// All relationships from one entity to another.
  struct Line {
    let from: Int
    let to: Int
    var labels: [Label] = []
    /// The turning points between the boxes, from top to bottom.
    var points: [(x: Double, y: Double)] = []
    /// Where it ends at its target, and the height of the middle of its labels.
    var end = 0.0
    var labelHeight = 0.0
  }

  struct Label {
    let text: String
    let isToMany: Bool
    let isOwned: Bool
  }

  private(set) var boxes: [Box] = []
  private(set) var lines: [Line] = []
  private(set) var width = 0.0
  private(set) var height = 0.0
  /// The row of each box, and the lines from other boxes that end at it.
  private var levels: [Int] = []
  private var incoming: [[Int]] = []

  static let boxHeight = 46.0
  static let lineHeight = 15.0
  private static let gap = 34.0
  private static let margin = 24.0
  private static let pointWidth = 18.0
  /// A layer with more boxes takes several rows.
  private static let mostInRow = 5
  /// A larger picture is not readable.
  private static let mostEntities = 60
  private static let mostLines = 120

  /// Nil for a picture without entities, or with too many.
  init?(_ description: Description) {
    let entities = description.entities
    guard (1...Self.mostEntities).contains(entities.count) else { return nil }
    boxes = entities.enumerated().map { number, entity in
      let name = Double(min(escaped(entity.name).count, Self.longestName))
      return Box(entity: number, width: max(96, name * 8.4 + 28))
    }
    var places: [[Int]: Int] = [:]
    for (number, entity) in entities.enumerated() {
      for link in entity.links where link.inverseOf == nil {
        let place = places[[number, link.target]] ?? lines.count
        if place == lines.count {
          places[[number, link.target]] = place
          lines.append(Line(from: number, to: link.target))
        }
        lines[place].labels.append(
          Label(text: Self.label(link.name), isToMany: link.isToMany, isOwned: link.isOwned))
      }
    }
    guard lines.count <= Self.mostLines else { return nil }
    incoming = [[Int]](repeating: [], count: boxes.count)
    for (number, line) in lines.enumerated() where line.from != line.to { incoming[line.to].append(number) }
    let rows = rows(layers())
    levels = [Int](repeating: 0, count: boxes.count)
    for (number, row) in rows.enumerated() {
      for case .box(let box) in row { levels[box] = number }
    }
    place(rows)
  }

  private static let longestName = 26
  static func name(_ text: String) -> String { beginning(of: escaped(text), most: longestName - 1) }
  private static func label(_ text: String) -> String { beginning(of: escaped(text), most: 22) }

  // MARK: Layers

  /// The layer of each entity: below the entities that refer to it, without the references that close a circle.
  private func layers() -> [Int] {
    var targets = [[Int]](repeating: [], count: boxes.count)
    var isTarget = [Bool](repeating: false, count: boxes.count)
    for line in lines where line.from != line.to {
      targets[line.from].append(line.to)
      isTarget[line.to] = true
    }
    // Depth first, without recursion. The order in which entities are left is a topological one, reversed.
    var state = [UInt8](repeating: 0, count: boxes.count)
    var order: [Int] = []
    var isForward: [[Bool]] = targets.map { [Bool](repeating: true, count: $0.count) }
    let starts = boxes.indices.filter { !isTarget[$0] } + boxes.indices.filter { isTarget[$0] }
    for start in starts where state[start] == 0 {
      var stack = [(node: start, next: 0)]
      state[start] = 1
      while let (node, next) = stack.last {
        guard next < targets[node].count else {
          state[node] = 2
          order.append(node)
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let target = targets[node][next]
        if state[target] == 0 {
          state[target] = 1
          stack.append((target, 0))
        } else if state[target] == 1 {
          isForward[node][next] = false
        }
      }
    }
    var layers = [Int](repeating: 0, count: boxes.count)
    for node in order.reversed() {
      for (target, forward) in zip(targets[node], isForward[node]) where forward {
        layers[target] = max(layers[target], layers[node] + 1)
      }
    }
    return layers
  }

  /// A box, or the turning point of a line that passes the row.
  private enum Item {
    case box(Int)
    case point(line: Int)
  }

  /// The rows from top to bottom, in an order with few crossings.
  private func rows(_ layers: [Int]) -> [[Item]] {
    var row = [Int](repeating: 0, count: boxes.count)
    var rows: [[Item]] = []
    for layer in 0...(layers.max() ?? 0) {
      let members = boxes.indices.filter { layers[$0] == layer }
      // As many rows as needed, of about equal length.
      let count = (members.count + Self.mostInRow - 1) / Self.mostInRow
      for part in 0..<count {
        let range = (members.count * part / count)..<(members.count * (part + 1) / count)
        for member in members[range] { row[member] = rows.count }
        rows.append(members[range].map { .box($0) })
      }
    }
    for (number, line) in lines.enumerated() {
      let (upper, lower) = (min(row[line.from], row[line.to]), max(row[line.from], row[line.to]))
      for between in (upper + 1)..<max(lower, upper + 1) { rows[between].append(.point(line: number)) }
    }
    for _ in 0..<3 {
      for number in rows.indices.dropFirst() { sort(&rows, number, beside: number - 1) }
      for number in rows.indices.dropLast().reversed() { sort(&rows, number, beside: number + 1) }
    }
    return rows
  }

  /// Sorts a row by the middle of its neighbours in another row.
  private func sort(_ rows: inout [[Item]], _ number: Int, beside other: Int) {
    var positions: [Int: Double] = [:]
    var points: [Int: Double] = [:]
    for (index, item) in rows[other].enumerated() {
      let position = (Double(index) + 0.5) / Double(rows[other].count)
      switch item {
      case .box(let box): positions[box] = position
      case .point(let line): points[line] = position
      }
    }
    var sums: [Int: (sum: Double, count: Double)] = [:]
    func add(_ box: Int, _ position: Double?) {
      guard let position else { return }
      let old = sums[box] ?? (0, 0)
      sums[box] = (old.sum + position, old.count + 1)
    }
    for (index, line) in lines.enumerated() {
      add(line.from, positions[line.to] ?? points[index])
      add(line.to, positions[line.from] ?? points[index])
    }
    let ranked = rows[number].enumerated().map { index, item -> (rank: Double, index: Int, item: Item) in
      let own = (Double(index) + 0.5) / Double(rows[number].count)
      switch item {
      case .box(let box): return (sums[box].map { $0.sum / $0.count } ?? own, index, item)
      case .point(let line):
        return (points[line] ?? positions[lines[line].from] ?? positions[lines[line].to] ?? own, index, item)
      }
    }
    rows[number] = ranked.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map(\.item)
  }

  // MARK: Places

  private mutating func place(_ rows: [[Item]]) {
    // A box has room for the labels of the lines that end there.
    var slots = boxes.map(\.width)
    for line in lines where line.from != line.to {
      slots[line.to] = max(
        slots[line.to], 7 * Double(line.labels.map(\.shown.count).max() ?? 0) - Self.gap / 2)
    }
    let widths = rows.map { row in
      row.reduce(-Self.gap) { width, item in
        if case .box(let box) = item {
          width + slots[box] + Self.gap + loopWidth(box)
        } else {
          width + Self.pointWidth
        }
      }
    }
    width = (widths.max() ?? 0) + 2 * Self.margin
    var y = Self.margin
    for (number, row) in rows.enumerated() {
      var x = (width - widths[number]) / 2
      for item in row {
        switch item {
        case .box(let box):
          (boxes[box].x, boxes[box].y) = (x + (slots[box] - boxes[box].width) / 2, y)
          x += slots[box] + Self.gap + loopWidth(box)
        case .point(let line):
          lines[line].points.append((x, y + Self.boxHeight / 2))
          x += Self.pointWidth
        }
      }
      y += Self.boxHeight + gapBelow(row, number + 1 < rows.count ? rows[number + 1] : [])
    }
    height = y - Self.gap - 14 + Self.margin
    for box in boxes.indices { placeEnds(at: box) }
  }

  /// The space below a row: for the labels of lines that end at the boxes below, and of lines that lead up to this row.
  private func gapBelow(_ row: [Item], _ next: [Item]) -> Double {
    func most(_ row: [Item], isAbove: Bool) -> Int {
      row.map { item in
        guard case .box(let box) = item else { return 0 }
        return ending(at: box, isAbove: isAbove).reduce(0) { $0 + labelCount(lines[$1]) }
      }.max() ?? 0
    }
    return Self.gap + 14 + Self.lineHeight
      * Double(min(most(next, isAbove: true) + most(row, isAbove: false), 24))
  }

  private func labelCount(_ line: Line) -> Int { min(line.labels.count, Self.mostLabels + 1) }

  /// The most labels of a line. The table of the entity has all.
  static let mostLabels = 6

  /// The lines that end at a box, at its upper or lower side.
  private func ending(at box: Int, isAbove: Bool) -> [Int] {
    incoming[box].filter { isAbove == (levels[lines[$0].from] < levels[box]) }
  }

  /// Spreads the ends of lines along the side of a box, with their labels one above the other.
  private mutating func placeEnds(at box: Int) {
    for isAbove in [true, false] {
      let order = ending(at: box, isAbove: isAbove).map { number -> (x: Double, number: Int) in
        let line = lines[number]
        let last = isAbove ? line.points.last?.x : line.points.first?.x
        return (last ?? boxes[line.from].x + boxes[line.from].width / 2, number)
      }.sorted { ($0.x, $0.number) < ($1.x, $1.number) }
      var used = 0
      for (place, entry) in order.enumerated() {
        let part = (Double(place) + 1) / Double(order.count + 1)
        lines[entry.number].end = boxes[box].x + boxes[box].width * part
        let count = labelCount(lines[entry.number])
        let distance = 23 + Self.lineHeight * (Double(used) + Double(count - 1) / 2)
        lines[entry.number].labelHeight =
          isAbove ? boxes[box].y - distance : boxes[box].y + Self.boxHeight + distance
        used += count
      }
    }
  }

  /// The room to the right of a box for its references to itself.
  private func loopWidth(_ box: Int) -> Double {
    guard let line = lines.first(where: { $0.from == box && $0.to == box }) else { return 0 }
    return 34 + 7 * Double(line.labels.map(\.shown.count).max() ?? 0)
  }
}

extension Diagram.Label {
  /// The text, with a mark for any number of targets.
  var shown: String { text + (isToMany ? " ∗" : "") }
}
