internal import CFastMap

/// Folds the events of texts into shapes.
struct ShapeFolder {
  /// Values nested deeper are JSON, whatever they are.
  private static let mostDepth = 48
  /// The longest string that may be a key, in bytes.
  static let longestKey = 256

  /// An open object or list.
  struct Frame {
    let shape: Shape
    let isObject: Bool
    var object = 0
    /// The member that is expected next.
    var cursor = 0
    /// The members or elements so far.
    var count = 0
    var content: UInt64 = 0
    /// The content of objects below that is not in the content here, because their keys stand for them.
    var depth: UInt64 = 0
    /// The member whose value comes next.
    var member: Shape?
    var nameHash: UInt64 = 0
    var integerNameHash: UInt64?
    var firstScalar = 0
    var firstListKey = 0
  }

  struct Scalar {
    let shape: Shape
    let hash: UInt64
    /// Whether the value is a string or an integer.
    let isKey: Bool
    /// Whether it is null, which clears a value that another object with the key has.
    let isNull: Bool
  }

  var frames: [Frame] = []
  /// The number of the input.
  var input = 0
  private var objects = 0
  /// The members of the open objects, with hashes of their values.
  var scalars: [Scalar] = []
  private var listKeys: [(shape: Shape, hash: UInt64)] = []
  /// How many containers below `mostDepth` are open.
  private var depthBelow = 0
  private var cutContent: UInt64 = 0

  /// Folds all values of a text into the elements of a list.
  ///
  /// - Returns: The number of values.
  mutating func fold(_ text: EventText, into root: Shape) throws -> Int {
    frames = [Frame(shape: root, isObject: false)]
    while true {
      let kind = try text.next()
      if kind == FASTMAP_EVENT_FINISH { break }
      if depthBelow > 0 {
        skip(kind, text.event)
      } else {
        apply(kind, text.event)
      }
    }
    return frames[0].count
  }

  private mutating func apply(_ kind: fastmap_event_kind, _ event: fastmap_event) {
    switch kind {
    case FASTMAP_EVENT_OBJECT, FASTMAP_EVENT_ARRAY: open(isObject: kind == FASTMAP_EVENT_OBJECT)
    case FASTMAP_EVENT_END: close()
    case FASTMAP_EVENT_NAME: name(UnsafeBufferPointer(start: event.bytes, count: event.length), event.hash)
    default: scalar(kind, event)
    }
  }

  // MARK: Members

  private mutating func name(_ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64) {
    let last = frames.count - 1
    let shape = frames[last].shape
    let member = shape.member(name, hash, from: &frames[last].cursor)
    frames[last].nameHash = hash
    frames[last].integerNameHash = KeyNames.integerHash(of: name)
    if member === shape.collected {
      if frames[last].integerNameHash == nil { shape.allNamesAreIntegers = false }
      member.presence += 1
    } else if member.lastObject != frames[last].object {
      member.lastObject = frames[last].object
      member.presence += 1
      member.positions += frames[last].count
    }
    frames[last].member = member
    frames[last].count += 1
  }

  /// The place of the next value.
  mutating func target(isScalar: Bool) -> Shape {
    let last = frames.count - 1
    if let member = frames[last].member { return member }
    let place = frames[last].count
    frames[last].count += 1
    let shape = frames[last].shape
    if isScalar, last > 0 { return shape.scalar(at: place) }
    if place < Shape.mostPositions { shape.containerPlaces |= 1 << place }
    return shape.itemsMade()
  }

  /// Counts a value in the object or list around it.
  mutating func finish(_ shape: Shape, content: UInt64, depth: UInt64 = 0) {
    let last = frames.count - 1
    guard frames[last].isObject else {
      frames[last].content = frames[last].content &* 0x9E37_79B9_7F4A_7C15 &+ content
      frames[last].depth = frames[last].depth &* 0x9E37_79B9_7F4A_7C15 &+ depth
      return
    }
    frames[last].content &+= Self.mixed(frames[last].nameHash, content)
    if depth != 0 { frames[last].depth &+= Self.mixed(frames[last].nameHash, depth) }
    let owner = frames[last].shape
    if shape === owner.collected {
      owner.names.insert(frames[last].integerNameHash ?? frames[last].nameHash)
    }
    frames[last].member = nil
  }

