internal import Synchronization

/// The part of a text that is in memory: all of it, or a piece of a stream that moves along.
///
/// Offsets are those of the whole text, wherever the window stands. A batch keeps the piece that it was read from: what
/// somebody else has is never moved, only added to.
///
/// - Note: Thread rule: one thread at a time, but for `interrupt`.
final class TextWindow {
  /// Fills a part of `room` with what comes next, and says how much; 0 at the end. May wait, and throws
  /// `CancellationError` when it is cancelled then.
  typealias Input = (_ room: UnsafeMutableRawBufferPointer, _ isCancelled: () -> Bool) throws -> Int

  /// What is in memory.
  private(set) var shown: TextPiece
  /// Where that stands in its memory.
  private var used = 0..<0
  /// Whether nothing follows it.
  private(set) var isComplete: Bool

  /// Where a stream comes from; nil for a text that is all in memory.
  private let input: Input?
  private let isInterrupted = Atomic<Bool>(false)
  private var hasEnded = false
  private var isHeld = false
  private var spill: SpillFile?

  /// Shows a whole text.
  init(_ text: TextPiece) {
    shown = text
    isComplete = true
    input = nil
  }

  /// Shows a stream, at first nothing of it.
  ///
  /// - Parameters:
  ///   - size: Bytes to begin with; it grows where a batch or an element is larger.
  ///   - input: Called on the thread that reads.
  init(size: Int, _ input: @escaping Input) {
    shown = TextPiece(0..<0, of: TextMemory(size: max(size, 16)), at: TextPiece.Mark())
    isComplete = false
    self.input = input
  }

  var bytes: UnsafeRawBufferPointer { shown.bytes }
  var start: Int { shown.start }
  var end: Int { shown.end }
  var isStream: Bool { input != nil }
  /// The bytes that are set aside for a stream.
  var size: Int { shown.memory?.bytes.count ?? 0 }

  /// A byte between `start` and `end`.
  subscript(offset: Int) -> UInt8 { shown[offset] }

  /// What stands between two offsets of the window.
  subscript(range: Range<Int>) -> UnsafeRawBufferPointer { shown[range] }

  // MARK: A stream

  /// Shows more of a stream; waits until there is some.
  ///
  /// - Throws: What the input throws, or ``FileError`` of what was kept.
  func more() throws {
    let isOwn = shown.isOnlyOwner()
    guard let input, var memory = shown.memory, !isComplete else { return }
    memory = makeRoom(in: memory, isOwn: isOwn)
    let room = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[used.upperBound...])
    var count = 0
    if let end = spill?.end, self.end < end, let read = try spill?.read(from: self.end, into: room) {
      count = read
    } else {
      count = try input(room) { isInterrupted.load(ordering: .relaxed) }
      hasEnded = count == 0
    }
    show(used.lowerBound..<(used.upperBound + count), of: memory, at: shown.mark)
  }

  /// Ends a wait of another thread in `more`, and all to come, or no longer does.
  func interrupt(_ isInterrupted: Bool) { self.isInterrupted.store(isInterrupted, ordering: .relaxed) }

  /// Lets go of what stands before an offset of the window; of a text in memory, of nothing.
  func drop(before offset: Int) throws {
    guard let memory = shown.memory, isStream, offset > start else { return }
    if isHeld { try keep(until: offset) }
    show((used.lowerBound + offset - start)..<used.upperBound, of: memory, at: shown.mark(at: offset))
  }

  /// Makes sure that `goBack` can go to a mark, where the window began not long ago, from wherever it will be.
  ///
  /// - Parameter isHeld: False where it will not be asked to.
  func hold(_ mark: TextPiece.Mark, isHeld: Bool) {
    guard isStream else { return }
    self.isHeld = isHeld
    if let end = spill?.end, end <= mark.offset { spill?.restart(at: mark.offset) }
  }

  /// Shows the text from a mark on again.
  func goBack(to mark: TextPiece.Mark) throws {
    guard isStream, mark.offset != start else { return }
    try keep(until: end)
    show(0..<0, of: TextMemory(size: size), at: mark)
  }

  private func keep(until offset: Int) throws {
    if spill == nil { spill = try SpillFile(at: start) }
    guard let kept = spill?.end, kept < offset else { return }
    try spill?.append(self[kept..<offset])
  }

  // MARK: Its memory

  private func show(_ range: Range<Int>, of memory: TextMemory, at mark: TextPiece.Mark) {
    shown = TextPiece(range, of: memory, at: mark)
    used = range
    let kept = spill?.end ?? 0
    isComplete = hasEnded && kept <= end
  }

  /// Moves what is shown to the front of the memory where that is at most half of what was used, so that bytes are
  /// moved once on average; else to a memory of twice the size. What somebody else looks at stays where it is.
  private func makeRoom(in memory: TextMemory, isOwn: Bool) -> TextMemory {
    guard size - used.upperBound < min(size / 4, 65_536) else { return memory }
    let isEnough = used.lowerBound >= used.count && used.lowerBound > 0
    let next = isOwn && isEnough ? memory : TextMemory(size: isEnough ? size : size * 2)
    next.bytes.copyMemory(from: bytes)
    show(0..<used.count, of: next, at: shown.mark)
    return next
  }
}
