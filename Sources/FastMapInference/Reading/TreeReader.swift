internal import CFastMap
import FastMapCore

extension JSONTree {
  /// Reads a text with one value into a tree, for small files.
  ///
  /// - Throws: ``JSONSyntaxError``.
  package init(parsing bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    let text = try EventText { room in
      let part = rest.prefix(room.count)
      room.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
      rest = rest.dropFirst(part.count)
      return part.count
    }
    var reader = TreeReader(text)
    self = try reader.value(of: try text.next())
    guard try text.next() == FASTMAP_EVENT_FINISH else {
      throw JSONSyntaxError(
        location: TextLocation(line: 1, column: 1), offset: 0, reason: "expected one value, found several")
    }
  }
}

/// Builds a tree from events. Recursion ends with the reader's limit of nesting.
private struct TreeReader {
  private let text: EventText

  init(_ text: EventText) { self.text = text }

  private var content: String {
    String(decoding: UnsafeBufferPointer(start: text.event.bytes, count: text.event.length), as: UTF8.self)
  }

  mutating func value(of kind: fastmap_event_kind) throws -> JSONTree {
    switch kind {
    case FASTMAP_EVENT_OBJECT:
      var members: [JSONTree.Member] = []
      while try text.next() == FASTMAP_EVENT_NAME {
        let name = content
        members.append(.init(name: name, value: try value(of: try text.next())))
      }
      return .object(members)
    case FASTMAP_EVENT_ARRAY:
      var elements: [JSONTree] = []
      while case let next = try text.next(), next != FASTMAP_EVENT_END {
        elements.append(try value(of: next))
      }
      return .list(elements)
    case FASTMAP_EVENT_STRING: return .string(content)
    case FASTMAP_EVENT_INTEGER, FASTMAP_EVENT_BIG_INTEGER, FASTMAP_EVENT_REAL: return .number(content)
    case FASTMAP_EVENT_TRUE: return .boolean(true)
    case FASTMAP_EVENT_FALSE: return .boolean(false)
    case FASTMAP_EVENT_FINISH:
      throw JSONSyntaxError(location: TextLocation(line: 1, column: 1), offset: 0, reason: "expected a value")
    default: return .null
    }
  }
}
