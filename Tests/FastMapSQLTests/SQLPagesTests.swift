import FastMapCore
import FastMapSQL
import Testing

/// Pages over an array, as a database would answer.
@Suite struct SQLPagesTests {
  private typealias Object = (id: ObjectID, key: PrimaryKey?)

  private static let objects: [(id: ObjectID, key: PrimaryKey?)] =
    (1...10).map { (ObjectID(rawValue: $0), .integer(Int64(($0 * 7) % 11))) }
    + (11...14).map { (ObjectID(rawValue: $0), .string("k\($0)")) }
    + (15...19).map { (ObjectID(rawValue: $0), nil) }

  private func answer(_ question: SQLPages.Question) -> [Object] {
    switch question {
    case .keyed(let lower, let upper, let isDescending, let limit):
      let keyed = Self.objects.filter { object in
        guard let key = object.key else { return false }
        let isAbove = lower.map { $0.isIncluded ? key >= $0.key : key > $0.key } ?? true
        let isBelow = upper.map { $0.isIncluded ? key <= $0.key : key < $0.key } ?? true
        return isAbove && isBelow
      }
      let sorted = keyed.sorted { a, b in
        guard let a = a.key, let b = b.key else { return false }
        return isDescending ? a > b : a < b
      }
      return Array(sorted.prefix(limit))
    case .keyless(let after, let isDescending, let limit):
      let keyless = Self.objects.filter { object in
        object.key == nil && (after.map { isDescending ? object.id < $0 : object.id > $0 } ?? true)
      }
      return Array(keyless.sorted { isDescending ? $0.id > $1.id : $0.id < $1.id }.prefix(limit))
    }
  }

  private func pages(_ keys: KeyRange?, isDescending: Bool, size: Int) -> (ids: [UInt64], questions: Int) {
    var pages = SQLPages(keys: keys, isDescending: isDescending, size: size)
    var (ids, questions) = ([UInt64](), 0)
    while let question = pages.question {
      let page = answer(question)
      #expect(page.count <= size)
      ids += page.map(\.id.rawValue)
      questions += 1
      pages.received(ObjectPage(ids: page.map(\.id), keys: page.map(\.key)))
    }
    return (ids, questions)
  }

  private static let ascending: [UInt64] = [
    8, 5, 2, 10, 7, 4, 1, 9, 6, 3, 11, 12, 13, 14, 15, 16, 17, 18, 19,
  ]

  @Test(arguments: [1, 2, 3, 7, 14, 19, 100])
  func allObjectsComeInOrder(_ size: Int) {
    #expect(pages(nil, isDescending: false, size: size).ids == Self.ascending)
    #expect(pages(nil, isDescending: true, size: size).ids == Self.ascending.reversed())
  }

  @Test(arguments: [1, 2, 4, 100])
  func aRangeHasItsKeysAndNoOthers(_ size: Int) {
    let ranges: [KeyRange] = [
      KeyRange(3...5), KeyRange(from: 9), KeyRange(to: 2), KeyRange(..<2), KeyRange("k12"..."k13"),
      KeyRange(from: 5, to: 4), KeyRange(100...200),
    ]
    for range in ranges {
      let expected = Self.ascending.filter { id in
        guard let key = Self.objects[Int(id) - 1].key else { return false }
        return (range.lower.map { key >= $0 } ?? true)
          && (range.upper.map { range.includesUpper ? key <= $0 : key < $0 } ?? true)
      }
      #expect(pages(range, isDescending: false, size: size).ids == expected)
      #expect(pages(range, isDescending: true, size: size).ids == expected.reversed())
    }
  }

  @Test func aShortPageIsTheLastOfItsKind() {
    #expect(pages(nil, isDescending: false, size: 100).questions == 2)
    #expect(pages(KeyRange(0...5), isDescending: false, size: 100).questions == 1)
    #expect(pages(KeyRange(from: 2, to: 1), isDescending: false, size: 100).questions == 0)
    // 14 objects with a key and 5 without.
    #expect(pages(nil, isDescending: true, size: 7).questions == 1 + 3)
  }
}
