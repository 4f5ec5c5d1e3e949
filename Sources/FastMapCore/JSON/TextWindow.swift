internal import CFastMap

/// The part of a text that is in memory: all of it, or a piece of a stream that moves along.
///
/// Offsets are those of the whole text, wherever the window stands.
final class TextWindow {
  /// Fills a part of `room` with what comes next, and says how much; 0 at the end. May wait.
  typealias Input = (_ room: UnsafeMutableRawBufferPointer) throws -> Int

  /// A place that the window can go back to.
  struct Mark {
    fileprivate(set) var offset = 0
    fileprivate var place = fastmap_place(line: 1, column: 1)
  }

  /// What is in memory.
  private(set) var bytes: UnsafeRawBufferPointer
  /// The offset of its first byte, and its place.
  private var mark = Mark()
  /// Whether nothing follows `bytes`.
  private(set) var isComplete: Bool

  /// Where a stream comes from; nil for a text that is all in memory.
  private let input: Input?
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var hasEnded = false
  private var isHeld = false
  private var spill: SpillFile?
  /// What belongs to the window although it is no stream.
  private var copy: UnsafeMutableRawBufferPointer?

  /// Shows a whole text that outlives the window.
  init(_ text: UnsafeRawBufferPointer) {
    bytes = text
    isComplete = true
    input = nil
  }

  /// Shows a stream, at first nothing of it.
  ///
  /// - Parameters:
  ///   - size: Bytes to begin with; it grows where a batch or an element is larger.
  ///   - input: Called on the thread that reads.
  init(size: Int, _ input: @escaping Input) {
    bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    isComplete = false
    self.input = input
    buffer = .allocate(byteCount: max(size, 16), alignment: 16)
    show(0..<0)
  }

  /// Shows a copy of a part of another window, as if that were all.
  init(copying range: Range<Int>, of other: TextWindow) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 16)
    copy.copyMemory(from: other[range])
    bytes = UnsafeRawBufferPointer(copy)
    self.copy = copy
    mark = other.mark(at: range.lowerBound)
    isComplete = true
    input = nil
  }

  deinit {
    buffer.deallocate()
    copy?.deallocate()
  }

  var start: Int { mark.offset }
  var end: Int { mark.offset + bytes.count }
  var isStream: Bool { input != nil }
  /// The bytes that are set aside for a stream.
  var size: Int { buffer.count }

  /// A byte between `start` and `end`.
  subscript(offset: Int) -> UInt8 { bytes[offset - mark.offset] }

  /// What stands between two offsets of the window.
  subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[(range.lowerBound - start)..<(range.upperBound - start)])
  }

  /// The line and column of a byte of the window, or of its end.
  ///
  /// - Parameter known: To count on from, where it is of the window and not behind the byte.
  /// - Complexity: O(*n*) in the bytes that are counted.
  func location(of offset: Int, from known: Mark? = nil) -> TextLocation {
    let place = mark(at: min(offset, end), from: known).place
    return TextLocation(line: place.line, column: place.column)
  }

  /// The mark of a byte of the window, or of its end, counted as in `location`.
  func mark(at offset: Int, from known: Mark? = nil) -> Mark {
    var from = mark
    if let known, known.offset >= start, known.offset <= offset { from = known }
    // A byte order mark takes no column.
    let first = from.offset == 0 ? min(bytes.textStart, offset) : from.offset
    let passed = self[first..<offset]
    return Mark(offset: offset, place: fastmap_place_behind(from.place, passed.baseAddress, passed.count))
  }

  // MARK: A stream

  /// Shows more of a stream; waits until there is some.
  ///
  /// - Throws: What the input throws, or ``FileError`` of what was kept.
  func more() throws {
    guard let input, !isComplete else { return }
    makeRoom()
    let used = shown.upperBound
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
    var count = 0
    if let end = spill?.end, self.end < end, let read = try spill?.read(from: self.end, into: room) {
      count = read
    } else {
      count = try input(room)
      hasEnded = count == 0
    }
    show(shown.lowerBound..<(used + count))
  }

  /// Lets go of what stands before an offset of the window; of a text in memory, of nothing.
  func drop(before offset: Int) throws {
    guard isStream, offset > start else { return }
    if isHeld { try keep(until: offset) }
    let dropped = offset - start
    mark = mark(at: offset)
    show((shown.lowerBound + dropped)..<shown.upperBound)
  }

  /// The place where the window begins.
  var beginning: Mark { mark }

  /// Makes sure that `goBack` can go to a mark, where the window began not long ago, from wherever it will be.
  ///
  /// - Parameter isHeld: False where it will not be asked to.
  func hold(_ mark: Mark, isHeld: Bool) {
    guard isStream else { return }
    self.isHeld = isHeld
    if let end = spill?.end, end <= mark.offset { spill?.restart(at: mark.offset) }
  }

  /// Shows the text from a mark on again.
  func goBack(to mark: Mark) throws {
    guard isStream, mark.offset != start else { return }
    try keep(until: end)
    self.mark = mark
    show(0..<0)
  }

  private func keep(until offset: Int) throws {
    if spill == nil { spill = try SpillFile(at: start) }
    guard let kept = spill?.end, kept < offset else { return }
    try spill?.append(self[kept..<offset])
  }

  // MARK: Its memory

  /// Where the shown bytes stand in the buffer.
  private var shown: Range<Int> {
    guard let base = buffer.baseAddress, let first = bytes.baseAddress else { return 0..<0 }
    let offset: Int = first - UnsafeRawPointer(base)
    return offset..<(offset + bytes.count)
  }

  private func show(_ range: Range<Int>) {
    bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[range])
    let kept = spill?.end ?? 0
    isComplete = hasEnded && kept <= end
  }

  /// Moves what is shown to the front where that is at most half of the memory, so that bytes are moved once on
  /// average; else doubles the memory.
  private func makeRoom() {
    let shown = self.shown
    guard buffer.count - shown.upperBound < min(buffer.count / 4, 65_536) else { return }
    if shown.lowerBound >= shown.count, shown.lowerBound > 0 {
      buffer.copyMemory(from: bytes)
    } else {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
      larger.copyMemory(from: bytes)
      buffer.deallocate()
      buffer = larger
    }
    show(0..<shown.count)
  }
}
