import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

/// How the segments of a to-many relationship change, without a store.
@Suite struct ListEditTests {
  /// A list as the table of links would have it.
  private struct Model {
    var shape: ListShape
    var segments: [(position: UInt64, targets: [UInt64])] = []
    var targets: [UInt64] { segments.flatMap(\.targets) }
    private(set) var writtenCount = 0

    init(_ shape: ListShape) { self.shape = shape }

    var stored: StoredList {
      var list = StoredList()
      for segment in segments { segment.targets.withUnsafeBytes { list.append($0, at: segment.position) } }
      return list
    }

    mutating func change(to numbers: [UInt64]) {
      let old = stored
      numbers.map(ObjectID.init).withUnsafeBufferPointer { new in
        let edit = ListEdit(old, to: new, keeping: old.kept(in: new), shape)
        let deleted = edit.deleted
        segments.removeAll { deleted.contains($0.position) }
        writtenCount = 0
        for piece in edit.written {
          segments.removeAll { $0.position == piece.position }
          segments.append((piece.position ?? 0, new[piece.range].map(\.rawValue)))
          writtenCount += 1
        }
        segments.sort { $0.position < $1.position }
      }
    }

    func expectWhole(_ expected: [UInt64], _ location: SourceLocation = #_sourceLocation) {
      #expect(targets == expected, sourceLocation: location)
      #expect(
        segments.allSatisfy { (1...shape.perSegment).contains($0.targets.count) }, sourceLocation: location)
      #expect(segments.dropLast().allSatisfy { $0.targets.count >= shape.least }, sourceLocation: location)
    }
  }

  private static let shapes: [ListShape] = [
    ListShape(), ListShape(perSegment: 1), ListShape(perSegment: 2, step: 1),
    ListShape(perSegment: 4, step: 2),
    ListShape(perSegment: 8, step: 1 << 10), ListShape(perSegment: 16, step: 1 << 62),
    ListShape(perSegment: 9, step: .max),
  ]

  @Test(arguments: shapes)
  func anyChangeGivesTheNewList(_ shape: ListShape) {
    var random = Random(for: "ListEditTests")
    for _ in 0..<TestSize.rounds(small: 2, whole: 8) {
      var model = Model(shape)
      var list: [UInt64] = []
      for _ in 0..<25 {
        for _ in 0..<(1 + random.next(4)) { Self.edit(&list, &random, shape.perSegment) }
        model.change(to: list)
        model.expectWhole(list)
      }
    }
  }

  /// One of the ways in which lists change.
  private static func edit(_ list: inout [UInt64], _ random: inout Random, _ length: Int) {
    func some() -> [UInt64] { (0..<(1 + random.next(3 * length))).map { _ in UInt64(random.next(2000)) } }
    let place = random.next(list.count + 1)
    let end = min(list.count, place + random.next(2 * length) + 1)
    switch random.next(10) {
    case 0: list += some()
    case 1: list.insert(contentsOf: some(), at: 0)
    case 2: list.insert(contentsOf: some(), at: place)
    case 3: list.removeSubrange(place..<end)
    case 4:
      let moved = list[place..<end]
      list.removeSubrange(place..<end)
      list.insert(contentsOf: moved, at: random.next(list.count + 1))
    case 5: list = Array(list.reversed())
    case 6: if place < list.count { list[place] = UInt64(random.next(2000)) }
    case 7: list.insert(contentsOf: repeatElement(7, count: random.next(3 * length)), at: place)
    case 8: list.removeAll { $0 % 10 == UInt64(place % 10) }
    default: list = random.next(4) == 0 ? [] : list
    }
  }

  @Test func aChangeInTheMiddleWritesTheSegmentItIsIn() {
    var model = Model(ListShape())
    var list = (1...24_000).map(UInt64.init)
    model.change(to: list)
    #expect(model.writtenCount == 100)
    list[12_000] = 200_000
    model.change(to: list)
    #expect(model.writtenCount == 1)
    list.insert(200_001, at: 5000)
    model.change(to: list)
    #expect(model.writtenCount == 2)
    list.remove(at: 17_000)
    model.change(to: list)
    #expect(model.writtenCount == 1)
    list.insert(list.remove(at: 10), at: 20_000)
    model.change(to: list)
    #expect(model.writtenCount <= 3)
    for place in stride(from: 100, to: 24_000, by: 2400) { list[place] += 300_000 }
    model.change(to: list)
    #expect(model.writtenCount == 10)
    // The shorter part moves.
    list = Array(list[22_000...] + list[..<22_000])
    model.change(to: list)
    #expect(model.writtenCount <= 12)
    model.expectWhole(list)
  }

  /// Always the same place is the worst for the room between segments.
  @Test(arguments: [0, 1, 50, 99, 100])
  func insertingAtOnePlaceForEverMovesFewSegments(_ percent: Int) {
    var model = Model(ListShape(perSegment: 4))
    var list: [UInt64] = []
    var written = 0
    for number in 0..<TestSize.count(small: 100, whole: 400) {
      list.insert(UInt64(number), at: list.count * percent / 100)
      model.change(to: list)
      written += model.writtenCount
    }
    model.expectWhole(list)
    #expect(written < 6 * list.count)
  }
}
