/// The state of a search for pages, for the error of a search that finds none.
struct PageSearch {
  /// Whether a page had objects, or an empty array of them.
  var hasFound = false
  /// Whether a page has no objects, because it lacks a member on the way or has null there.
  private(set) var lacksObjects = false
  /// The error of the first such page.
  private(set) var missing: MappingError?
  /// The error if the open value has no value on the way.
  var next: MappingError?

  /// Whether the error of a page without objects is needed.
  var needsError: Bool { !hasFound && missing == nil }

  mutating func miss(_ error: MappingError?) {
    lacksObjects = true
    if needsError { missing = error }
  }
}

/// Root objects on several pages: a root path with `[]`.
///
///     pages[].items      {"pages": [{"items": [{"id": 1}, {"id": 2}]}, {}, {"items": {"id": 3}}]}
///
/// A page is an array of objects, or one object. A page without the member, or with null, has none. The way to the next page
/// is followed in the text as in a stream, so a second member of a name on the way is refused after objects.
extension RootSource {
  /// Goes on to the next page.
  ///
  /// - Returns: False at the end of the text, and if the batch is full.
  func nextPage(_ batch: ParsedBatch) throws -> Bool {
    var found = RootWay.Found.nothing
    switch try scan(&found, for: batch) {
    case .full: return false
    case .end:
      if !position.pages.hasFound, let missing = position.pages.missing { throw missing }
      position.hasEnded = true
      return false
    case .array:
      position.offset += 1
      position.due = .first
      beginPage(isArray: true, in: batch)
    case .object:
      beginPage(isArray: false, in: batch)
      try addElement(position.way.open.count, to: batch)
      markObjects()
    }
    return true
  }

  private func beginPage(isArray: Bool, in batch: ParsedBatch) {
    position.pages.hasFound = true
    position.pageFirst = position.count
    recordPage(isArray: isArray, in: batch)
  }

  /// Records the page in a batch that has objects of it.
  func recordPage(isArray: Bool, in batch: ParsedBatch) {
    let path = way(position.way.open.count)
    batch.pages.append(.init(first: position.pageFirst, path: path, isArray: isArray))
  }

  /// The path of the value that so many open ones are around.
  func way(_ count: Int) -> [JSONPath.Step] {
    form.steps.prefix(count).enumerated().map { depth, step in
      step.inPath ?? .index(position.way.open[depth].element ?? 0)
    }
  }

  // MARK: Missing places

  /// Records the place that is missing if the way ends in the value that begins here.
  func recordWay(_ step: JSONKeyPath.Step) {
    guard position.pages.needsError else { return }
    let path = way(position.way.open.count)
    position.pages.next = step.inPath.map {
      .missing(path + [$0], window.shown.location(of: position.offset))
    }
  }

  /// Leaves an object or array on the way.
  func leave(_ container: RootWay.Container) {
    let step = form.steps[position.way.open.count - 1]
    guard step != .each, !container.isTaken else { return }
    let missing = position.pages.next
    position.pages.miss(missing)
  }

  /// A value on the way that is neither the object nor the array that the way leads through, or that is at its end.
  ///
  /// - Returns: Where the scan stops; nil after null, which is as a missing value.
  func enterPage(_ byte: UInt8?) throws -> RootWay.Stop? {
    let depth = position.way.open.count
    let isInPage = form.steps.prefix(depth).contains(.each)
    if isInPage, byte == UInt8(ascii: "n") {
      let needsError = position.pages.needsError
      let missing =
        needsError
        ? MappingError.missing(way(depth), window.shown.location(of: position.offset)) : nil
      position.pages.miss(missing)
      try pass(keeps: true)
      return nil
    }
    guard depth < form.steps.count else { return .object }
    let location = window.shown.location(of: position.offset)
    let isContainer = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
    let found = isContainer ? (byte == UInt8(ascii: "[") ? "an array" : "an object") : try passFound(byte)
    throw MappingError.unexpected(at: way(depth), before: form.steps[depth], location, found)
  }
}
