internal import CFastMap

/// The parts that all decoders of one call share.
final class DecodingSession {
  let bigIntegers: BigIntegers?
  let userInfo: [CodingUserInfoKey: any Sendable]
  /// The stored objects that relationships lead to; nil for JSON.
  let objects: StoredObjects?
  /// The owner of the tree; nil where the caller is.
  private let document: JSONDocument?
  // unchecked: nothing runs while it is changed.
  @exclusivity(unchecked) private var known = KnownTypes()
  /// The number of the present value. A decoder that is kept beyond its value has another one.
  @exclusivity(unchecked) fileprivate var value = 0

  init(
    _ bigIntegers: BigIntegers?, _ userInfo: [CodingUserInfoKey: any Sendable] = [:],
    objects: StoredObjects? = nil
  ) {
    (self.bigIntegers, self.userInfo, self.objects, document) = (bigIntegers, userInfo, objects, nil)
  }

  /// A session about JSON inside of another value.
  init(_ document: JSONDocument, in outer: DecodingSession) {
    (bigIntegers, userInfo, objects) = (document.bigIntegers, outer.userInfo, nil)
    self.document = document
  }

  func facts(of type: Any.Type) -> TypeFacts { known.facts(of: type) }

  /// Ends the present value, and with it the memory that its decoders have borrowed.
  func endValue() { value += 1 }
}

/// Decodes one cell.
final class ValueDecoder: Decoder {
  let session: DecodingSession
  // unchecked: nothing runs while it is changed.
  @exclusivity(unchecked) private var own: Cell
  private let value: Int
  private let parent: ValueDecoder?
  private var step: (any CodingKey)?
  private let depth: Int
  /// The member after the last read one, as a type mostly asks for its members in one order.
  @exclusivity(unchecked) private var next = 0
  @exclusivity(unchecked) private var search: JSONNode.MemberSearch

  /// The deepest nesting of values.
  private static let deepest = 512

  init(
    _ session: DecodingSession, _ cell: Cell, in parent: ValueDecoder? = nil, at step: (any CodingKey)? = nil
  ) {
    (self.session, own, self.parent, self.step) = (session, cell, parent, step)
    value = session.value
    depth = (parent?.depth ?? 0) + 1
    search = JSONNode.MemberSearch(cell.node)
  }

  /// Whether its value has ended. The decoder has no memory then, and decodes null.
  var isEnded: Bool { value != session.value }

  @inline(__always)
  var cell: Cell { isEnded ? .node(.null) : own }

  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var decoder: ValueDecoder? = self
    while let current = decoder {
      if let step = current.step { path.append(step) }
      decoder = current.parent
    }
    return path.reversed()
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch cell {
    case .node(let node) where node.isObject: break
    case .object: break
    default: throw mismatch([String: Any].self, cell, nil)
    }
    return KeyedDecodingContainer(KeyedCells<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    ListedCells(try listedValues(cell, nil), of: self)
  }

  /// The decoder of an element of a list.
  func element(_ index: Int, _ cell: Cell) -> ValueDecoder {
    ValueDecoder(session, cell, in: self, at: ElementKey(index))
  }

  /// Makes the decoder of an element the decoder of another element.
  func move(to index: Int, _ cell: Cell) {
    (own, step, next) = (cell, ElementKey(index), 0)
    search = JSONNode.MemberSearch(cell.node)
  }

  private func listedValues(_ cell: Cell, _ step: (any CodingKey)?) throws -> ListedValues {
    switch cell {
    case .node(let node):
      if let elements = node.elements { return .nodes(elements) }
    case .targets(let owner, let link):
      return .objects(session.objects?.targets(link, of: owner) ?? [])
    case .slot, .object: break
    }
    throw mismatch([Any].self, cell, step)
  }

