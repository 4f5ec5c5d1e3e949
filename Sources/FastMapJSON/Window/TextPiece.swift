internal import CFastMap

/// A piece of a text and its position. Offsets count from the start of the whole text.
///
/// Its bytes never change, so one thread can look at it while another reads on.
package struct TextPiece {
  /// A position in a text.
  package struct Mark {
    package fileprivate(set) var offset = 0
    fileprivate var place = fastmap_place(line: 1, column: 1)

    package init() {}

    fileprivate init(offset: Int, place: fastmap_place) {
      self.offset = offset
      self.place = place
    }
  }

  package let bytes: UnsafeRawBufferPointer
  /// The position of the first byte.
  package let mark: Mark
  /// The memory that holds the bytes; nil for text that somebody else owns.
  private(set) var memory: TextMemory?

  /// Shows a text that outlives the piece.
  package init(_ text: UnsafeRawBufferPointer) {
    bytes = text
    mark = Mark()
  }

  package init(_ range: Range<Int>, of memory: TextMemory, at mark: Mark) {
    bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory.bytes)[range])
    self.mark = mark
    self.memory = memory
  }

  /// Shows a copy of part of another piece.
  package init(copying range: Range<Int>, of other: TextPiece) {
    let memory = TextMemory(size: range.count)
    memory.bytes.copyMemory(from: other[range])
    self.init(0..<range.count, of: memory, at: other.mark(at: range.lowerBound))
  }

  @inlinable
  package var start: Int { mark.offset }
  @inlinable
  package var end: Int { mark.offset + bytes.count }

  /// A byte between `start` and `end`.
  @inlinable
  package subscript(offset: Int) -> UInt8 { bytes[offset - mark.offset] }

  /// The bytes between two offsets of the piece.
  @inlinable
  package subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[(range.lowerBound - start)..<(range.upperBound - start)])
  }

  /// The line and column of a byte of the piece, or of its end.
  ///
  /// - Parameter known: A mark of the piece to count from, if it is not after the byte.
  /// - Complexity: O(*n*) in the bytes that are counted.
  package func location(of offset: Int, from known: Mark? = nil) -> TextLocation {
    let place = mark(at: min(offset, end), from: known).place
    return TextLocation(line: place.line, column: place.column)
  }

  /// The mark of a byte of the piece, or of its end, counted as in `location`.
  package func mark(at offset: Int, from known: Mark? = nil) -> Mark {
    var from = mark
    if let known, known.offset >= start, known.offset <= offset { from = known }
    // A byte order mark takes no column.
    let first = from.offset == 0 ? min(bytes.textStart, offset) : from.offset
    let passed = self[first..<offset]
    return Mark(offset: offset, place: fastmap_place_behind(from.place, passed.baseAddress, passed.count))
  }

  /// Whether this piece alone uses the memory.
  mutating func isOnlyOwner() -> Bool { isKnownUniquelyReferenced(&memory) }
}

/// Memory for text, freed with the last piece that uses it.
package final class TextMemory {
  let bytes: UnsafeMutableRawBufferPointer

  init(size: Int) { bytes = .allocate(byteCount: size, alignment: 16) }

  deinit { bytes.deallocate() }
}
