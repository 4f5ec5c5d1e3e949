internal import CFastMap

/// Root objects that are lines.
extension RootSource {
  func readLines(_ limit: Int, into batch: ParsedBatch) throws {
    while batch.roots.count < limit, !isFull(batch),
      let line = try window.line(from: position.offset, keeps: !batch.offsets.isEmpty)
    {
      position.lines += 1
      let start = position.offset
      position.offset = min(window.end, line.upperBound + 1)
      let text = window[line]
      if text.allSatisfy(isSpace) { continue }
      let isLast = line.upperBound == window.end
      try addRoots(of: text, at: start, isLast: isLast, to: batch)
      position.values += 1
      if batch.roots.isEmpty, batch.reader.treeBytes >= Self.batchTreeBytes {
        batch.empty(first: position.count)
        try outside.addContext(to: batch)
      }
    }
    if batch.roots.isEmpty, !position.pages.hasFound, let missing = position.pages.missing { throw missing }
  }

  /// Adds the root object of a line, or the objects at the given root path. An object that could not be read has a fault, and null
  /// in its place. Where faults are skipped, a line that is not JSON is one.
  private func addRoots(
    of line: UnsafeRawBufferPointer, at start: Int, isLast: Bool, to batch: ParsedBatch
  ) throws {
    let reading: JSONReader.Reading
    var document: JSONReader.Reading?
    do throws(JSONReader.Failure) {
      reading =
        form.steps.isEmpty
        ? try read(line, from: 0, isWhole: true, with: batch.reader)
        : try batch.reader.attempt(line, from: 0, isWhole: true)
      if let shape = outside.documentShape {
        document = try batch.reader.attempt(line, from: 0, isWhole: true, shape: shape)
      }
    } catch {
      if error.code == FASTMAP_READ_MEMORY { throw SystemError.outOfMemory }
      if !form.steps.isEmpty { addPage(at: [.index(position.values)], isArray: false, to: batch) }
      var place = Place(root: position.count, isOfDocument: true, offset: start + error.offset)
      if let reason = self.reason(ofValue: error.code) {
        place.steps = TextScanner.steps(to: error.offset, in: line, from: 0)
        batch.rootFaults[position.count] = .init(place: place, reason: reason)
      } else {
        let error = self.error(error, in: line, at: start, isLast: isLast)
        guard form.skipsLines else { throw error }
        batch.rootFaults[position.count] = .init(place: place, reason: .notJSON(error.reason))
      }
      return addRoot(Root(node: .null, index: position.count), at: start, to: batch)
    }
    func add(_ node: JSONNode) {
      let bigIntegers = document?.bigIntegers ?? reading.bigIntegers
      addRoot(
        Root(node: node, bigIntegers: bigIntegers, index: position.count, document: document?.node),
        at: start,
        to: batch)
    }
    if form.steps.isEmpty { return add(reading.node) }
    for node in try follow(reading.value, at: start, in: batch) { add(node) }
  }

  private func addRoot(_ root: Root, at start: Int, to batch: ParsedBatch) {
    batch.offsets.append(start)
    batch.roots.append(root)
    position.count += 1
  }

  /// The root objects at the root path of a line, which is as a page; none if the line lacks it.
  ///
  /// - Parameter start: Where the line begins.
  private func follow(_ line: JSONValue, at start: Int, in batch: ParsedBatch) throws(MappingError)
    -> [JSONNode]
  {
    let way: TreeWay
    do throws(MappingError) {
      way = try TreeWay(form.steps, in: line, at: [.index(position.values)], isPage: true)
    } catch {
      var isMissing = false
      if case .missingRoot = error.reason { isMissing = true }
      if isMissing, !position.pages.needsError {
        position.pages.miss(nil)
        return []
      }
      let place = location(of: error.path.steps.dropFirst(), from: start)
      let located = MappingError(path: error.path, location: place, reason: error.reason)
      guard isMissing else { throw located }
      position.pages.miss(located)
      return []
    }
    position.pages.hasFound = true
    if way.search.lacksObjects { position.pages.miss(nil) }
    var nodes: [JSONNode] = []
    for end in way.ends {
      var elements = end.node.elements.map { Array($0) }
      // A row is an array itself.
      if form.readsRows, let found = elements, !found.allSatisfy({ $0.elements != nil }) { elements = nil }
      addPage(at: end.path, isArray: elements != nil, to: batch, behind: nodes.count)
      nodes += elements ?? [end.node]
    }
    return nodes
  }

  private func addPage(at path: [JSONPath.Step], isArray: Bool, to batch: ParsedBatch, behind count: Int = 0)
  {
    batch.pages.append(.init(first: position.count + count, path: path, isArray: isArray))
  }

  private func error(
    _ failure: JSONReader.Failure, in line: UnsafeRawBufferPointer, at start: Int, isLast: Bool
  ) -> JSONSyntaxError {
    let found = reader.error(failure.code, at: failure.offset, in: line)
    let error = JSONSyntaxError(
      location: TextLocation(line: position.lines, column: found.location.column),
      offset: start + failure.offset, reason: found.reason)
    var advised = advise(error, failure.code, at: failure.offset, in: line, isLast: isLast)
    advised.path = JSONPath([.index(position.values)])
    return advised
  }
}
