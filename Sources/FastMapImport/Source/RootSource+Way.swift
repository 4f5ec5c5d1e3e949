internal import CFastMap

/// The way through a text to the array at its root path, and from there to its end.
///
/// Values beside the way are checked and dropped. If members share a name, the last one counts. So a text in memory is read to
/// its end before its first object. A stream is not: a second member after an array of objects is refused, as the store has
/// these objects by then.
///
/// A root path with `[]` leads to pages: see `nextPage`.
enum RootWay {
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

  /// The value that the way has led to last.
  enum Found {
    case nothing
    /// An array of objects in a text in memory.
    case array(RootSource.Position)
    /// Any other value, and the text with it.
    case only(RootSource.OnlyRoot, TextPiece)
    case fault(MappingError)
  }
}

extension RootSource {
  /// Finds the root objects: an array of them, or one.
  func findLayout() throws {
    if form.fansOut {
      layout = .elements(outerDepth: form.steps.count + 1)
      position.due = .nothing
    } else {
      try readOn()
    }
  }

  /// Goes on after an array of root objects. If it was empty, another member can take its place.
  func scanOutside() throws {
    position.way.due = .commaOrEnd
    if position.count > 0 { markObjects() }
    try readOn()
  }

  /// Reads up to an array of root objects, or to the end.
  private func readOn() throws {
    var found = RootWay.Found.nothing
    while case .array = try scan(&found) {
      var start = position
      start.offset += 1
      start.due = .first
      if window.isStream || form.steps.isEmpty { return try beginArray(at: start) }
      found = .array(start)
      position.offset = try end(from: position.offset)
    }
    switch found {
    case .nothing: position.hasEnded = true
    case .fault(let error): throw error
    case .array(let start): try beginArray(at: start)
    case .only(let only, let text):
      let isStream = window.isStream
      window = TextWindow(text)
      layout = .whole(only)
      if only.fault != nil { return }
      if isStream, form.steps.isEmpty { try readDocument(text.bytes, from: 0) }
      try checkOnly(JSONValue(only.root.node, only.root.bigIntegers), at: form.rootSteps) {
        text.location(of: only.start)
      }
    }
  }

  private func beginArray(at start: Position) throws {
    position = start
    try refuseElementsOfRoot()
    // Without a path the array itself counts for no depth.
    layout = .elements(outerDepth: form.steps.isEmpty ? 0 : position.way.open.count + 1)
  }

  /// Marks all around the way: root objects that were handed out stay.
  func markObjects() {
    for index in position.way.open.indices { position.way.open[index].hasObjects = true }
  }

  /// Continues to an array at the root path, or to the end.
  ///
  /// - Parameter batch: For a root path with `[]`, the batch that receives the objects.
  func scan(_ found: inout RootWay.Found, for batch: ParsedBatch? = nil) throws -> RootWay.Stop {
    while true {
      if let batch, isFull(batch) { return .full }
      let byte: UInt8?
      switch try nextByte(batch) {
      case .byte(let next): byte = next
      case .end: byte = nil
      case .full: return .full
      }
      switch position.way.due {
      case .value(isOnTheWay: true):
        if let stop = try enter(byte, &found) { return stop }
      case .value(isOnTheWay: false):
        guard try pass(for: batch) else { return .full }
        position.way.due = .commaOrEnd
      case .wanted(let path):
        let start = position.offset
        try pass(keeps: true)
        _ = try read(start..<position.offset)  // the scan has only checked its grammar
        outside.add(Array(window[start..<position.offset]), at: path)
        position.way.due = .commaOrEnd
      case .firstOrEnd:
        try begin(byte, batch)
      case .name:
        guard byte == UInt8(ascii: "\"") else { throw error(FASTMAP_READ_NAME_EXPECTED, at: position.offset) }
        try passName(batch)
      case .commaOrEnd:
        guard !position.way.open.isEmpty else {
          if byte != nil { throw error(FASTMAP_READ_END_EXPECTED, at: position.offset) }
          return .end
        }
        try goOn(byte)
      }
    }
  }