  static func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = (a ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: b ^ 0xE703_7ED1_A0B4_28DB)
    return product.high ^ product.low
  }

  // MARK: Containers

  private mutating func open(isObject: Bool) {
    let shape = target(isScalar: false)
    if isObject { shape.counts.objects += 1 } else { shape.counts.lists += 1 }
    guard frames.count < Self.mostDepth else {
      shape.isCut = true
      (depthBelow, cutContent) = (1, isObject ? 7 : 9)
      return
    }
    objects += 1
    frames.append(
      Frame(
        shape: shape, isObject: isObject, object: objects, firstScalar: scalars.count,
        firstListKey: listKeys.count))
  }

  private mutating func close() {
    guard let frame = frames.popLast() else { return }
    let content = Self.mixed(frame.content, UInt64(frame.count) &+ (frame.isObject ? 1 : 2))
    if frame.isObject {
      let value = closeObject(frame, content)
      finishMember(
        frame.shape, content: value, depth: value == content ? frame.depth : frame.depth &+ content)
    } else {
      closeList(frame)
      finishMember(frame.shape, content: content, depth: frame.depth)
    }
  }

  /// - Returns: A hash of the object as a value.
  private mutating func closeObject(_ frame: Frame, _ content: UInt64) -> UInt64 {
    let range = frame.firstScalar..<scalars.count
    if frame.shape.collected != nil {
      scalars.removeSubrange(range)
      return content
    }
    let owner = frames[frames.count - 1]
    let isElement = !owner.isObject && frames.count > 2
    var key = (rank: KeyNames.noRank, hash: UInt64(0))
    var identity = content &+ frame.depth
    for index in range {
      if scalars[index].isNull { identity &+= Self.mixed(scalars[index].shape.nameHash, 1) }
      guard scalars[index].isKey else { continue }
      let (shape, hash) = (scalars[index].shape, scalars[index].hash)
      if owner.isObject, hash == owner.nameHash || hash == owner.integerNameHash { shape.namesakes += 1 }
      if shape.keyRank < key.rank { key = (shape.keyRank, Self.mixed(hash, shape.nameHash)) }
      if isElement, shape.keyRank <= KeyNames.numberRank { listKeys.append((shape, hash)) }
    }
    // An object with a key stands for the key in the object around it.
    let value = key.rank < KeyNames.suffixRank ? key.hash : content
    let cells = scalars[range].lazy.map {
      ($0.isNull ? 0 : RowTable.short($0.hash)) | UInt64($0.shape.number)
    }
    frame.shape.rows.insert(
      cells, identity: identity, content: value, sample: key.rank < KeyNames.firstRanks ? key.hash : identity,
      inputs: 1 << UInt64(input & 63))
    scalars.removeSubrange(range)
    return value
  }

  private mutating func closeList(_ frame: Frame) {
    frame.shape.shortestList = min(frame.shape.shortestList, frame.count)
    frame.shape.longestList = max(frame.shape.longestList, frame.count)
    let range = frame.firstListKey..<listKeys.count
    var seen: Set<ListKey> = []
    for (shape, hash) in listKeys[range] where range.count > 1 {
      if !seen.insert(ListKey(shape: ObjectIdentifier(shape), hash: hash)).inserted { shape.listRepeats += 1 }
    }
    listKeys.removeSubrange(range)
  }

  private struct ListKey: Hashable {
    let shape: ObjectIdentifier
    let hash: UInt64
  }

  /// Counts an object or a list, and keeps its hash for the object around it.
  private mutating func finishMember(_ shape: Shape, content: UInt64, depth: UInt64 = 0) {
    let last = frames.count - 1
    if frames[last].isObject, shape !== frames[last].shape.collected {
      scalars.append(Scalar(shape: shape, hash: content, isKey: false, isNull: false))
    }
    finish(shape, content: content, depth: depth)
  }

  /// Passes over a value that is nested too deep.
  private mutating func skip(_ kind: fastmap_event_kind, _ event: fastmap_event) {
    cutContent =
      cutContent &* 31 &+ UInt64(kind.rawValue)
      &+ (kind.rawValue >= FASTMAP_EVENT_NAME.rawValue ? event.hash : 0)
    switch kind {
    case FASTMAP_EVENT_OBJECT, FASTMAP_EVENT_ARRAY: depthBelow += 1
    case FASTMAP_EVENT_END:
      depthBelow -= 1
      if depthBelow == 0 {
        let last = frames.count - 1
        let shape = frames[last].member ?? frames[last].shape.itemsMade()
        finishMember(shape, content: cutContent)
      }
    default: break
    }
  }
}
