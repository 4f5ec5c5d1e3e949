internal import Synchronization

/// The error of an input whose text goes on, and cannot be read: a ``JSONSyntaxError`` at this place.
package struct DamagedText: Error {
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

/// The part of a text that is in memory: all of it, or a moving piece of a stream.
///
/// Offsets always count from the start of the whole text. A batch keeps the piece from which it was read. Shared
/// memory is never moved, only appended to.
///
/// - Note: Thread rule: one thread at a time, except for `interrupt`.
package final class TextWindow {
  /// Fills a part of `room` with the next bytes and returns their number, 0 at the end. The call may wait. If it is
  /// cancelled while it waits, it throws `CancellationError`.
  package typealias Input = (_ room: UnsafeMutableRawBufferPointer, _ isCancelled: () -> Bool) throws -> Int

  /// The bytes in memory.
  // @exclusivity(unchecked): nothing is called while it changes, and each byte of a text asks for it.
  @exclusivity(unchecked)
  package private(set) var shown: TextPiece
  /// Their range in the memory.
  private var used = 0..<0
  /// Whether the text ends with these bytes.
  package private(set) var isComplete: Bool

  /// The source of a stream; nil for a text that is completely in memory.
  private let input: Input?
  private let isInterrupted = Atomic<Bool>(false)
  private var hasEnded = false
  private var isHeld = false
  private var spill: SpillFile?

  /// Shows a whole text.
  package init(_ text: TextPiece) {
    shown = text
    isComplete = true
    input = nil
  }

  /// Shows a stream, initially none of it.
  ///
  /// - Parameters:
  ///   - size: The initial size in bytes. The memory grows for a larger batch or element.
  ///   - input: Called on the thread that reads.
  package init(size: Int, _ input: @escaping Input) {
    shown = TextPiece(0..<0, of: TextMemory(size: max(size, 16)), at: TextPiece.Mark())
    isComplete = false
    self.input = input
  }

  @inlinable
  package var bytes: UnsafeRawBufferPointer { shown.bytes }
  @inlinable
  package var start: Int { shown.start }
  @inlinable
  package var end: Int { shown.end }
  package var isStream: Bool { input != nil }
  /// The size of the memory for a stream, in bytes.
  package var size: Int { shown.memory?.bytes.count ?? 0 }

  /// A byte between `start` and `end`.
  @inlinable
  package subscript(offset: Int) -> UInt8 { shown[offset] }

  /// The bytes between two offsets of the window.
  @inlinable
  package subscript(range: Range<Int>) -> UnsafeRawBufferPointer { shown[range] }

  // MARK: A stream

  /// Reads more of a stream. Waits until data arrives.
  ///
  /// - Throws: Errors of the input; ``SystemError`` if buffered text cannot be written or read.
  package func more() throws {
    let isOwn = shown.isOnlyOwner()
    guard let input, var memory = shown.memory, !isComplete else { return }
    memory = makeRoom(in: memory, isOwn: isOwn)
    let room = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[used.upperBound...])
    var count = 0
    if let end = spill?.end, self.end < end, let read = try spill?.read(from: self.end, into: room) {
      count = read
    } else {
      do { count = try input(room) { isInterrupted.load(ordering: .relaxed) } } catch let damage
        as DamagedText
      {
        throw JSONSyntaxError(location: shown.location(of: end), offset: end, reason: damage.reason)
      }
      hasEnded = count == 0
    }
    show(used.lowerBound..<(used.upperBound + count), of: memory, at: shown.mark)
  }

  /// Ends a wait of another thread in `more`, and prevents further waits until called with false.
  package func interrupt(_ isInterrupted: Bool) {
    self.isInterrupted.store(isInterrupted, ordering: .relaxed)
  }

  /// Releases the bytes before an offset of the window; nothing for a text in memory.
  package func drop(before offset: Int) throws {
    guard let memory = shown.memory, isStream, offset > start else { return }
    if isHeld { try keep(until: offset) }
    show((used.lowerBound + offset - start)..<used.upperBound, of: memory, at: shown.mark(at: offset))
  }

  /// Ensures that `goBack` can return to a mark later. The window began there recently.
  ///
  /// - Parameter isHeld: False if `goBack` will no longer be called for it.
  package func hold(_ mark: TextPiece.Mark, isHeld: Bool) {
    guard isStream else { return }
    self.isHeld = isHeld
    if let end = spill?.end, end <= mark.offset { spill?.restart(at: mark.offset) }
  }

  /// Moves the window back to a mark.
  ///
  /// - Throws: ``StoreContractError`` if the text was not held, because the store declared that it runs writes once;
  ///   ``SystemError`` if text cannot be buffered.
  package func goBack(to mark: TextPiece.Mark) throws {
    guard isStream, mark.offset != start else { return }
    guard mark.offset >= spill?.start ?? start else {
      throw StoreContractError(
        "write(_:_:): expected one run, as the store declares runsWritesOnce, found a second one, and the text of "
          + "the stream is gone")
    }
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

  /// Makes room after the bytes of the window. If they fill at most half of the memory, they move to its front, so
  /// each byte is moved once on average. Otherwise they move to a memory of twice the size. Shared bytes stay in
  /// place.
  private func makeRoom(in memory: TextMemory, isOwn: Bool) -> TextMemory {
    guard size - used.upperBound < min(size / 4, 65_536) else { return memory }
    let isEnough = used.lowerBound >= used.count && used.lowerBound > 0
    let next = isOwn && isEnough ? memory : TextMemory(size: isEnough ? size : size * 2)
    next.bytes.copyMemory(from: bytes)
    show(0..<used.count, of: next, at: shown.mark)
    return next
  }
}
