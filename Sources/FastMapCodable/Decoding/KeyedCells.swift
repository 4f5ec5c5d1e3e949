/// The members of an object.
struct KeyedCells<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { decoder.memberNames.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { decoder.member(key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { decoder.member(key.stringValue)?.isNull ?? true }

  private func cell(_ key: Key) throws -> Cell {
    guard let cell = decoder.member(key.stringValue) else { throw decoder.missing(key) }
    return cell
  }

  /// The value of a member; nil for none, and for null.
  private func some(_ key: Key) -> Cell? {
    guard let cell = decoder.member(key.stringValue), !cell.isNull else { return nil }
    return cell
  }

  @inline(__always)
  private func valueIfPresent<T: CellValue>(_ type: T.Type, _ key: Key) throws -> T? {
    if let value = decoder.value(type, key.stringValue) { return value }
    return try some(key).map { try decoder.decode(type, $0, at: key) }
  }

  @inline(__always)
  private func value<T: CellValue>(_ type: T.Type, _ key: Key) throws -> T {
    if let value = decoder.value(type, key.stringValue) { return value }
    return try decoder.decode(type, try cell(key), at: key)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder.decode(type, try cell(key), at: key)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let cell = some(key) else { return nil }
    // A store does not tell an empty list from none.
    if decoder.isEmptyList(cell) { return nil }
    return try decoder.decode(type, cell, at: key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try child(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try child(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder.child(named: NameKey(stringValue: "super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }

  private func child(_ key: Key) throws -> ValueDecoder { try decoder.child(named: key) }

  // The requirements for each type that a cell holds. A generic one would not be specialised for its type, and the ones of optionals
  // would have their defaults, which look a member up three times.

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(type, key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try valueIfPresent(type, key)
  }
}

extension ValueDecoder {
  /// The decoder of a member, which decodes null if it is missing. JSON of an attribute is parsed.
  func child(named key: some CodingKey) throws -> ValueDecoder {
    guard let cell = member(key.stringValue) else {
      return ValueDecoder(session, .node(.null), in: self, at: key)
    }
    guard let text = cell.json else { return ValueDecoder(session, cell, in: self, at: key) }
    let document = try JSONDocument(parsing: text, keepsReals: true)
    return ValueDecoder(DecodingSession(document, in: session), .node(document.root), in: self, at: key)
  }
}
