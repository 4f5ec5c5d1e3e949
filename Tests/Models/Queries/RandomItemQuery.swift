import FastMapCore
import FastMapStoreTesting

/// A random query about plain objects, with its expected results.
struct RandomItemQuery {
  private let text: String
  private let query: Query<Plan>
  private let expected: [ModelItem]

  private struct Condition {
    let text: String
    let filter: Filter
    let holds: (ModelItem) -> Bool

    init(_ text: String, _ holds: @escaping (ModelItem) -> Bool) throws {
      (self.text, self.holds) = (text, holds)
      filter = try Filter(text)
    }

    init(prefix: String) {
      text =
        "the name begins with \(prefix.count > 9 ? "\(prefix.count) letters to \(prefix.suffix(2))" : prefix)"
      let path = FilterPath([FilterStep(.name("name"))])
      filter = Filter(.text(.path(path), .hasPrefix, .literal(.string(prefix))))
      holds = { $0.name?.utf8.starts(with: prefix.utf8) ?? false }
    }

    init(_ conditions: [Condition], isAny: Bool) {
      text = "(" + conditions.map(\.text).joined(separator: isAny ? " || " : " && ") + ")"
      filter = isAny ? .any(conditions.map(\.filter)) : .all(conditions.map(\.filter))
      holds = { item in
        isAny ? conditions.contains { $0.holds(item) } : conditions.allSatisfy { $0.holds(item) }
      }
    }
  }

  init(_ model: ModelItems, _ random: inout some RandomNumberGenerator) throws {
    func pick<T>(_ values: [T]) -> T { values[random.below(values.count)] }
    let operators = ["<", "<=", ">", ">=", "=="]
    let count = model.all.count
    func number(_ field: String, _ values: [Double], _ value: @escaping (ModelItem) -> Double?) throws
      -> Condition
    {
      func one(_ comparison: String, _ other: Double) throws -> Condition {
        let text = other == other.rounded() ? "\(Int(other))" : "\(other)"
        return try Condition("@.\(field) \(comparison) \(text)") { item in
          guard let value = value(item) else { return comparison == "!=" }
          return switch comparison {
          case "<": value < other
          case "<=": value <= other
          case ">": value > other
          case ">=": value >= other
          case "==": value == other
          default: value != other
          }
        }
      }
      let other = pick(values)
      switch random.below(8) {
      case 0: return Condition([try one("<=", other), try one("<", other)], isAny: false)
      case 1: return Condition([try one("<", other), try one("<=", other)], isAny: false)
      case 2: return Condition([try one(">=", other), try one(">", other)], isAny: false)
      case 3: return Condition([try one(">", other), try one(">=", other)], isAny: false)
      case 4: return Condition([try one("==", other), try one("==", pick(values))], isAny: true)
      default: return try one(pick(operators + ["!="]), other)
      }
    }
    func name() throws -> Condition {
      func one(_ comparison: String, _ other: String) throws -> Condition {
        try Condition("@.name \(comparison) \"\(other)\"") { item in
          guard let name = item.name else { return false }
          let isLess = name.utf8.lexicographicallyPrecedes(other.utf8)
          let isEqual = name.utf8.elementsEqual(other.utf8)
          return switch comparison {
          case "<": isLess
          case "<=": isLess || isEqual
          case ">": !isLess && !isEqual
          case ">=": !isLess
          default: isEqual
          }
        }
      }
      switch random.below(6) {
      case 0: return Condition([try one("==", "\u{E9}"), try one("==", "e\u{301}")], isAny: true)
      case 1:
        let both = [try one("==", pick(ModelItems.names)), try one("==", pick(ModelItems.names))]
        return Condition(both, isAny: true)
      case 2, 3:
        let whole = pick(ModelItems.names).unicodeScalars
        return Condition(prefix: String(String.UnicodeScalarView(whole.dropLast(random.below(3)))))
      default: return try one(pick(operators), pick(ModelItems.names))
      }
    }
    func condition() throws -> Condition {
      switch random.below(8) {
      case 0, 1: try number("value", ModelItems.values) { $0.value }
      case 2, 3: try name()
      case 4: try number("group", [0, 1, 2, 3, 4, 9]) { $0.group.map(Double.init) }
      case 5:
        try number("id", [-6, -5, 0, 5, Double(count / 2), Double(count)]) { $0.id.map(Double.init) }
      case 6: try number("number", [0, 5, Double(count / 2)]) { Double($0.number) }
      default: Condition([try name(), try number("value", ModelItems.values) { $0.value }], isAny: true)
      }
    }

    func broad() throws -> Condition {
      switch random.below(4) {
      case 0: try Condition("@.value > -2") { $0.value.map { $0 > -2 } ?? false }
      case 1: try Condition("@.value <= 3") { $0.value.map { $0 <= 3 } ?? false }
      case 2: try Condition("@.group >= 0") { $0.group != nil }
      default: try Condition("@.name > \"\"") { !($0.name ?? "").isEmpty }
      }
    }

    var query = model.plan.query
    var texts: [String] = []
    var found = model.all
    // Often many objects of which few are kept: ties at the end of those decide.
    let isBroad = random.below(count > 300 ? 2 : 4) == 0
    let conditions =
      isBroad
      ? [try broad()] : try (0..<random.below(3) + random.below(2)).map { _ in try condition() }
    let filter = Condition(conditions, isAny: false)
    if !conditions.isEmpty {
      query = query.where(filter.filter)
      texts.append(filter.text)
    }
    // Orders with ties, most of which no index has.
    let orders: [[(name: String, isDescending: Bool)]] = [
      [], [], [("id", false)], [("id", true)], [("group", false)], [("group", true)], [("value", false)],
      [("value", true)],
      [("name", false)], [("value", true), ("group", false)], [("group", true), ("value", false)],
      [("group", false), ("number", true)],
    ]
    let order = pick(orders)
    for term in order {
      query = query.sorted(by: [term.name], descending: term.isDescending)
      texts.append("sort \(term.isDescending ? "-" : "")\(term.name)")
    }
    if !order.isEmpty {
      found = found.enumerated().sorted { a, b in
        for term in order {
          let comparison = Self.order(a.element, b.element, term.name)
          if comparison != 0 { return term.isDescending ? comparison > 0 : comparison < 0 }
        }
        return a.offset < b.offset
      }.map(\.element)
    }
    if !isBroad, random.below(3) == 0 {
      let keyed = model.all.filter { $0.id != nil }
      if let after = keyed.randomElement(using: &random), let id = after.id {
        query = query.after(key: id)
        texts.append("after \(id)")
        found = Array(found.drop { $0 !== after }.dropFirst())
      }
    }
    if !conditions.isEmpty { found = found.filter(filter.holds) }
    if isBroad || random.below(2) == 0 {
      let limit = pick(isBroad ? [1, 2, 5, 20, 257] : [0, 1, 2, 5, 20, 255, 256, 257, 300])
      query = query.limit(limit)
      texts.append("limit \(limit)")
      found = Array(found.prefix(limit))
    }
    (text, self.query, expected) = (texts.joined(separator: "  "), query, found)
  }

