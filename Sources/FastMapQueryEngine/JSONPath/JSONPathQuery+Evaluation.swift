internal import CFastMap

// How a selection is evaluated.
extension JSONPathQuery {
  /// The value of a singular path; nil if there is none.
  func first(in root: JSONText) -> JSONText? {
    var value = root
    for step in steps {
      let next: JSONText? =
        switch step.selectors.first {
        case .member(let name): value.member(name)
        case .index(let index): value.element(index)
        default: nil
        }
      guard let next else { return nil }
      value = next
    }
    return value.kind == .nothing ? nil : value
  }

  /// The number of values, where one that is reached in several ways counts in each; at most `Int.max`.
  ///
  /// - Complexity: O(*n*) in the text for each selector, and for each selector of a filter inside. Memory is O(*n*).
  package func count(in root: JSONText) throws(SystemError) -> Int {
    try find(in: root, most: .max).count
  }

  /// Whether there is a value.
  ///
  /// - Complexity: As ``count(in:)``.
  func exists(in root: JSONText) throws(SystemError) -> Bool {
    try find(in: root, most: 1).count > 0
  }

  /// The value of a path that leads to exactly one; nil for none and for several.
  ///
  /// - Complexity: As ``count(in:)``.
  func only(in root: JSONText) throws(SystemError) -> JSONText? {
    let (count, first) = try find(in: root, most: 2)
    return count == 1 ? first : nil
  }

  /// A value, and the number of ways that lead to it.
  fileprivate struct Found {
    let value: JSONText
    var ways: Int
  }

  /// Goes through the text level by level. Each value is visited once for a step, however many ways lead to it.
  ///
  /// - Parameter most: The number from which on the rest does not matter.
  /// - Returns: The number of values, and one of them.
  private func find(
    in root: JSONText, most: Int
  ) throws(SystemError) -> (count: Int, first: JSONText?) {
    if isSingular {
      let first = first(in: root)
      return (first == nil ? 0 : 1, first)
    }
    var level = [Found(value: root, ways: 1)]
    for step in steps.dropLast() {
      level = try step.values(of: level)
      if level.isEmpty { return (0, nil) }
    }
    let memory = FilterMemory()
    // The values at the end are only counted.
    var count = 0
    var first: JSONText?
    for found in level {
      for selector in steps[steps.count - 1].selectors {
        try selector.choose(from: found.value, memory) { value in
          if first == nil { first = value }
          count = count.addingSaturated(found.ways)
          return count < most
        }
        if count >= most { return (count, first) }
      }
    }
    return (count, first)
  }
}

extension JSONPathQuery.Step {
  /// The values that the step chooses of some, each once.
  fileprivate func values(of level: [JSONPathQuery.Found]) throws(SystemError) -> [JSONPathQuery.Found] {
    let memory = FilterMemory()
    var next: [JSONPathQuery.Found] = []
    // One selector chooses a value once.
    if selectors.count == 1 {
      for found in level {
        try selectors[0].choose(from: found.value, memory) { value in
          next.append(.init(value: value, ways: found.ways))
          return true
        }
      }
      return next
    }
    var places: [UnsafePointer<UInt8>: Int] = [:]
    for found in level {
      for selector in selectors {
        try selector.choose(from: found.value, memory) { value in
          if let place = places[value.start] {
            next[place].ways = next[place].ways.addingSaturated(found.ways)
          } else {
            places[value.start] = next.count
            next.append(.init(value: value, ways: found.ways))
          }
          return true
        }
      }
    }
    return next
  }
}

