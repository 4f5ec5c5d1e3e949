internal import CFastMap

/// The way through a stream to the array at its root path, and from there to its end.
///
/// Values beside the way are checked piece by piece and dropped. If members share a name, the last one counts, as in a
/// text in memory. But a second one after an array of objects is refused, as the store has these objects by then.
///
/// A root path with `[]` leads to pages: see `nextPage`.
enum RootPathScan {
  /// How far the scan has come.
  struct Position {
    /// The arrays and objects around it, all on the way. An array has its current element.
    var open: [Container] = []
    var due = Due.value(isOnTheWay: true)
  }

  struct Container {
    /// The current element of an array; nil in an object.
    var element: Int?
    /// Whether it has a value on the way.
    var isTaken = false
    /// Whether root objects inside of it were handed out.
    var hasObjects = false
  }

  /// Why a scan stops: at an array or an object at the end of the way, at the end of the text, or with a full batch.
  enum Stop {
    case array, object, end, full
  }

  enum Due {
    case value(isOnTheWay: Bool)
    /// The value of a member that objects read from the document, and its path.
    case wanted([String])
    case firstOrEnd
    case name
    case commaOrEnd
  }

  /// The result at the end of the way, if it is not an array.
  enum Found {
    case nothing
    /// The value at this place does not have the next step.
    case missing(steps: Int, TextLocation)
    case unexpected(steps: Int, TextLocation, String)
    case value(TextPiece)
  }
}

extension RootSource {
  private typealias Scan = RootPathScan

  /// Reads up to the array of the root objects, or to the end if there is none.
  func findStreamLayout() throws -> Layout {
    guard let layout = try nextLayout() else { preconditionFailure("a text without a value is wrong") }
    return layout
  }

  /// Reads up to an array of root objects, or to the end. Returns nil if the way leads to nothing more.
  private func nextLayout() throws -> Layout? {
    var found = Scan.Found.nothing
    if case .array = try scan(&found) {
      position.offset += 1
      try refuseElementsOfRoot()
      // Without a path the array itself counts for no depth, as in a text in memory.
      let depth = rootPath == nil ? 0 : position.outside.open.count + 1
      return readsMembers ? .members(outerDepth: depth) : .elements(outerDepth: depth)
    }
    switch found {
    case .nothing: return nil
    case .missing(let count, let location):
      let path = JSONPath(Array(rootSteps.prefix(count + 1)))
      throw MappingError(path: path, location: location, reason: .missingRoot(path))
    case .unexpected(let count, let location, let found):
      let isArray = steps[count].isIntoArray
      throw MappingError(
        path: JSONPath(Array(rootSteps.prefix(count))), location: location,
        reason: .unexpected(expected: isArray ? "an array" : "an object", found: found))
    case .value(let text):
      streamLength = window.end
      window = TextWindow(text)
      guard let reading = try readOnly(from: text.start, isWhole: true, of: text) else {
        return .whole(Root(node: .null), isAtRootPath: false)
      }
      if rootPath == nil { try readDocument(text.bytes, from: 0) }
      if readsMembers { throw noMembers(reading.value, window.shown.location(of: text.start)) }
      _ = try follow(nil, from: reading.value, base: JSONPath(rootSteps), at: text.start)
      return .whole(Root(node: reading.node, bigIntegers: reading.bigIntegers), isAtRootPath: false)
    }
  }

  /// Checks the text after the array of the root objects, to the end of the stream. If the array was empty, another
  /// member can take its place, as in a text in memory.
  func scanOutside() throws {
    position.outside.due = .commaOrEnd
    if position.count > 0 { markObjects() }
    guard let next = try nextLayout() else {
      position.hasEnded = true
      return
    }
    layout = next
    position.due = .first
  }

  /// Marks all around the way: root objects that were handed out stay.
  func markObjects() {
    for index in position.outside.open.indices { position.outside.open[index].hasObjects = true }
  }

  /// Continues to an array at the root path, or to the end.
  ///
  /// - Parameter batch: For a root path with `[]`, the batch that receives the objects.
  func scan(_ found: inout RootPathScan.Found, for batch: ParsedBatch? = nil) throws -> RootPathScan.Stop {
    while true {
      if let batch, isFull(batch) { return .full }
      let byte: UInt8?
      switch try nextByte(batch) {
      case .byte(let next): byte = next
      case .end: byte = nil
      case .full: return .full
      }
      switch position.outside.due {
      case .value(isOnTheWay: true):
        if let stop = try enter(byte, &found) { return stop }
      case .value(isOnTheWay: false):
        guard try pass(for: batch) else { return .full }
        position.outside.due = .commaOrEnd
      case .wanted(let path):
        let start = position.offset
        try pass(keeps: true)
        try checkWanted(start..<position.offset)
        outside.add(Array(window[start..<position.offset]), at: path)
        position.outside.due = .commaOrEnd
      case .firstOrEnd:
        try begin(byte, batch)
      case .name:
        guard byte == UInt8(ascii: "\"") else { throw error(FASTMAP_READ_NAME_EXPECTED, at: position.offset) }
        try passName(batch)
      case .commaOrEnd:
        guard !position.outside.open.isEmpty else {
          if byte != nil { throw error(FASTMAP_READ_END_EXPECTED, at: position.offset) }
          return .end
        }
        try goOn(byte)
      }
    }
  }

