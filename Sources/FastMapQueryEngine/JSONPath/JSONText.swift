package import CFastMap

/// A value in compact JSON text, read in place.
///
/// The text comes from a store, so it is well-formed. A malformed text ends early, and nothing reads beyond it.
package struct JSONText {
  /// Where the value begins. No two values of a text begin at one place.
  package let start: UnsafePointer<UInt8>
  /// The end of the text around the value.
  private let end: UnsafePointer<UInt8>

  /// The kind of a value, by its first byte.
  package enum Kind { case null, boolean, number, string, array, object, nothing }

  init(_ span: UnsafeBufferPointer<UInt8>) {
    let start = span.baseAddress ?? Self.empty
    self.init(start, start + span.count)
  }

  private init(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
    self.start = Self.skipSpace(start, end)
    self.end = end
  }

  // Nothing writes to it after it was made.
  nonisolated(unsafe) private static let empty: UnsafePointer<UInt8> = {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    memory.initialize(to: 0)
    return UnsafePointer(memory)
  }()

  var kind: Kind {
    guard start < end else { return .nothing }
    switch start.pointee {
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "{"): return .object
    default: return .number
    }
  }

  /// The text of the value alone.
  private var span: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start, count: Self.skipValue(start, end) - start)
  }

  // MARK: Elements and members

  /// Calls `body` with the elements of an array or the values of an object, until it returns false.
  func forEachChild(_ body: (JSONText) throws -> Bool) rethrows {
    switch kind {
    case .array: try forEach(after: start + 1, hasNames: false) { _, value in try body(value) }
    case .object: try forEach(after: start + 1, hasNames: true) { _, value in try body(value) }
    default: return
    }
  }

  /// Calls `body` with the members of an object: the literal of the name, and the value.
  func forEachMember(_ body: (UnsafeBufferPointer<UInt8>, JSONText) throws -> Bool) rethrows {
    if kind == .object { try forEach(after: start + 1, hasNames: true, body) }
  }

  private func forEach(
    after first: UnsafePointer<UInt8>, hasNames: Bool,
    _ body: (UnsafeBufferPointer<UInt8>, JSONText) throws -> Bool
  ) rethrows {
    var place = Self.skipSpace(first, end)
    while place < end, place.pointee != UInt8(ascii: "]"), place.pointee != UInt8(ascii: "}") {
      var name = UnsafeBufferPointer<UInt8>(start: place, count: 0)
      if hasNames {
        let after = Self.skipValue(place, end)
        name = UnsafeBufferPointer(start: place, count: after - place)
        place = Self.skip(UInt8(ascii: ":"), after, end)
      }
      let value = JSONText(place, end)
      guard try body(name, value) else { return }
      let after = Self.skip(UInt8(ascii: ","), Self.skipValue(place, end), end)
      if after == place { return }
      place = after
    }
  }

  /// The value of a member; nil if there is none.
  package func member(_ name: [UInt8]) -> JSONText? {
    var found: JSONText?
    forEachMember { literal, value in
      if !Self.is(literal, name) { return true }
      found = value
      return false
    }
    return found
  }

  /// The element at a position, counted from the end if it is negative; nil if there is none.
  func element(_ index: Int64) -> JSONText? {
    guard kind == .array else { return nil }
    var left = index
    if index < 0 {
      left += Int64(childCount)
      if left < 0 { return nil }
    }
    var found: JSONText?
    forEachChild { value in
      if left == 0 { found = value }
      left -= 1
      return left >= 0
    }
    return found
  }

  var childCount: Int {
    var count = 0
    forEachChild { _ in
      count += 1
      return true
    }
    return count
  }

  // MARK: Values

  /// The value as a slot. An array or an object keeps its text, and a string with escapes is written to `memory`.
  package func slot(_ memory: FilterMemory) throws(SystemError) -> fastmap_slot {
    var slot = fastmap_slot()
    let span = span
    switch kind {
    case .nothing: break
    case .null: slot.tag = UInt8(FASTMAP_NULL)
    case .boolean: slot.set(FASTMAP_BOOLEAN, integer: span.first == UInt8(ascii: "t") ? 1 : 0)
    case .number: Self.read(number: span, into: &slot)
    case .string:
      slot.tag = UInt8(FASTMAP_STRING)
      let inner = UnsafeBufferPointer(rebasing: span.dropFirst().dropLast())
      if inner.contains(UInt8(ascii: "\\")) {
        let target = try memory.bytes(inner.count)
        slot.length = UInt32(clamping: Self.unescape(inner, to: target))
        slot.bytes = UnsafePointer(target)
      } else {
        slot.length = UInt32(clamping: inner.count)
        slot.bytes = inner.baseAddress
      }
    case .array, .object:
      slot.tag = UInt8(FASTMAP_JSON)
      slot.length = UInt32(clamping: span.count)
      slot.bytes = span.baseAddress
    }
    return slot
  }

  private static func read(number span: UnsafeBufferPointer<UInt8>, into slot: inout fastmap_slot) {
    let text = String(decoding: span, as: UTF8.self)
    if let value = Int64(text) {
      slot.set(FASTMAP_INTEGER, integer: value)
    } else if let value = UInt64(text) {
      slot.set(FASTMAP_UNSIGNED, integer: Int64(bitPattern: value))
    } else if let value = Double(text) {
      slot.tag = UInt8(FASTMAP_NUMBER)
      slot.number = value
      if span.count <= digitsOfEachDouble, value.isNormal { return }
      guard let decimal = DecimalNumber(text), decimal != DecimalNumber(meaning: value) else { return }
      slot.tag = UInt8(FASTMAP_DECIMAL)
      slot.length = UInt32(clamping: span.count)
      slot.bytes = span.baseAddress
    }
  }

  /// So many digits are the shortest text of their nearest `Double`.
  private static let digitsOfEachDouble = 15

  /// Writes a string without escapes, which is never longer.
  ///
  /// - Returns: The length.
  private static func unescape(
    _ text: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var length = 0
    var index = 0
    func hexadecimal(at place: Int) -> UInt32? {
      guard place + 4 <= text.count else { return nil }
      return UInt32(String(decoding: text[place..<place + 4], as: UTF8.self), radix: 16)
    }
    while index < text.count {
      let byte = text[index]
      index += 1
      guard byte == UInt8(ascii: "\\"), index < text.count else {
        target[length] = byte
        length += 1
        continue
      }
      let escape = text[index]
      index += 1
      switch escape {
      case UInt8(ascii: "u"):
        var scalar = hexadecimal(at: index) ?? 0xFFFD
        index += 4
        if scalar & 0xFC00 == 0xD800, index + 6 <= text.count, text[index] == UInt8(ascii: "\\"),
          text[index + 1] == UInt8(ascii: "u"), let low = hexadecimal(at: index + 2), low & 0xFC00 == 0xDC00
        {
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
          index += 6
        }
        for unit in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
          target[length] = unit
          length += 1
        }
        continue
      case UInt8(ascii: "b"): target[length] = 0x08
      case UInt8(ascii: "f"): target[length] = 0x0C
      case UInt8(ascii: "n"): target[length] = 0x0A
      case UInt8(ascii: "r"): target[length] = 0x0D
      case UInt8(ascii: "t"): target[length] = 0x09
      default: target[length] = escape
      }
      length += 1
    }
    return length
  }

  private static func `is`(_ literal: UnsafeBufferPointer<UInt8>, _ name: [UInt8]) -> Bool {
    let inner = UnsafeBufferPointer(rebasing: literal.dropFirst().dropLast())
    if !inner.contains(UInt8(ascii: "\\")) { return inner.elementsEqual(name) }
    guard name.count <= inner.count else { return false }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, inner.count)) { memory in
      guard let target = memory.baseAddress else { return false }
      return UnsafeBufferPointer(start: target, count: unescape(inner, to: target)).elementsEqual(name)
    }
  }

  // MARK: Equality

  /// Whether both are the same value: numbers by value, members in any order. Nesting uses the heap.
  ///
  /// - Complexity: O(*n*) in both texts.
  func isEqual(to other: JSONText) -> Bool {
    var pending = [(self, other)]
    let memory = FilterMemory()
    while let (a, b) = pending.popLast() {
      guard a.kind == b.kind else { return false }
      switch a.kind {
      case .array:
        var children: [JSONText] = []
        a.forEachChild {
          children.append($0)
          return true
        }
        var count = 0
        b.forEachChild {
          if count < children.count { pending.append((children[count], $0)) }
          count += 1
          return true
        }
        if count != children.count { return false }
      case .object:
        var members: [[UInt8]: JSONText] = [:]
        a.forEachMember {
          members[Self.text(of: $0)] = $1
          return true
        }
        var count = 0
        var areKnown = true
        b.forEachMember {
          count += 1
          guard let found = members[Self.text(of: $0)] else {
            areKnown = false
            return false
          }
          pending.append((found, $1))
          return true
        }
        if !areKnown || count != members.count { return false }
      default:
        memory.removeAll()
        guard let first = try? a.slot(memory), let second = try? b.slot(memory), first.isEqual(to: second)
        else { return false }
      }
    }
    return true
  }

  private static func text(of literal: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let inner = UnsafeBufferPointer(rebasing: literal.dropFirst().dropLast())
    if !inner.contains(UInt8(ascii: "\\")) { return Array(inner) }
    return [UInt8](unsafeUninitializedCapacity: inner.count) { memory, count in
      if let target = memory.baseAddress { count = unescape(inner, to: target) }
    }
  }

  // MARK: Skipping

  private static func skipSpace(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    var place = start
    while place < end,
      place.pointee == 0x20 || place.pointee == 0x0A || place.pointee == 0x0D || place.pointee == 0x09
    {
      place += 1
    }
    return place
  }

  private static func skip(
    _ separator: UInt8, _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    let place = skipSpace(start, end)
    return place < end && place.pointee == separator ? skipSpace(place + 1, end) : place
  }

  private static func skipString(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    var place = start + 1
    while place < end {
      switch place.pointee {
      case UInt8(ascii: "\""): return place + 1
      case UInt8(ascii: "\\"): place += end - place > 1 ? 2 : 1
      default: place += 1
      }
    }
    return place
  }

  private static func skipValue(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    var place = skipSpace(start, end)
    var depth = 0
    while place < end {
      switch place.pointee {
      case UInt8(ascii: "\""):
        place = skipString(place, end)
        if depth == 0 { return place }
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        place += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return place }
        depth -= 1
        place += 1
        if depth == 0 { return place }
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { return place }
        place += 1
      case 0x20, 0x0A, 0x0D, 0x09:
        if depth == 0 { return place }
        place += 1
      default: place += 1
      }
    }
    return place
  }
}
