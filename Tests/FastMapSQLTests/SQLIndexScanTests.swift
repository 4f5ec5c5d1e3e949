import FastMapCore
import FastMapSQL
import Testing

/// The entries behind a position, as ranges of an index.
@Suite struct SQLIndexScanTests {
  private let index = Schema.Index(
    name: "a,-b", parts: [.init(field: 0, isDescending: false), .init(field: 1, isDescending: true)],
    isUnique: false)

  private func texts(_ scan: SQLIndexScan) -> [String] {
    var scan = scan
    var texts: [String] = []
    while let segment = scan.next() {
      let tests = segment.tests.map { "\($0.field == 0 ? "a" : "b") \($0.test.text)" }
      let tie: String? =
        switch segment.tie {
        case .all: nil
        case .keyed(let key): "key > \(key)"
        case .keyless(nil): "no key"
        case .keyless(let (order, id)?): "no key behind \(order) \(id.rawValue)"
        }
      texts.append((tests + [tie].compactMap(\.self)).joined(separator: ", "))
    }
    return texts
  }

  @Test func aRangeIsOneSegment() {
    #expect(texts(SQLIndexScan(index, IndexRange(), isDescending: false, after: nil)) == [""])
    let range = IndexRange(
      equal: [.value(.integer(1))], lower: .init(.integer(2), isIncluded: false),
      upper: .init(.integer(9), isIncluded: true))
    #expect(texts(SQLIndexScan(index, range, isDescending: true, after: nil)) == ["a == 1, b > 2, b <= 9"])
    let flags = IndexRange(lower: .init(.boolean(false), isIncluded: false))
    #expect(texts(SQLIndexScan(index, flags, isDescending: false, after: nil)) == ["a in [true]"])
  }

  private typealias Content = IndexRange.Content

  private static let cases: [(isDescending: Bool, a: Content, b: Content, expected: [String])] = [
    (
      false, .value(.integer(1)), .value(.integer(2)),
      [
        "a == 1, b == 2, key > 7", "a == 1, b == 2, no key", "a == 1, b < 2", "a == 1, b is null", "a > 1",
      ]
    ),
    (
      true, .value(.integer(1)), .value(.integer(2)),
      [
        "a == 1, b == 2, key > 7", "a == 1, b == 2, no key", "a == 1, b > 2", "a < 1", "a is null",
      ]
    ),
    (
      false, .none, .none,
      ["a is null, b is null, key > 7", "a is null, b is null, no key", "a has a value"]
    ),
    (
      true, .none, .none,
      [
        "a is null, b is null, key > 7", "a is null, b is null, no key", "a is null, b has a value",
      ]
    ),
    (
      false, .value(.boolean(false)), .value(.number(.nan)),
      [
        "a == false, b is NaN, key > 7", "a == false, b is NaN, no key", "a == false, b <= inf",
        "a == false, b is null", "a == true",
      ]
    ),
    (
      true, .value(.boolean(false)), .value(.number(1)),
      [
        "a == false, b == 1.0, key > 7", "a == false, b == 1.0, no key", "a == false, b > 1.0",
        "a == false, b is NaN", "a is null",
      ]
    ),
  ]

  @Test func aPositionIsFollowedBySegments() {
    for (isDescending, a, b, expected) in Self.cases {
      let position = IndexRange.Position(contents: [a, b], key: 7)
      let scan = SQLIndexScan(index, IndexRange(), isDescending: isDescending, after: position)
      #expect(texts(scan) == expected)
    }
  }

  /// The position of a query need not be in the range.
  @Test func eachSegmentKeepsTheBounds() {
    let range = IndexRange(lower: .init(.integer(3), isIncluded: true))
    let position = IndexRange.Position(contents: [.value(.integer(1)), .none], key: 7)
    let scan = SQLIndexScan(index, range, isDescending: false, after: position)
    #expect(
      texts(scan) == [
        "a == 1, b is null, a >= 3, key > 7", "a == 1, b is null, a >= 3, no key", "a > 1, a >= 3",
      ])
  }

  @Test func aSetHasAsManySegmentsAsTheLastPageNeeded() {
    var scan = SQLIndexScan(index, IndexRange(), isDescending: false, after: nil)
    #expect(scan.nextSet().count == 1)
    #expect(scan.nextSet().isEmpty)
    let last = SQLIndexScan.Position(
      contents: [.value(.integer(1)), .value(.integer(2))], tie: .keyless(after: (5, ObjectID(rawValue: 6))))
    scan.restart(behind: last, used: 2)
    #expect((scan.nextSet().count, scan.nextSet().count, scan.nextSet().count) == (2, 1, 1))
    #expect(scan.nextSet().isEmpty)
    scan.restart(behind: last)
    #expect(scan.nextSet().count == 4)
    #expect(texts(scan).isEmpty)
  }
}

extension SQLTest {
  fileprivate var text: String {
    switch self {
    case .isNull: "is null"
    case .isNotNull: "has a value"
    case .isNotNumber: "is NaN"
    case .compare(let comparison, let value): "\(comparison.rawValue) \(value.plain)"
    case .isOne(let values): "in [\(values.map(\.plain).joined(separator: ", "))]"
    case .hasPrefix(let text): "begins with \(text)"
    case .contains(let text): "contains \(text)"
    case .target(let comparison, let id): "\(comparison.rawValue) object \(id.rawValue)"
    }
  }
}

extension Value {
  fileprivate var plain: String {
    switch self {
    case .integer(let value): "\(value)"
    case .boolean(let value): "\(value)"
    case .number(let value): "\(value)"
    default: "?"
    }
  }
}
