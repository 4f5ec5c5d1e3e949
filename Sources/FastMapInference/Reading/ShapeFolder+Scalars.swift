internal import CFastMap

extension ShapeFolder {
  mutating func scalar(_ kind: fastmap_event_kind, _ event: fastmap_event) {
    let shape = target(isScalar: true)
    var content = event.hash
    var isKey = false
    switch kind {
    case FASTMAP_EVENT_STRING:
      let text = UnsafeBufferPointer(start: event.bytes, count: event.length)
      shape.counts.strings += 1
      if shape.text == nil { shape.text = TextFacts() }
      shape.text?.add(text, event.hash)
      isKey = event.length <= Self.longestKey
    case FASTMAP_EVENT_INTEGER:
      shape.counts.integers += 1
      shape.counts.addDigits(of: event)
      shape.smallest = min(shape.smallest, event.integer)
      shape.largest = max(shape.largest, event.integer)
      isKey = true
    case FASTMAP_EVENT_BIG_INTEGER:
      shape.counts.bigIntegers += 1
      shape.counts.addDigits(of: event)
    case FASTMAP_EVENT_REAL:
      shape.counts.reals += 1
      shape.counts.addDigits(of: event)
    case FASTMAP_EVENT_NULL:
      shape.counts.nulls += 1
      content = 0
    default:
      shape.counts.booleans += 1
      content = kind == FASTMAP_EVENT_TRUE ? 3 : 5
    }
    let last = frames.count - 1
    if frames[last].isObject, shape !== frames[last].shape.collected {
      scalars.append(Scalar(shape: shape, hash: content, isKey: isKey, isNull: kind == FASTMAP_EVENT_NULL))
    } else if isKey {
      shape.values.insert(event.hash)
    }
    if kind == FASTMAP_EVENT_NULL, frames[last].isObject {
      frames[last].member = nil  // as if it were missing
    } else {
      finish(shape, content: content)
    }
  }
}

extension Counts {
  /// Counts a number whose digits a double or a decimal would change.
  fileprivate mutating func addDigits(of event: fastmap_event) {
    if event.keeps_digits || event.digits != 0 && Self.shortestDigits(of: event.real) == event.digits {
      return
    }
    inexact += 1
    var decimal = fastmap_decimal_value()
    if !fastmap_decimal_read(event.bytes, event.length, &decimal) { tooLong += 1 }
  }

  /// The digits of the shortest text that reads back as a number, without zeros at the end.
  private static func shortestDigits(of number: Double) -> UInt64 {
    var digits: UInt64 = 0
    for byte in number.description.utf8 {
      if byte == UInt8(ascii: "e") { break }
      if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { digits = digits &* 10 &+ UInt64(byte & 15) }
    }
    while digits > 0, digits % 10 == 0 { digits /= 10 }
    return digits
  }
}
