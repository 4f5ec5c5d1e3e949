internal import CFastMap
import FastMapCore

/// The beginning of a text, read ahead. A text that ends within it can be read twice.
struct TextBeginning {
  private let bytes: [UInt8]
  private let rest: Inference.Input
  let isWhole: Bool

  /// Reads until `size` bytes are there, or the text ends.
  init(of input: @escaping Inference.Input, size: Int) throws {
    var hasEnded = false
    var damage: DamagedText?
    bytes = try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size, !hasEnded {
        do {
          let read = try input(
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
          count += read
          hasEnded = read == 0
        } catch let error as DamagedText {
          damage = error
          return
        }
      }
    }
    isWhole = hasEnded
    // The damage is an error at its place in the text.
    rest = damage.map { damage in { _ in throw damage } } ?? input
  }

  /// The beginning alone.
  var part: Inference.Input {
    var due = bytes[...]
    return { room in
      let part = due.prefix(room.count)
      room.copyBytes(from: part)
      due = due.dropFirst(part.count)
      return part.count
    }
  }

  /// The text from its start.
  var input: Inference.Input {
    var due = bytes[...]
    return { [rest, isWhole] room in
      if due.isEmpty { return isWhole ? 0 : try rest(room) }
      let part = due.prefix(room.count)
      room.copyBytes(from: part)
      due = due.dropFirst(part.count)
      return part.count
    }
  }

  /// Whether a whole text has one value at most.
  ///
  /// - Throws: ``JSONSyntaxError``.
  func holdsOneValue(pieceSize: Int) throws -> Bool {
    let text = try EventText(pieceSize: pieceSize, input)
    var (count, depth) = (0, 0)
    while case let kind = try text.next(), kind != FASTMAP_EVENT_FINISH {
      switch kind {
      case FASTMAP_EVENT_OBJECT, FASTMAP_EVENT_ARRAY: depth += 1
      case FASTMAP_EVENT_END: depth -= 1
      default: break
      }
      if depth == 0 { count += 1 }
    }
    return count < 2
  }
}
