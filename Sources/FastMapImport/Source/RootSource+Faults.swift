internal import CFastMap

/// Root objects that could not be read, although their text follows the grammar of JSON.
///
/// Such a fault is of one object, like a value of the wrong type: the others are read. Null stands for the object.
extension RootSource {
  /// Whether an error is of a value, and not of the grammar around it.
  func isOfValue(_ code: fastmap_read_error) -> Bool { reason(ofValue: code) != nil }

  /// The reason of a fault of a value; nil for any other error.
  func reason(ofValue code: fastmap_read_error) -> MappingError.Reason? {
    switch code {
    case FASTMAP_READ_LONE_SURROGATE:
      .unexpected(expected: "a string of whole characters", found: "half of a surrogate pair")
    case FASTMAP_READ_TOO_DEEP:
      .unexpected(expected: "at most \(reader.maxDepth) levels of arrays and objects", found: "more")
    default: nil
    }
  }

  /// Skips the value that begins here and could not be read.
  ///
  /// - Parameter failure: Its offset is of the whole text.
  /// - Returns: The fault of the value at `place`.
  func passFaulty(_ failure: JSONReader.Failure, at place: Place) throws -> ParsedBatch.RootFault {
    var place = place
    place.steps += TextScanner.steps(
      to: failure.offset - window.start, in: window.bytes, from: position.offset - window.start)
    place.offset = failure.offset
    position.offset = try end(from: position.offset)
    return .init(place: place, reason: reason(ofValue: failure.code) ?? .notJSON("not JSON"))
  }

  /// Reads a root object.
  ///
  /// Half of a surrogate pair that no field reads is no fault, with a delegate as without one. Of an object with one, a delegate is
  /// shown the members that fields read: no string can hold the half.
  func read(
    _ text: UnsafeRawBufferPointer, from start: Int, isWhole: Bool, outerDepth: Int = 0,
    with reader: borrowing JSONReader
  ) throws(JSONReader.Failure) -> JSONReader.Reading {
    defer { placeUnread(of: text) }
    do {
      return try reader.attempt(
        text, from: start, isWhole: isWhole, outerDepth: outerDepth, shape: form.shape,
        unread: unread.forText)
    } catch {
      guard error.code == FASTMAP_READ_LONE_SURROGATE, form.shape == nil, form.readShape != nil else {
        throw error
      }
      return try reader.attempt(
        text, from: start, isWhole: isWhole, outerDepth: outerDepth, shape: form.readShape)
    }
  }
}

extension TextScanner {
  /// The steps from a value to the innermost one that has a byte; to its object, if the byte is part of a member's name.
  ///
  /// - Parameter start: Where the value begins. The text is right up to the byte.
  /// - Complexity: O(*n*) in the bytes before the byte.
  package static func steps(
    to target: Int, in bytes: UnsafeRawBufferPointer, from start: Int
  ) -> [JSONPath.Step] {
    var search = StepSearch(bytes, from: start)
    return search.steps(to: target)
  }
}

/// Looks for the steps to some bytes of a value, one after another.
struct StepSearch {
  private enum Open {
    case array(Int)
    /// An object, and the name of its current member; nil before the name.
    case object(String?)
  }

  private static let longestPath = 32

  private let bytes: UnsafeRawBufferPointer
  private var scanner: TextScanner
  private var open: [Open] = []

  init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
    self.bytes = bytes
    scanner = TextScanner(bytes, from: start, maxDepth: 1)
  }

  /// The steps to a byte that follows the bytes before.
  mutating func steps(to target: Int) -> [JSONPath.Step] {
    while scanner.offset < target, let byte = scanner.peek {
      let begin = scanner.offset
      switch (byte, open.last) {
      case (UInt8(ascii: "\""), _):
        scanner.skipValue()
        if scanner.offset <= target, case .object(nil)? = open.last {
          open[open.count - 1] = .object(
            TextScanner.text(of: UnsafeRawBufferPointer(rebasing: bytes[begin..<scanner.offset])))
        }
        continue
      case (UInt8(ascii: "["), _): open.append(.array(0))
      case (UInt8(ascii: "{"), _): open.append(.object(nil))
      case (UInt8(ascii: "]"), _), (UInt8(ascii: "}"), _): _ = open.popLast()
      case (UInt8(ascii: ","), .array(let index)?): open[open.count - 1] = .array(index + 1)
      case (UInt8(ascii: ","), .object?): open[open.count - 1] = .object(nil)
      default: break
      }
      scanner.pass()
    }
    return open.prefix(Self.longestPath).compactMap { part in
      switch part {
      case .array(let index): .index(index)
      case .object(let name): name.map { .member($0) }
      }
    }
  }
}
