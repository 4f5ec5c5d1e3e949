internal import CFastMap

/// Finding the root objects of a text in memory: an array of them, or one.
extension RootSource {
  func findLayout() throws -> Layout {
    let bytes = window.bytes
    let first = bytes[position.offset...].firstIndex { !isSpace($0) } ?? bytes.count
    let opening = readsMembers ? UInt8(ascii: "{") : UInt8(ascii: "[")
    if rootPath == nil, first < bytes.count, bytes[first] == opening {
      position.offset = first + 1
      return readsMembers ? .members(outerDepth: 0) : .elements(outerDepth: 0)
    }
    guard let rootPath else {
      if let reading = try readOnly(from: position.offset, isWhole: true, of: window.shown) {
        if readsMembers { throw noMembers(reading.value, window.shown.location(of: first)) }
        return .whole(try root(reading, path: nil), isAtRootPath: true)
      }
      let end = try end(from: first)
      if let next = bytes[end...].firstIndex(where: { !isSpace($0) }) {
        throw error(FASTMAP_READ_END_EXPECTED, at: next)
      }
      return .whole(Root(node: .null), isAtRootPath: true)
    }
    // The whole text must be right, also after the objects.
    do { try reader.attemptCheck(bytes, from: position.offset) } catch {
      guard error.code == FASTMAP_READ_TOO_DEEP else { throw self.error(error.code, at: error.offset) }
      // The way through the text tells whether a root object is too deep, or the text around them.
      checksOutside = true
      return try findStreamLayout()
    }
    var scanner = TextScanner(bytes, from: position.offset, maxDepth: reader.maxDepth)
    let start = scanner.offset(of: rootSteps)
    if let start, bytes[start] == opening {
      position.offset = start + 1
      return readsMembers ? .members(outerDepth: 0) : .elements(outerDepth: 0)
    }
    if let start, !readsMembers {
      guard let reading = try readOnly(from: start, isWhole: false, of: window.shown) else {
        return .whole(Root(node: .null), isAtRootPath: true)
      }
      let node = try follow(nil, from: reading.value, base: JSONPath(rootSteps), at: start)
      return .whole(Root(node: node, bigIntegers: reading.bigIntegers), isAtRootPath: true)
    }
    let reading = try readWhole(bytes)
    if readsMembers {
      let node = try follow(rootPath, from: reading.value, base: JSONPath(), at: 0)
      throw noMembers(
        JSONValue(node, reading.bigIntegers), start.map { window.shown.location(of: $0) })
    }
    return .whole(try root(reading, path: rootPath), isAtRootPath: true)
  }

  private func readWhole(_ bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> JSONReader.Reading {
    do throws(JSONReader.Failure) {
      return try reader.attempt(bytes, from: position.offset, isWhole: true)
    } catch {
      throw self.error(error.code, at: error.offset)
    }
  }

  /// Reads the array of the layout as the only root object.
  ///
  /// - Returns: False for lines.
  func readRow() throws -> Bool {
    switch layout {
    case .array(let array, let bigIntegers):
      layout = .whole(Root(node: array, bigIntegers: bigIntegers), isAtRootPath: true)
    case .elements where !window.isStream:
      let reading = try reader.read(window.bytes, from: window.bytes.textStart)
      layout = .whole(try root(reading, path: rootPath), isAtRootPath: true)
    default: return false
    }
    return true
  }

  private func root(_ reading: JSONReader.Reading, path: JSONKeyPath?) throws -> Root {
    let node = try follow(path, from: reading.value, base: JSONPath(), at: 0)
    return Root(node: node, bigIntegers: reading.bigIntegers)
  }

  /// The value at the end of a path, which must exist and must not be null.
  ///
  /// - Parameters:
  ///   - base: The path of `root`.
  ///   - start: Where the root's text begins.
  func follow(
    _ path: JSONKeyPath?, from root: JSONValue, base: JSONPath, at start: Int
  ) throws(MappingError) -> JSONNode {
    var node = root.node
    var here = base
    func location() -> TextLocation? {
      hasText ? self.location(of: here.steps.dropFirst(base.steps.count), from: start, in: window.shown) : nil
    }
    for (step, next) in zip(path?.steps ?? [], path?.rootSteps ?? []) {
      let isArray = if case .index = step { true } else { false }
      if isArray ? node.elements == nil : !node.isObject {
        throw MappingError(
          path: here, location: location(),
          reason: .unexpected(
            expected: isArray ? "an array" : "an object", found: JSONValue(node, root.bigIntegers).found))
      }
      here = here.appending(next)
      guard let inner = node[step] else {
        throw MappingError(path: here, location: location(), reason: .missingRoot(here))
      }
      node = inner
    }
    if node.isNull {
      throw MappingError(
        path: here, location: location(),
        reason: .unexpected(
          expected: readsRows ? "an array of arrays" : "an object or an array of objects", found: "null"))
    }
    return node
  }
}