extension Int {
  /// The sum with a number from 0 on; `Int.max` if it is larger.
  func addingSaturated(_ other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}

extension JSONPathQuery.Selector {
  /// Calls `body` with each value that is chosen, at most once each, until it returns false.
  ///
  /// - Parameter memory: For the tests of a filter alone.
  fileprivate func choose(
    from value: JSONText, _ memory: FilterMemory, _ body: (JSONText) -> Bool
  ) throws(SystemError) {
    switch self {
    case .member(let name): if let found = value.member(name) { _ = body(found) }
    case .index(let index): if let found = value.element(index) { _ = body(found) }
    case .all: value.forEachChild(body)
    case .slice(let start, let end, let step):
      guard value.kind == .array else { return }
      var elements: [JSONText] = []
      value.forEachChild {
        elements.append($0)
        return true
      }
      for index in SliceIndices(start: start, end: end, step: step, count: elements.count) {
        if !body(elements[index]) { return }
      }
    case .filtered(let condition):
      var failure: SystemError?
      value.forEachChild { child in
        do throws(SystemError) {
          return try !condition.holds(for: child, memory) || body(child)
        } catch {
          failure = error
          return false
        }
      }
      if let failure { throw failure }
    }
  }
}

extension JSONPathQuery.Condition {
  /// - Parameter memory: For the values of one test, which are copied if they have escapes.
  func holds(for value: JSONText, _ memory: FilterMemory) throws(SystemError) -> Bool {
    memory.removeAll()
    switch self {
    case .constant(let value): return value
    case .all(let parts):
      for part in parts where try !part.holds(for: value, memory) { return false }
      return true
    case .any(let parts):
      for part in parts where try part.holds(for: value, memory) { return true }
      return false
    case .not(let part): return try !part.holds(for: value, memory)
    case .exists(let selection): return try selection.exists(in: value)
    case .compare(let a, let comparison, let b):
      return comparison.holds(between: try a.slot(for: value, memory), try b.slot(for: value, memory))
    case .decimal(let term, let test): return test.holds(try term.slot(for: value, memory))
    case .isOne(let term, let literals): return literals.contains(try term.slot(for: value, memory))
    case .text(let a, let test, let b, let pattern):
      return try test.holds(a.slot(for: value, memory), b.slot(for: value, memory), pattern)
    }
  }
}

extension JSONPathQuery.Term {
  fileprivate func slot(for value: JSONText, _ memory: FilterMemory) throws(SystemError) -> fastmap_slot {
    switch self {
    case .literal(let literal): return literal.slot
    case .path(let selection): return try selection.first(in: value)?.slot(memory) ?? fastmap_slot()
    case .value(let selection): return try selection.only(in: value)?.slot(memory) ?? fastmap_slot()
    case .count(let selection):
      var slot = fastmap_slot()
      slot.set(FASTMAP_INTEGER, integer: Int64(try selection.count(in: value)))
      return slot
    case .length(let term): return try term.slot(for: value, memory).filterLength
    case .lowercased(let term): return try term.slot(for: value, memory).lowercased(memory)
    }
  }
}

extension fastmap_slot {
  /// The Unicode scalars of a string, or the children of a JSON array or object; missing for others.
  var filterLength: fastmap_slot {
    var result = fastmap_slot()
    switch kind {
    case .string:
      result.set(FASTMAP_INTEGER, integer: Int64(span.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }))
    case .json: result.set(FASTMAP_INTEGER, integer: Int64(JSONText(span).childCount))
    default: break
    }
    return result
  }
}

extension BoundFilter.TextTest {
  /// - Parameter pattern: The compiled pattern, if it is a literal.
  func holds(_ text: fastmap_slot, _ other: fastmap_slot, _ pattern: TextPattern?) -> Bool {
    guard text.kind == .string else { return false }
    switch self {
    case .match, .search:
      // A pattern that JSON brings and that is none matches nothing.
      guard let pattern = pattern ?? Field(other).string.flatMap({ try? TextPattern($0) }) else {
        return false
      }
      return self == .match ? pattern.matches(text.span) : pattern.isFound(in: text.span)
    case .hasPrefix: return other.kind == .string && text.span.starts(with: other.span)
    case .contains: return other.kind == .string && text.span.contains(other.span)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether some bytes occur in these.
  ///
  /// - Complexity: O(*n*) in both (Knuth, Morris and Pratt).
  func contains(_ needle: Self) -> Bool {
    if needle.isEmpty { return true }
    if needle.count > count { return false }
    var borders = [Int](repeating: 0, count: needle.count)
    var border = 0
    for index in needle.indices.dropFirst() {
      while border > 0, needle[index] != needle[border] { border = borders[border - 1] }
      if needle[index] == needle[border] { border += 1 }
      borders[index] = border
    }
    var matched = 0
    for byte in self {
      while matched > 0, byte != needle[matched] { matched = borders[matched - 1] }
      if byte == needle[matched] { matched += 1 }
      if matched == needle.count { return true }
    }
    return false
  }
}

/// The positions that a slice chooses in a list, in its order (RFC 9535, 2.3.4.2).
struct SliceIndices: Sequence, IteratorProtocol {
  private var place: Int
  private let bound: Int
  private let step: Int

  init(start: Int64?, end: Int64?, step: Int64, count: Int) {
    let step = Int(step)
    func normal(_ index: Int64) -> Int {
      let index = Int(index)
      return index >= 0 ? index : index < -count ? -1 : index + count
    }
    self.step = step
    if step >= 0 {
      place = Swift.min(Swift.max(start.map(normal) ?? 0, 0), count)
      bound = step == 0 ? 0 : Swift.min(Swift.max(end.map(normal) ?? count, 0), count)
      if step == 0 { place = 0 }
    } else {
      place = Swift.min(Swift.max(start.map(normal) ?? count - 1, -1), count - 1)
      bound = Swift.min(Swift.max(end.map(normal) ?? -1, -1), count - 1)
    }
  }

  mutating func next() -> Int? {
    guard step >= 0 ? place < bound : place > bound else { return nil }
    let index = place
    let (following, isOver) = place.addingReportingOverflow(step)
    place = isOver ? bound : following
    return index
  }
}