  /// The order of two items by a field: no value comes first, and NaN behind all numbers.
  private static func order(_ a: ModelItem, _ b: ModelItem, _ name: String) -> Int {
    func compare<T>(_ a: T?, _ b: T?, _ isLess: (T, T) -> Bool) -> Int {
      guard let a else { return b == nil ? 0 : -1 }
      guard let b else { return 1 }
      return isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0
    }
    return switch name {
    case "id": compare(a.id, b.id, <)
    case "number": compare(a.number, b.number, <)
    case "group": compare(a.group, b.group, <)
    case "name": compare(a.name, b.name) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    default: compare(a.value, b.value) { $0 < $1 || !$0.isNaN && $1.isNaN }
    }
  }

  /// Asks in each way that a snapshot has.
  ///
  /// - Returns: How it ran.
  func check(_ snapshot: inout Snapshot) throws -> QueryExplanation {
    do {
      var numbers: [PrimaryKey?] = []
      try snapshot.forEachRow(query) { row, _ in
        numbers.append(try row["number"].key)
        return true
      }
      try expect("\(text): the numbers", numbers, is: expected.map { .integer(Int64($0.number)) })
      let keys = expected.compactMap { $0.id.map { PrimaryKey.integer(Int64($0)) } }
      try expect("\(text): the keys", snapshot.keys(query), is: keys)
      try expect("\(text): the count", snapshot.count(query), is: expected.count)
      try expect("\(text): whether there is one", snapshot.exists(query), is: !expected.isEmpty)
      let explanation = try snapshot.explain(query)
      try expect("\(text): explained", explanation.found, is: expected.count)
      return explanation
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(reason: "\(text): \(error)")
    }
  }
}
