/// The members of an object that is written.
struct KeyedNodes<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder
  let object: JSONNode

  var codingPath: [any CodingKey] { encoder.codingPath }
  private var builder: TreeBuilder { encoder.builder }

  private func set(_ node: JSONNode, _ key: Key) { builder.set(node, for: key.stringValue, in: object) }

  func encodeNil(forKey key: Key) { set(builder.null(), key) }

  // The requirement of each type with a node of its own.
  func encode<T: CellValue>(_ value: T, forKey key: Key) throws { set(try value.node(encoder, key), key) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    set(try encoder.node(of: value, at: key), key)
  }

  private func putIfPresent(_ value: (some CellValue)?, _ key: Key) throws {
    if let value {
      try encode(value, forKey: key)
    } else if encoder.session.writesNulls {
      encodeNil(forKey: key)
    }
  }

  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    if let value {
      try encode(value, forKey: key)
    } else if encoder.session.writesNulls {
      encodeNil(forKey: key)
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    let nested = builder.object()
    set(nested, key)
    return KeyedEncodingContainer(
      KeyedNodes<Nested>(encoder: ValueEncoder(encoder.session, in: encoder, at: key), object: nested))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let nested = builder.array()
    set(nested, key)
    return ListedNodes(encoder: ValueEncoder(encoder.session, in: encoder, at: key), array: nested)
  }

  func superEncoder() -> any Encoder { inner(NameKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { inner(key) }

  private func inner(_ key: some CodingKey) -> ValueEncoder {
    ValueEncoder(encoder.session, in: encoder, at: key) { [encoder, object] node in
      encoder.builder.set(node, for: key.stringValue, in: object)
    }
  }

  // A generic one would leave these requirements to their defaults, which write no null.

  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try putIfPresent(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try putIfPresent(value, key) }
}
