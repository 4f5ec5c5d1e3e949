internal import CFastMap

/// A path inside the JSON of an attribute, as RFC 9535 means it.
///
///     if case .json(_, let selection) = path.end, selection.isWhole { print("the attribute itself") }
public struct JSONSelection: Sendable {
  /// A step. Each selector may choose values.
  struct Step: Sendable {
    let selectors: [Selector]
  }

  indirect enum Selector: Sendable {
    case member([UInt8])
    case all
    case index(Int64)
    case slice(start: Int64?, end: Int64?, step: Int64)
    case filtered(Condition)
  }

  /// A filter about a value inside JSON.
  indirect enum Condition: Sendable {
    case constant(Bool)
    case all([Condition])
    case any([Condition])
    case not(Condition)
    case exists(JSONSelection)
    case compare(Term, BoundFilter.Comparison, Term)
    case decimal(Term, DecimalTest)
    case isOne(Term, LiteralSet)
    case text(Term, BoundFilter.TextTest, Term, TextPattern?)
  }

  indirect enum Term: Sendable {
    case literal(LiteralSlot)
    case path(JSONSelection)
    case length(Term)
    case count(JSONSelection)
    case value(JSONSelection)
  }

  let steps: [Step]

  /// Whether it is the value of the attribute itself.
  public var isWhole: Bool { steps.isEmpty }

  /// Whether it leads to at most one value.
  public var isSingular: Bool {
    steps.allSatisfy { step in
      guard step.selectors.count == 1 else { return false }
      switch step.selectors[0] {
      case .member, .index: return true
      case .all, .slice, .filtered: return false
      }
    }
  }
}

// MARK: Binding

extension JSONSelection {
  /// Nil after a fault.
  init?(_ steps: some Sequence<FilterStep>, _ path: FilterPath, _ binder: inout FilterBinder) {
    var bound: [Step] = []
    for step in steps {
      var selectors: [Selector] = []
      for selector in step.selectors {
        switch selector {
        case .member(.name(let name)): selectors.append(.member(Array(name.utf8)))
        case .member(.property(let property)):
          binder.note(
            path.place, path.names(), "JSON has no property \(property); write the name of a member")
          return nil
        case .all: selectors.append(.all)
        case .index(let index): selectors.append(.index(index))
        case .slice(let start, let end, let step):
          selectors.append(.slice(start: start, end: end, step: step))
        case .filtered(let filter):
          guard let condition = Condition(filter, path, &binder) else { return nil }
          selectors.append(.filtered(condition))
        }
      }
      bound.append(Step(selectors: selectors))
    }
    self.steps = bound
  }
}

extension JSONSelection.Condition {
  fileprivate init?(_ filter: Filter, _ path: FilterPath, _ binder: inout FilterBinder) {
    func bind(_ filters: [Filter], _ binder: inout FilterBinder) -> [Self]? {
      let bound = filters.compactMap { Self($0, path, &binder) }
      return bound.count == filters.count ? bound : nil
    }
    switch filter.tree {
    case .all(let filters):
      guard let bound = bind(filters, &binder) else { return nil }
      self = .all(bound)
    case .any(let filters):
      guard let bound = bind(filters, &binder) else { return nil }
      self = .any(bound)
    case .not(let inner):
      guard let inner = Self(inner, path, &binder) else { return nil }
      self = .not(inner)
    case .exists(let inner):
      guard let selection = JSONSelection(inner, &binder) else { return nil }
      self = .exists(selection)
    case .compare(let term, let comparison, .literal(.decimal(let decimal), _)):
      guard let term = JSONSelection.Term(term, path, &binder, needsOne: true) else { return nil }
      self = .decimal(term, DecimalTest(comparison, decimal))
    case .compare(.literal(.decimal(let decimal), _), let comparison, let term):
      guard let term = JSONSelection.Term(term, path, &binder, needsOne: true) else { return nil }
      self = .decimal(term, DecimalTest(comparison.mirrored, decimal))
    case .compare(let a, let comparison, let b):
      guard let a = JSONSelection.Term(a, path, &binder, needsOne: true),
        let b = JSONSelection.Term(b, path, &binder, needsOne: true)
      else { return nil }
      self = .compare(a, comparison, b)
    case .isOne(let term, let literals):
      guard let term = JSONSelection.Term(term, path, &binder, needsOne: true) else { return nil }
      self = .isOne(term, LiteralSet(literals.map(\.value), isJSON: true))
    case .text(let a, let test, let b):
      guard let a = JSONSelection.Term(a, path, &binder, needsOne: true),
        let b = JSONSelection.Term(b, path, &binder, needsOne: true)
      else { return nil }
      var pattern: TextPattern?
      if test == .match || test == .search, case .literal(let literal) = b {
        guard let text = Field(literal.slot).string else {
          self = .constant(false)
          return
        }
        pattern = binder.pattern(text, path.place, test)
        if pattern == nil { return nil }
      }
      self = .text(a, test, b, pattern)
    case .tooDeep, .refused:
      _ = binder.condition(filter, of: 0)
      return nil
    }
  }
}

