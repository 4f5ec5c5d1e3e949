/// The parts that all encoders of one call share.
final class EncodingSession {
  let builder = TreeBuilder()
  let userInfo: [CodingUserInfoKey: any Sendable]
  let writesNulls: Bool
  private var known = KnownTypes()

  init(_ userInfo: [CodingUserInfoKey: any Sendable], writesNulls: Bool) {
    (self.userInfo, self.writesNulls) = (userInfo, writesNulls)
  }

  func facts(of type: Any.Type) -> TypeFacts { known.facts(of: type) }
}

/// Encodes one value.
final class ValueEncoder: Encoder {
  let session: EncodingSession
  private let parent: ValueEncoder?
  private let step: (any CodingKey)?
  /// The value so far, until the encoder above takes it.
  private var node: JSONNode?
  /// Takes the value of an encoder that a type has asked for: see ``superEncoder()``.
  private let finish: ((JSONNode) -> Void)?

  init(
    _ session: EncodingSession, in parent: ValueEncoder? = nil, at step: (any CodingKey)? = nil,
    finish: ((JSONNode) -> Void)? = nil
  ) {
    (self.session, self.parent, self.step, self.finish) = (session, parent, step, finish)
  }

  deinit {
    guard let node else { return }
    if let finish { finish(node) } else { session.builder.release(node) }
  }

  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }
  var builder: TreeBuilder { session.builder }

  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var encoder: ValueEncoder? = self
    while let current = encoder {
      if let step = current.step { path.append(step) }
      encoder = current.parent
    }
    return path.reversed()
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedNodes<Key>(encoder: self, object: object()))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if let node, node.elements != nil { return ListedNodes(encoder: self, array: node) }
    let array = builder.array()
    set(array)
    return ListedNodes(encoder: self, array: array)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// A type and its superclass may write into one object.
  private func object() -> JSONNode {
    if let node, node.isObject { return node }
    let object = builder.object()
    set(object)
    return object
  }

  func set(_ new: JSONNode) {
    if let node { builder.release(node) }
    node = new
  }

  // MARK: Values

  /// The tree of a value, for the caller to keep.
  func node<T: Encodable>(of value: T, at step: (any CodingKey)?) throws -> JSONNode {
    switch session.facts(of: T.self) {
    case .cell(let type):
      func node<V: CellValue>(_ type: V.Type) throws -> JSONNode {
        try unsafeBitCast(value, to: type).node(self, step)
      }
      return try node(type)
    case .attribute(let type):
      func node<V: AttributeValue>(_ type: V.Type) throws -> JSONNode {
        try self.node(ofAttribute: unsafeBitCast(value, to: type), at: step)
      }
      return try node(type)
    case .unordered:
      return builder.sorted(try encoded(value, at: step))
    case .list, .itself: break
    }
    return try encoded(value, at: step)
  }

  private func encoded(_ value: some Encodable, at step: (any CodingKey)?) throws -> JSONNode {
    let inner = ValueEncoder(session, in: self, at: step)
    try value.encode(to: inner)
    defer { inner.node = nil }
    return inner.node ?? builder.object()
  }

  /// The error of a value that JSON has no form for.
  func refusal(of value: Any, at step: (any CodingKey)?, _ reason: String) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath + (step.map { [$0] } ?? []), debugDescription: reason))
  }
}
