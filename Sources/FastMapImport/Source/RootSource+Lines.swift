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
      batch.offsets.append(start)
      let isLast = line.upperBound == window.end
      batch.roots.append(try root(of: text, at: start, isLast: isLast, in: batch))
      position.count += 1
    }
  }

  /// The root object of a line. One that could not be read has a fault, and null in its place. Where faults are skipped, a line
  /// that is not JSON is one.
  private func root(
    of line: UnsafeRawBufferPointer, at start: Int, isLast: Bool, in batch: ParsedBatch
  ) throws -> Root {
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
      var place = Place(root: position.count, isOfDocument: true, offset: start + error.offset)
      if let reason = self.reason(ofValue: error.code) {
        place.steps = TextScanner.steps(to: error.offset, in: line, from: 0)
        batch.rootFaults[position.count] = .init(place: place, reason: reason)
      } else {
        let error = self.error(error, in: line, at: start, isLast: isLast)
        guard form.skipsLines else { throw error }
        batch.rootFaults[position.count] = .init(place: place, reason: .notJSON(error.reason))
      }
      return Root(node: .null, bigIntegers: nil, index: position.count)
    }
    var root = reading.node
    if !form.steps.isEmpty { root = try follow(reading.value, at: start) }
    return Root(
      node: root, bigIntegers: document?.bigIntegers ?? reading.bigIntegers, index: position.count,
      document: document?.node)
  }

  /// The value at the end of the root path of a line.
  ///
  /// - Parameter start: Where the line begins.
  private func follow(_ line: JSONValue, at start: Int) throws(MappingError) -> JSONNode {
    let index = [JSONPath.Step.index(position.count)]
    do throws(MappingError) {
      let node = try TreeWay(form.steps, in: line, at: index).ends[0].node
      try checkOnly(JSONValue(node, line.bigIntegers), at: index + form.rootSteps) { nil }
      return node
    } catch {
      let place = location(of: error.path.steps.dropFirst(), from: start)
      throw MappingError(path: error.path, location: place, reason: error.reason)
    }
  }

  private func error(
    _ failure: JSONReader.Failure, in line: UnsafeRawBufferPointer, at start: Int, isLast: Bool
  ) -> JSONSyntaxError {
    let found = reader.error(failure.code, at: failure.offset, in: line)
    let error = JSONSyntaxError(
      location: TextLocation(line: position.lines, column: found.location.column),
      offset: start + failure.offset, reason: found.reason)
    var advised = advise(error, failure.code, at: failure.offset, in: line, isLast: isLast)
    advised.path = JSONPath([.index(position.count)])
    return advised
  }
}