extension JSONSelection {
  fileprivate init?(_ path: FilterPath, _ binder: inout FilterBinder) {
    guard binder.check(path) else { return nil }
    self.init(path.steps, path, &binder)
  }
}

extension JSONSelection.Term {
  fileprivate init?(
    _ term: FilterTerm, _ path: FilterPath, _ binder: inout FilterBinder, needsOne: Bool
  ) {
    switch term {
    case .literal(let literal, _):
      self = .literal(LiteralSlot(literal.value, isJSON: true))
    case .path(let inner):
      guard let selection = JSONSelection(inner, &binder) else { return nil }
      guard selection.isSingular || !needsOne else {
        binder.noteSeveral(inner)
        return nil
      }
      self = .path(selection)
    case .length(let inner):
      guard let inner = JSONSelection.Term(inner, path, &binder, needsOne: true) else { return nil }
      self = .length(inner)
    case .count(let inner):
      guard let selection = JSONSelection(inner, &binder) else { return nil }
      self = .count(selection)
    case .value(let inner):
      guard let selection = JSONSelection(inner, &binder) else { return nil }
      self = .value(selection)
    }
  }
}

// MARK: Evaluation

extension JSONSelection {
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

  /// All values, in the order of RFC 9535.
  ///
  /// - Complexity: O(*n*) in the text for each step, and for each term of a filter inside.
  func all(in root: JSONText, _ memory: FilterMemory) throws(SystemError) -> [JSONText] {
    if isSingular { return first(in: root).map { [$0] } ?? [] }
    var values = [root]
    for step in steps {
      var next: [JSONText] = []
      for value in values {
        for selector in step.selectors { try selector.choose(from: value, &next, memory) }
      }
      values = next
      if values.isEmpty { break }
    }
    return values
  }

  func count(in root: JSONText, _ memory: FilterMemory) throws(SystemError) -> Int {
    try all(in: root, memory).count
  }

  /// The value of a path that leads to exactly one; nil for none and for several.
  func only(in root: JSONText, _ memory: FilterMemory) throws(SystemError) -> JSONText? {
    let values = try all(in: root, memory)
    return values.count == 1 ? values[0] : nil
  }
}

extension JSONSelection.Selector {
  fileprivate func choose(
    from value: JSONText, _ chosen: inout [JSONText], _ memory: FilterMemory
  ) throws(SystemError) {
    switch self {
    case .member(let name):
      if let found = value.member(name) { chosen.append(found) }
    case .index(let index):
      if let found = value.element(index) { chosen.append(found) }
    case .all:
      value.forEachChild {
        chosen.append($0)
        return true
      }
    case .slice(let start, let end, let step):
      guard value.kind == .array else { return }
      var elements: [JSONText] = []
      value.forEachChild {
        elements.append($0)
        return true
      }
      for index in SliceIndices(start: start, end: end, step: step, count: elements.count) {
        chosen.append(elements[index])
      }
    case .filtered(let condition):
      var failure: SystemError?
      value.forEachChild { child in
        do throws(SystemError) {
          if try condition.holds(for: child, memory) { chosen.append(child) }
        } catch { failure = error }
        return failure == nil
      }
      if let failure { throw failure }
    }
  }
}

extension JSONSelection.Condition {
  func holds(for value: JSONText, _ memory: FilterMemory) throws(SystemError) -> Bool {
    switch self {
    case .constant(let value): return value
    case .all(let parts):
      for part in parts where try !part.holds(for: value, memory) { return false }
      return true
    case .any(let parts):
      for part in parts where try part.holds(for: value, memory) { return true }
      return false
    case .not(let part): return try !part.holds(for: value, memory)
    case .exists(let selection): return try !selection.all(in: value, memory).isEmpty
    case .compare(let a, let comparison, let b):
      return comparison.holds(between: try a.slot(for: value, memory), try b.slot(for: value, memory))
    case .decimal(let term, let test): return test.holds(try term.slot(for: value, memory))
    case .isOne(let term, let literals): return literals.contains(try term.slot(for: value, memory))
    case .text(let a, let test, let b, let pattern):
      return try test.holds(a.slot(for: value, memory), b.slot(for: value, memory), pattern)
    }
  }
}

extension JSONSelection.Term {
  fileprivate func slot(for value: JSONText, _ memory: FilterMemory) throws(SystemError) -> fastmap_slot {
    switch self {
    case .literal(let literal): return literal.slot
    case .path(let selection): return try selection.first(in: value)?.slot(memory) ?? fastmap_slot()
    case .value(let selection): return try selection.only(in: value, memory)?.slot(memory) ?? fastmap_slot()
    case .count(let selection):
      var slot = fastmap_slot()
      slot.set(FASTMAP_INTEGER, integer: Int64(try selection.count(in: value, memory)))
      return slot
    case .length(let term): return try term.slot(for: value, memory).filterLength
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
