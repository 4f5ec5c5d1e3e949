package import FastMapStoreKit

/// Goes through an index in its order, from any position, with statements that a database answers from its own index.
///
///     var scan = SQLIndexScan(index, range, isDescending: false, after: nil)
///     while let segment = scan.next() {
///       // SELECT … WHERE the tests of the segment ORDER BY the index LIMIT the rest of the page
///     }
///     scan.restart(behind: last)
///
/// The scan cuts the entries after a position into segments, the nearest first. Each is one range of the index:
///
///     after ("open", 5) with the key 17     status = 'open' AND number = 5 AND key > 17
///                                            status = 'open' AND number > 5
///                                            status > 'open'
///
/// A single condition with `OR` would make databases read the index from its beginning.
package struct SQLIndexScan: Sendable {
  /// A range of the index. All of its tests have to be true.
  ///
  ///     for (field, test) in segment.tests { conditions.append(text(of: test, field)) }
  package struct Segment: Sendable {
    /// Tests of fields, by the schema's numbers.
    package internal(set) var tests: [(field: Int, test: SQLTest)]
    /// Which objects of equal values it has.
    package internal(set) var tie: Tie

    package static func whole(_ index: Schema.Index, _ range: IndexRange) -> Segment {
      var scan = SQLIndexScan(index, range, isDescending: false, after: nil)
      return scan.next() ?? Segment(tests: [], tie: .all)
    }
  }

  /// Objects of equal values: objects with a key, by their keys, and then objects without, as they were created.
  ///
  ///     if case .keyed(let key) = segment.tie { conditions.append("key > …") }
  package enum Tie: Sendable {
    /// All of them.
    case all
    /// Objects with a greater key.
    case keyed(after: PrimaryKey)
    /// Objects without a key after this one; nil for all objects without a key. `order` is the store's own.
    case keyless(after: (order: Int64, id: ObjectID)?)
  }

  /// A position: after an object.
  ///
  ///     scan.restart(behind: .init(contents: contents, tie: .keyed(after: key)))
  package struct Position: Sendable {
    package let contents: [IndexRange.Content]
    /// The objects of the same values after it.
    package let tie: Tie

    /// Makes a position.
    package init(contents: [IndexRange.Content], tie: Tie) {
      self.contents = contents
      self.tie = tie
    }
  }

  private let index: Schema.Index
  private let range: IndexRange
  private let isDescending: Bool
  private var segments: [Segment] = []
  private var place = 0
  /// How many segments after a position the last page needed.
  private var reach = Int.max

  /// Begins at the start of a range, or after a position.
  package init(
    _ index: Schema.Index, _ range: IndexRange, isDescending: Bool, after position: IndexRange.Position?
  ) {
    self.index = index
    self.range = range
    self.isDescending = isDescending
    if let position {
      segments = behind(Position(contents: position.contents, tie: .keyed(after: position.key)))
    } else {
      segments = [Segment(tests: equal(range.equal) + bounds(), tie: .all)]
    }
  }

  /// The next segment; nil after the last one.
  package mutating func next() -> Segment? {
    guard place < segments.count else { return nil }
    place += 1
    return segments[place - 1]
  }

  /// The segments to ask for at once, where a question costs a round trip: as many as the last page needed. Empty
  /// after the last one.
  package mutating func nextSet() -> ArraySlice<Segment> {
    let end = place == 0 ? min(segments.count, max(1, reach)) : min(segments.count, place + 1)
    defer { place = end }
    return segments[place..<end]
  }

  /// Continues after an object.
  ///
  /// - Parameters:
  ///   - position: The place of the object.
  ///   - used: The number of segments after the last position that it took to find it.
  package mutating func restart(behind position: Position, used: Int = .max) {
    reach = used
    place = 0
    segments = behind(position)
  }

  private func behind(_ position: Position) -> [Segment] {
    // The position may be outside of the range.
    let bounds = bounds()
    var result: [Segment] = []
    let same = equal(position.contents) + bounds
    result.append(Segment(tests: same, tie: position.tie))
    if case .keyed = position.tie { result.append(Segment(tests: same, tie: .keyless(after: nil))) }
    for number in stride(from: index.parts.count - 1, through: range.equal.count, by: -1) {
      let part = index.parts[number]
      let before = equal(Array(position.contents[..<number]))
      func add(_ test: SQLTest) {
        result.append(Segment(tests: before + [(part.field, test)] + bounds, tie: .all))
      }
      let isFalling = part.isDescending != isDescending
      // Bounds exclude objects without a value, and NaN.
      let isBounded = number == range.equal.count && !bounds.isEmpty
      switch position.contents[number] {
      case .none: if !isFalling { add(.isNotNull) }
      // NaN follows all numbers.
      case .value(.number(let value)) where value.isNaN:
        if isFalling { add(.compare(.lessOrEqual, .number(.infinity))) }
      // In a filter, `false` and `true` have no order.
      case .value(.boolean(let value)):
        if value == isFalling { add(.compare(.equal, .boolean(!value))) }
      case .value(let value):
        add(.compare(isFalling ? .less : .greater, value))
        if !isFalling, !isBounded, case .number = value { add(.isNotNumber) }
      case .object(let id):
        add(.target(isFalling ? .less : .greater, id))
      }
      if isFalling, !isBounded {
        if case .none = position.contents[number] { continue }
        add(.isNull)
      }
    }
    return result
  }

  private func equal(_ contents: [IndexRange.Content]) -> [(field: Int, test: SQLTest)] {
    zip(index.parts, contents).map { part, content in
      switch content {
      case .none: (part.field, .isNull)
      case .value(.number(let value)) where value.isNaN: (part.field, .isNotNumber)
      case .value(let value): (part.field, .compare(.equal, value))
      case .object(let id): (part.field, .target(.equal, id))
      }
    }
  }

  private func bounds() -> [(field: Int, test: SQLTest)] {
    guard range.equal.count < index.parts.count else { return [] }
    let field = index.parts[range.equal.count].field
    var tests: [(field: Int, test: SQLTest)] = []
    if let bound = range.lower { tests.append((field, test(bound, .greater, .greaterOrEqual))) }
    if let bound = range.upper { tests.append((field, test(bound, .less, .lessOrEqual))) }
    return tests
  }

  private func test(
    _ bound: IndexRange.Bound, _ excluding: BoundFilter.Comparison, _ including: BoundFilter.Comparison
  ) -> SQLTest {
    guard case .boolean(let value) = bound.value else {
      return .compare(bound.isIncluded ? including : excluding, bound.value)
    }
    let isRising = excluding == .greater
    return .isOne(
      [false, true].filter { $0 == value ? bound.isIncluded : $0 == isRising }.map { .boolean($0) })
  }
}
