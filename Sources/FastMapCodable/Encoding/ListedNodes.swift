/// The elements of an array that is written.
struct ListedNodes: UnkeyedEncodingContainer {
  let encoder: ValueEncoder
  let array: JSONNode

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { array.elements?.count ?? 0 }
  private var builder: TreeBuilder { encoder.builder }
  private var step: ElementKey { ElementKey(count) }

  func encodeNil() { builder.append(builder.null(), to: array) }

  // The requirement of each type with a node of its own.
  func encode<T: CellValue>(_ value: T) throws { builder.append(try value.node(encoder, step), to: array) }

  func encode<T: Encodable>(_ value: T) throws {
    builder.append(try encoder.node(of: value, at: step), to: array)
  }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let inner = ValueEncoder(encoder.session, in: encoder, at: step)
    let nested = builder.object()
    builder.append(nested, to: array)
    return KeyedEncodingContainer(KeyedNodes<Key>(encoder: inner, object: nested))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let inner = ValueEncoder(encoder.session, in: encoder, at: step)
    let nested = builder.array()
    builder.append(nested, to: array)
    return ListedNodes(encoder: inner, array: nested)
  }

  func superEncoder() -> any Encoder {
    ValueEncoder(encoder.session, in: encoder, at: step) { [encoder, array] node in
      encoder.builder.append(node, to: array)
    }
  }
}

extension ValueEncoder: SingleValueEncodingContainer {
  func encodeNil() { set(builder.null()) }

  func encode<T: Encodable>(_ value: T) throws { set(try node(of: value, at: nil)) }

  // The requirement of each type with a node of its own.
  func encode<T: CellValue>(_ value: T) throws { set(try value.node(self, nil)) }
}
