internal import FastMapStoreKit

/// The steps from a stored list to a new one: segments to keep, to write and to delete.
struct ListEdit {
  /// A segment of the new list.
  struct Piece {
    /// Its range among all new targets.
    let range: Range<Int>
    /// The stored segment with the same targets; nil if there is none at its place.
    let same: Int?
    /// Nil until it is known.
    fileprivate(set) var position: UInt64?
  }

  /// The new list, in order.
  private(set) var pieces: [Piece] = []
  private let old: StoredList
  private let shape: ListShape

  /// - Parameters:
  ///   - old: The stored list.
  ///   - new: The new targets.
  ///   - kept: The segments of `old` that are unchanged in `new`, ascending in both.
  ///   - shape: How lists are split.
  init(
    _ old: StoredList, to new: UnsafeBufferPointer<ObjectID>, keeping kept: [StoredList.Kept],
    _ shape: ListShape
  ) {
    self.old = old
    self.shape = shape
    var parts = Parts(count: new.count, shape: shape)
    var segment = 0
    var start = 0
    for kept in kept {
      parts.append(Part(segments: segment..<kept.segment, targets: start..<kept.start, isKept: false))
      segment = kept.segment + 1
      let end = kept.start + old.segments[kept.segment].range.count
      parts.append(Part(segments: kept.segment..<segment, targets: kept.start..<end, isKept: true))
      start = end
    }
    parts.append(
      Part(segments: segment..<old.segments.count, targets: start..<new.count, isKept: false))
    for part in parts.parts { cut(part, new) }
    place()
  }

  /// The pieces to write, by position.
  var written: some Sequence<Piece> {
    pieces.lazy.filter { [old] piece in piece.same.map { old.segments[$0].position } != piece.position }
  }

  /// The unused positions, ascending.
  var deleted: [UInt64] {
    var used = pieces.lazy.compactMap(\.position).makeIterator()
    var next = used.next()
    return old.segments.map(\.position).filter { position in
      while let other = next, other < position { next = used.next() }
      return next != position
    }
  }

  // MARK: Cutting

  /// Segments of the old list, and the targets that replace them.
  private struct Part {
    var segments: Range<Int>
    var targets: Range<Int>
    var isKept: Bool
  }

  /// Parts in order. A part that would make a segment too short is joined with a neighbour.
  private struct Parts {
    let count: Int
    let shape: ListShape
    private(set) var parts: [Part] = []

    init(count: Int, shape: ListShape) {
      self.count = count
      self.shape = shape
    }

    mutating func append(_ part: Part) {
      if !part.isKept, part.segments.isEmpty, part.targets.isEmpty { return }
      var part = part
      while let last = parts.last, joins(last, part) {
        parts.removeLast()
        part = Part(
          segments: last.segments.lowerBound..<part.segments.upperBound,
          targets: last.targets.lowerBound..<part.targets.upperBound, isKept: false)
      }
      parts.append(part)
    }

    private func joins(_ last: Part, _ part: Part) -> Bool {
      func isShort(_ part: Part) -> Bool { !part.targets.isEmpty && part.targets.count < shape.least }
      switch (last.isKept, part.isKept) {
      case (true, true): return false
      case (false, false): return true
      case (false, true): return isShort(last)
      case (true, false):
        let isAtEnd = part.targets.upperBound == count && !part.targets.isEmpty
        return isShort(part) || isAtEnd && last.targets.count < shape.perSegment
      }
    }
  }

  private mutating func cut(_ part: Part, _ new: UnsafeBufferPointer<ObjectID>) {
    if part.isKept {
      let segment = part.segments.lowerBound
      pieces.append(Piece(range: part.targets, same: segment, position: old.segments[segment].position))
      return
    }
    let count = part.targets.count
    let pieceCount = (count + shape.perSegment - 1) / shape.perSegment
    // A list grows at its end, so segments there are full. Elsewhere they leave room.
    let isAtEnd = part.targets.upperBound == new.count
    var start = part.targets.lowerBound
    for index in 0..<pieceCount {
      let left = part.targets.upperBound - start
      let length =
        isAtEnd ? min(left, shape.perSegment) : (left + pieceCount - index - 1) / (pieceCount - index)
      let range = start..<(start + length)
      let segment = part.segments.lowerBound + index
      let known = segment < part.segments.upperBound ? segment : nil
      let same = known.flatMap { old[$0].elementsEqual(new[range]) ? $0 : nil }
      pieces.append(Piece(range: range, same: same, position: known.map { old.segments[$0].position }))
      start += length
    }
  }

  // MARK: Placing

  /// Gives new pieces positions between their neighbours. If there is no room, the neighbours are moved, twice as
  /// many each time.
  private mutating func place() {
    var index = 0
    while index < pieces.count {
      if pieces[index].position != nil {
        index += 1
        continue
      }
      var range = index..<(index + 1)
      extend(&range)
      var gap: UInt64 = 1
      while true {
        let lower = range.lowerBound > 0 ? pieces[range.lowerBound - 1].position : nil
        let upper = range.upperBound < pieces.count ? pieces[range.upperBound].position : nil
        let isWhole = range.count == pieces.count
        if let found = shape.positions(range.count, between: lower, and: upper, gap: isWhole ? 1 : gap) {
          for (place, position) in zip(range, found) { pieces[place].position = position }
          break
        }
        precondition(!isWhole, "there are more positions than there can be segments")
        gap = shape.leastGap
        range = max(0, range.lowerBound - range.count)..<min(pieces.count, range.upperBound + range.count)
        extend(&range)
      }
      index = range.upperBound
    }
  }

  private func extend(_ range: inout Range<Int>) {
    while range.upperBound < pieces.count, pieces[range.upperBound].position == nil {
      range = range.lowerBound..<(range.upperBound + 1)
    }
  }
}