  /// Whether it is a relationship to no objects.
  func isEmptyList(_ cell: Cell) -> Bool {
    guard case .targets(let owner, let link) = cell else { return false }
    return session.objects?.targets(link, of: owner).isEmpty ?? true
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  // MARK: Members

  /// The value of a member; nil if it is missing. A stored object has no null.
  func member(_ name: String) -> Cell? {
    if isEnded { return nil }
    switch own {
    case .node(let node): return search.find(name, in: node).map { .node($0) }
    case .object(let object):
      return object.withLayout { layout in
        guard let place = layout.place(of: name, from: next) else { return nil }
        next = place + 1
        return session.objects?.cell(layout.members[place], of: object)
      }
    case .slot, .targets: return nil
    }
  }

  /// A member of a type that cells hold; nil if it is missing or has another type. The next member is found at once.
  @inline(__always)
  func value<T: CellValue>(_ type: T.Type, _ name: String) -> T? {
    if isEnded { return nil }
    switch own {
    case .node(let node): return search.find(next: name, in: node).flatMap { T($0, session) }
    case .object(let object):
      return object.withLayout { layout in
        let place = next
        guard layout.isMember(place, named: name), case .attribute = layout.members[place].kind else {
          return nil
        }
        let value = T(object.slots[layout.members[place].field])
        if value != nil { next = place + 1 }
        return value
      }
    case .slot, .targets: return nil
    }
  }

  /// The names of all members with a value.
  var memberNames: [String] {
    switch cell {
    case .node(let node):
      (node.members.map { Array($0) } ?? []).map { String(decoding: $0.name, as: UTF8.self) }
    case .object(let object):
      object.layout.names(where: { session.objects?.cell($0, of: object) != nil })
    case .slot, .targets: []
    }
  }

  // MARK: Values

  /// The cell as a value that it holds directly.
  @inline(__always)
  func decode<T: CellValue>(_ type: T.Type, _ cell: Cell, at step: @autoclosure () -> (any CodingKey)?) throws
    -> T
  {
    if let value = T(cell, session) { return value }
    let step = step()
    if cell.json != nil { return try decode(type, inJSON: cell, at: step) }
    throw mismatch(type, cell, step)
  }

  /// The cell as a value of any type.
  // Optionals of the type stay out of this function: their metadata took a tenth of the time.
  func decode<T: Decodable>(_ type: T.Type, _ cell: Cell, at step: (any CodingKey)?) throws -> T {
    switch session.facts(of: type) {
    case .cell(let known): return try value(type, known, cell, step)
    case .attribute(let known) where cell.json == nil || known.attributeType.kind == .json:
      return try value(type, known, cell, step)
    case .list(let known) where cell.json == nil:
      return try list(type, known, cell, step)
    case .attribute, .unordered, .list, .itself: break
    }
    if cell.json != nil { return try self.decode(type, inJSON: cell, at: step) }
    return try ValueDecoder(session, cell, in: self, at: step).decodeItself(type)
  }

  private func value<T, V: CellValue>(_ type: T.Type, _ known: V.Type, _ cell: Cell, _ step: (any CodingKey)?)
    throws -> T
  {
    unsafeBitCast(try decode(known, cell, at: step), to: type)
  }

  private func value<T, V: AttributeValue>(
    _ type: T.Type, _ known: V.Type, _ cell: Cell, _ step: (any CodingKey)?
  ) throws -> T {
    unsafeBitCast(try value(known, cell, at: step), to: type)
  }

  private func list<T, L: ListType>(
    _ type: T.Type, _ known: L.Type, _ cell: Cell, _ step: (any CodingKey)?
  ) throws -> T {
    let list = try L.decoded(try listedValues(cell, step)) {
      let list = ValueDecoder(session, cell, in: self, at: step)
      try list.checkDepth()
      return list
    }
    return unsafeBitCast(list, to: type)
  }

  /// The root of the call.
  func decodeItself<T: Decodable>(_ type: T.Type) throws -> T {
    try checkDepth()
    if parent == nil {
      switch session.facts(of: type) {
      case .cell, .attribute: return try decode(type, cell, at: nil)
      case .list, .unordered, .itself: break
      }
    }
    return try T(from: self)
  }

  /// Refuses values that are nested too deep, and objects that contain themselves.
  @inline(__always)
  private func checkDepth() throws {
    if depth >= 64, depth & 63 < 4 || depth > Self.deepest { try refuseCircles() }
  }

  private func refuseCircles() throws {
    var reason: String?
    if case .object(let object) = cell {
      var decoder = parent
      while let current = decoder, reason == nil {
        if case .object(let other) = current.cell, other.id == object.id, other.layout === object.layout {
          reason = "\(object.name) refers to itself through other objects, and a value has no circles"
        }
        decoder = current.parent
      }
    }
    if depth > Self.deepest { reason = reason ?? "nested too deep; expected at most \(Self.deepest) levels" }
    if let reason {
      throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
    }
  }

  /// A value in the form that it has in a mapping.
  private func value<V: AttributeValue>(_ type: V.Type, _ cell: Cell, at step: (any CodingKey)?) throws -> V {
    switch cell {
    case .slot(let slot):
      if let value = V(Field(slot)) { return value }
    case .node(let node):
      let json = JSONValue(node, session.bigIntegers)
      let value = json.withField(of: type) { field in
        // A value of another kind is converted to null, which some types can hold.
        field.isNull && !json.isNull ? nil : V(field)
      }
      if let value { return value }
    case .object, .targets: break
    }
    throw mismatch(type, cell, step)
  }

  /// Decodes the JSON text of an attribute.
  private func decode<T: Decodable>(_ type: T.Type, inJSON cell: Cell, at step: (any CodingKey)?) throws -> T
  {
    let document = try JSONDocument(parsing: cell.json ?? .init(start: nil, count: 0), keepsReals: true)
    let root = Cell.node(document.root)
    return try ValueDecoder(DecodingSession(document, in: session), root, in: self, at: step)
      .decode(type, root, at: nil)
  }
}
