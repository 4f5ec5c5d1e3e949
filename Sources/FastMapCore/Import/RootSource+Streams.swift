internal import CFastMap

/// The way through a stream to the array at its root path, and from there to its end.
///
/// Values beside the way are checked piece by piece and dropped. Of members with one name the last one counts, as in a text
/// in memory. But a second one after an array of objects is refused, as the store has these by then.
enum RootPathScan {
  /// How far the scan has come.
  struct Position {
    /// The arrays and objects around it, all on the way; of an array, the current element.
    fileprivate(set) var open: [Container] = []
    fileprivate var due = Due.value(isOnTheWay: true)
    fileprivate var hasFoundArray = false
  }

  enum Container {
    case object
    case array(element: Int)
  }

  fileprivate enum Due {
    case value(isOnTheWay: Bool)
    case firstOrEnd
    case name
    case commaOrEnd
  }

  /// What is at the end of the way, if it is not an array.
  fileprivate enum Found {
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
    if try scan(&found) {
      position.offset += 1
      // Without a path the array itself counts for no depth, as in a text in memory.
      return .elements(outerDepth: rootPath == nil ? 0 : position.outside.open.count + 1)
    }
    switch found {
    case .nothing: return nil
    case .missing(let count, let location):
      let path = JSONPath(Array(rootSteps.prefix(count + 1)))
      throw MappingError(path: path, location: location, reason: .missingRoot(path))
    case .unexpected(let count, let location, let found):
      let isArray = if case .index = rootSteps[count] { true } else { false }
      throw MappingError(
        path: JSONPath(Array(rootSteps.prefix(count))), location: location,
        reason: .unexpected(expected: isArray ? "an array" : "an object", found: found))
    case .value(let text):
      streamLength = window.end
      window = TextWindow(text)
      let reading = try reader.read(text.bytes, shape: shape)
      _ = try follow(nil, from: reading.value, base: JSONPath(rootSteps), at: text.start)
      return .whole(Root(node: reading.node, bigIntegers: reading.bigIntegers), isAtRootPath: false)
    }
  }

  /// Checks what follows the array of the root objects, to the end of the stream. If the array was empty, another member can
  /// take its place, as in a text in memory.
  func scanOutside() throws {
    position.outside.due = .commaOrEnd
    position.outside.hasFoundArray = position.count > 0
    guard let next = try nextLayout() else {
      position.hasEnded = true
      return
    }
    layout = next
    position.due = .first
  }

  /// Continues to the array at the root path and returns true, or to the end.
  private func scan(_ found: inout Scan.Found) throws -> Bool {
    while true {
      let byte = try nextByte()
      switch position.outside.due {
      case .value(isOnTheWay: true):
        if try enter(byte, &found) { return true }
      case .value(isOnTheWay: false):
        try pass(keeps: false)
        position.outside.due = .commaOrEnd
      case .firstOrEnd:
        try begin(byte)
      case .name:
        guard byte == UInt8(ascii: "\"") else { throw error(FASTMAP_READ_NAME_EXPECTED, at: position.offset) }
        try passName()
      case .commaOrEnd:
        guard !position.outside.open.isEmpty else {
          if byte != nil { throw error(FASTMAP_READ_END_EXPECTED, at: position.offset) }
          return false
        }
        try goOn(byte)
      }
    }
  }

  /// Goes into a value on the way. Returns true at the array of the root objects.
  private func enter(_ byte: UInt8?, _ found: inout Scan.Found) throws -> Bool {
    let depth = position.outside.open.count
    let step = depth < rootSteps.count ? rootSteps[depth] : nil
    let opening = step.map { if case .index = $0 { UInt8(ascii: "[") } else { UInt8(ascii: "{") } }
    position.outside.due = .commaOrEnd
    if byte == opening ?? UInt8(ascii: "[") {
      if rootPath != nil, depth >= reader.maxDepth { throw error(FASTMAP_READ_TOO_DEEP, at: position.offset) }
      guard let step else { return true }
      found = .missing(steps: depth, window.shown.location(of: position.offset))
      let isArray = if case .index = step { true } else { false }
      position.outside.open.append(isArray ? .array(element: 0) : .object)
      position.outside.due = .firstOrEnd
      position.offset += 1
      return false
    }
    let location = window.shown.location(of: position.offset)
    if step != nil, let byte, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
      try pass(keeps: false)
      found = .unexpected(steps: depth, location, byte == UInt8(ascii: "[") ? "an array" : "an object")
      return false
    }
    let start = position.offset
    try pass(keeps: true)
    let text = TextPiece(copying: start..<position.offset, of: window.shown)
    guard step != nil else {
      found = .value(text)
      return false
    }
    let value = try reader.read(text.bytes)
    found = .unexpected(steps: depth, location, value.value.found)
    return false
  }

  /// The first member or element of an object or array, or its end.
  private func begin(_ byte: UInt8?) throws {
    switch position.outside.open.last {
    case .array:
      if byte == UInt8(ascii: "]") { return try goOn(byte) }
      position.outside.due = .value(isOnTheWay: isOnTheWay(element: 0))
    default:
      if byte == UInt8(ascii: "}") { return try goOn(byte) }
      guard byte == UInt8(ascii: "\"") else {
        throw error(FASTMAP_READ_NAME_OR_END_EXPECTED, at: position.offset)
      }
      try passName()
    }
  }

  /// A comma, or the end of the object or array.
  private func goOn(_ byte: UInt8?) throws {
    let last = position.outside.open.count - 1
    switch (position.outside.open[last], byte) {
    case (.array, UInt8(ascii: "]")), (.object, UInt8(ascii: "}")):
      position.outside.open.removeLast()
      position.outside.due = .commaOrEnd
    case (.object, UInt8(ascii: ",")):
      position.outside.due = .name
    case (.array(let element), UInt8(ascii: ",")):
      position.outside.open[last] = .array(element: element + 1)
      position.outside.due = .value(isOnTheWay: isOnTheWay(element: element + 1))
    case (.object, _): throw error(FASTMAP_READ_COMMA_OR_BRACE_EXPECTED, at: position.offset)
    case (.array, _): throw error(FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED, at: position.offset)
    }
    position.offset += 1
  }

  private func isOnTheWay(element: Int) -> Bool {
    rootSteps[position.outside.open.count - 1] == .index(element)
  }

  private func passName() throws {
    let start = position.offset
    try pass(keeps: true)
    var isOnTheWay = false
    if case .member(let name) = rootSteps[position.outside.open.count - 1] {
      isOnTheWay = TextScanner.text(window[start..<position.offset], is: name)
    }
    if isOnTheWay, position.outside.hasFoundArray { throw error(FASTMAP_READ_DUPLICATE_NAME, at: start) }
    guard try nextByte() == UInt8(ascii: ":") else {
      throw error(FASTMAP_READ_COLON_EXPECTED, at: position.offset)
    }
    position.offset += 1
    position.outside.due = .value(isOnTheWay: isOnTheWay)
  }

  /// Skips one value or name.
  private func pass(keeps: Bool) throws {
    do {
      position.offset = try skip(
        from: position.offset, outerDepth: position.outside.open.count, keeps: keeps)
    } catch let error as JSONReader.Failure {
      throw self.error(error.code, at: error.offset)
    }
  }

  /// The next byte that is not whitespace; nil at the end. The text before it is dropped.
  private func nextByte() throws -> UInt8? {
    while true {
      while position.offset < window.end {
        if !isSpace(window[position.offset]) { return window[position.offset] }
        position.offset += 1
      }
      try window.drop(before: position.offset)
      if window.isComplete { return nil }
      try window.more()
    }
  }
}