  /// Goes into a value on the way. Returns where the scan stops; nil to go on.
  private func enter(_ byte: UInt8?, _ found: inout Scan.Found) throws -> Scan.Stop? {
    let depth = position.outside.open.count
    let step = depth < steps.count ? steps[depth] : nil
    let isArray = step?.isIntoArray ?? !readsMembers
    position.outside.due = .commaOrEnd
    if depth > 0 { position.outside.open[depth - 1].isTaken = true }
    if byte == (isArray ? UInt8(ascii: "[") : UInt8(ascii: "{")) {
      if rootPath != nil, depth >= reader.maxDepth { throw error(FASTMAP_READ_TOO_DEEP, at: position.offset) }
      guard let step else { return .array }
      if fansOut {
        recordWay(step)
      } else {
        found = .missing(steps: depth, window.shown.location(of: position.offset))
      }
      position.outside.open.append(Scan.Container(element: isArray ? 0 : nil))
      position.outside.due = .firstOrEnd
      position.offset += 1
      return nil
    }
    if fansOut { return try enterPage(byte) }
    let location = window.shown.location(of: position.offset)
    if step != nil, let byte, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
      try pass(keeps: false)
      found = .unexpected(steps: depth, location, byte == UInt8(ascii: "[") ? "an array" : "an object")
      return nil
    }
    let start = position.offset
    position.offset = try end(from: start)
    let text = TextPiece(copying: start..<position.offset, of: window.shown)
    guard step != nil else {
      found = .value(text)
      return nil
    }
    found = .unexpected(steps: depth, location, try reader.read(text.bytes).value.found)
    return nil
  }

  /// The first member or element of an object or array, or its end.
  private func begin(_ byte: UInt8?, _ batch: ParsedBatch?) throws {
    if position.outside.open.last?.element != nil {
      if byte == UInt8(ascii: "]") { return try goOn(byte) }
      position.outside.due = .value(isOnTheWay: isOnTheWay(element: 0))
    } else {
      if byte == UInt8(ascii: "}") { return try goOn(byte) }
      guard byte == UInt8(ascii: "\"") else {
        throw error(FASTMAP_READ_NAME_OR_END_EXPECTED, at: position.offset)
      }
      try passName(batch)
    }
  }

  /// A comma, or the end of the object or array.
  private func goOn(_ byte: UInt8?) throws {
    let last = position.outside.open.count - 1
    switch (position.outside.open[last].element, byte) {
    case (.some, UInt8(ascii: "]")), (nil, UInt8(ascii: "}")):
      if fansOut { leave(position.outside.open[last]) }
      position.outside.open.removeLast()
      position.outside.due = .commaOrEnd
    case (nil, UInt8(ascii: ",")):
      position.outside.due = .name
    case (let element?, UInt8(ascii: ",")):
      position.outside.open[last].element = element + 1
      position.outside.due = .value(isOnTheWay: isOnTheWay(element: element + 1))
    case (nil, _): throw error(FASTMAP_READ_COMMA_OR_BRACE_EXPECTED, at: position.offset)
    case (.some, _): throw error(FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED, at: position.offset)
    }
    position.offset += 1
  }

  private func isOnTheWay(element: Int) -> Bool {
    let step = steps[position.outside.open.count - 1]
    return step == .each || step == .index(element)
  }

  private func passName(_ batch: ParsedBatch?) throws {
    let start = position.offset
    try pass(keeps: true)
    let last = position.outside.open.count - 1
    var isOnTheWay = false
    if case .member(let name) = steps[last] {
      isOnTheWay = TextScanner.text(window[start..<position.offset], is: name)
    }
    if isOnTheWay, position.outside.open[last].hasObjects {
      throw error(FASTMAP_READ_DUPLICATE_NAME, at: start)
    }
    let wanted = isOnTheWay ? nil : try pathOfWanted(member: start..<position.offset)
    var next = try nextByte(batch)
    while case .full = next { next = try nextByte(batch) }
    guard case .byte(UInt8(ascii: ":")) = next else {
      throw error(FASTMAP_READ_COLON_EXPECTED, at: position.offset)
    }
    position.offset += 1
    position.outside.due = wanted.map { .wanted($0) } ?? .value(isOnTheWay: isOnTheWay)
  }

  /// Skips one value or name.
  func pass(keeps: Bool) throws {
    _ = try pass(keeps: keeps, limit: .max)
  }

  /// Skips one value beside the way. While a batch has objects in the text before it, the value must end with the batch.
  ///
  /// - Returns: False if it does not; the batch is full then.
  private func pass(for batch: ParsedBatch?) throws -> Bool {
    guard let first = batch?.offsets.first else { return try pass(keeps: false, limit: .max) }
    return try pass(keeps: true, limit: first + Self.batchBytes)
  }

  private func pass(keeps: Bool, limit: Int) throws -> Bool {
    do {
      let end = try skip(
        from: position.offset, outerDepth: position.outside.open.count, keeps: keeps, limit: limit)
      guard let end else { return false }
      position.offset = end
      return true
    } catch let error as JSONReader.Failure {
      throw self.error(error.code, at: error.offset)
    }
  }
}

extension JSONKeyPath.Step {
  var isIntoArray: Bool { if case .member = self { false } else { true } }
}
