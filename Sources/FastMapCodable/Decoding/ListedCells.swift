/// The elements of an array, or the targets of a relationship.
struct ListedCells: UnkeyedDecodingContainer {
  private let decoder: ValueDecoder
  private let values: ListedValues
  private(set) var currentIndex = 0

  init(_ values: ListedValues, of decoder: ValueDecoder) {
    (self.decoder, self.values) = (decoder, values)
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex == values.count }

  private func cell(_ type: Any.Type) throws -> Cell {
    guard currentIndex < values.count else {
      throw DecodingError.valueNotFound(
        type,
        .init(
          codingPath: codingPath + [ElementKey(currentIndex)],
          debugDescription: "expected \(type), found the end of the array"))
    }
    return decoder.isEnded ? .node(.null) : values[currentIndex]
  }

  mutating func decodeNil() throws -> Bool {
    guard try cell(Never.self).isNull else { return false }
    currentIndex += 1
    return true
  }

  // The requirement of each type that a cell holds.
  mutating func decode<T: CellValue>(_ type: T.Type) throws -> T {
    let value = try decoder.decode(type, try cell(type), at: ElementKey(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try decoder.decode(type, try cell(type), at: ElementKey(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key>
  {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }
  mutating func superDecoder() throws -> any Decoder { try next() }

  private mutating func next() throws -> ValueDecoder {
    let element = ValueDecoder(
      decoder.session, try cell((any Decoder).self), in: decoder, at: ElementKey(currentIndex))
    currentIndex += 1
    return element
  }
}

extension ValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { cell.isNull }

  // The requirement of each type that a cell holds.
  func decode<T: CellValue>(_ type: T.Type) throws -> T { try decode(type, cell, at: nil) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decode(type, cell, at: nil) }
}