  /// Goes into a value on the way. Returns where the scan stops; nil to go on.
  private func enter(_ byte: UInt8?, _ found: inout RootWay.Found) throws -> RootWay.Stop? {
    let depth = position.way.open.count
    let step = depth < form.steps.count ? form.steps[depth] : nil
    let isArray = step?.isIntoArray ?? !form.readsMembers
    position.way.due = .commaOrEnd
    if depth > 0 { position.way.open[depth - 1].isTaken = true }
    if byte == (isArray ? UInt8(ascii: "[") : UInt8(ascii: "{")), step != nil || !form.readsOneRow {
      if !form.steps.isEmpty, depth >= reader.maxDepth {
        throw error(FASTMAP_READ_TOO_DEEP, at: position.offset)
      }
      guard let step else { return .array }
      if form.fansOut {
        recordWay(step)
      } else if let inner = step.inPath {
        found = .fault(.missing(way(depth) + [inner], window.shown.location(of: position.offset)))
      }
      position.way.open.append(RootWay.Container(element: isArray ? 0 : nil))
      position.way.due = .firstOrEnd
      position.offset += 1
      return nil
    }
    if form.fansOut { return try enterPage(byte) }
    guard let step else {
      found = try readOnly()
      return nil
    }
    let location = window.shown.location(of: position.offset)
    found = .fault(.unexpected(at: way(depth), before: step, location, try passFound(byte)))
    return nil
  }

  /// Reads the only root object, which begins here.
  private func readOnly() throws -> RootWay.Found {
    let start = position.offset
    var only = OnlyRoot(root: Root(node: .null), start: start)
    do {
      let reading = try readElement(form.rootSteps.count, with: reader)
      only.root = Root(node: reading.node, bigIntegers: reading.bigIntegers)
      position.offset = window.start + reading.end
    } catch let failure as JSONReader.Failure {
      only.fault = try passFaulty(failure, at: Place(steps: form.rootSteps, isOfDocument: true))
    }
    let text = window.isStream ? TextPiece(copying: start..<position.offset, of: window.shown) : window.shown
    return .only(only, text)
  }

  /// Skips the value that begins here.
  ///
  /// - Returns: Its name in an error.
  func passFound(_ byte: UInt8?) throws -> String {
    let isArray = byte == UInt8(ascii: "[")
    let isScalar = !isArray && byte != UInt8(ascii: "{")
    let start = position.offset
    try pass(keeps: isScalar)
    guard isScalar else { return isArray ? "an array" : "an object" }
    return try read(start..<position.offset).value.found
  }

  /// The first member or element of an object or array, or its end.
  private func begin(_ byte: UInt8?, _ batch: ParsedBatch?) throws {
    if position.way.open.last?.element != nil {
      if byte == UInt8(ascii: "]") { return try goOn(byte) }
      position.way.due = .value(isOnTheWay: isOnTheWay(element: 0))
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
    let last = position.way.open.count - 1
    switch (position.way.open[last].element, byte) {
    case (.some, UInt8(ascii: "]")), (nil, UInt8(ascii: "}")):
      if form.fansOut { leave(position.way.open[last]) }
      position.way.open.removeLast()
      position.way.due = .commaOrEnd
    case (nil, UInt8(ascii: ",")):
      position.way.due = .name
    case (let element?, UInt8(ascii: ",")):
      position.way.open[last].element = element + 1
      position.way.due = .value(isOnTheWay: isOnTheWay(element: element + 1))
    case (nil, _): throw error(FASTMAP_READ_COMMA_OR_BRACE_EXPECTED, at: position.offset)
    case (.some, _): throw error(FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED, at: position.offset)
    }
    position.offset += 1
  }

  private func isOnTheWay(element: Int) -> Bool {
    let step = form.steps[position.way.open.count - 1]
    return step == .each || step == .index(element)
  }

  private func passName(_ batch: ParsedBatch?) throws {
    let start = position.offset
    try pass(keeps: true)
    let last = position.way.open.count - 1
    var isOnTheWay = false
    if case .member(let name) = form.steps[last] {
      isOnTheWay = TextScanner.text(window[start..<position.offset], is: name)
    }
    if isOnTheWay, position.way.open[last].hasObjects {
      throw error(FASTMAP_READ_DUPLICATE_NAME, at: start)
    }
    let wanted = isOnTheWay ? nil : try pathOfWanted(member: start..<position.offset)
    try passColon(batch)
    position.way.due = wanted.map { .wanted($0) } ?? .value(isOnTheWay: isOnTheWay)
  }

  /// Skips one value or name.
  ///
  /// - Parameter limit: Where it must have ended.
  /// - Returns: False if it does not.
  @discardableResult
  func pass(keeps: Bool, limit: Int = .max) throws -> Bool {
    let depth = position.way.open.count
    let end = try skip(from: position.offset, outerDepth: depth, reader.maxDepth, keeps: keeps, limit: limit)
    guard let end else { return false }
    position.offset = end
    return true
  }

  /// Skips one value beside the way. While a batch has objects in the text before it, the value must end with the batch.
  ///
  /// - Returns: False if it does not; the batch is full then.
  private func pass(for batch: ParsedBatch?) throws -> Bool {
    guard let first = batch?.offsets.first else { return try pass(keeps: false) }
    return try pass(keeps: true, limit: first + Self.batchBytes)
  }
}
