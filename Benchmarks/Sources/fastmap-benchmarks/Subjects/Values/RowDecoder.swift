/// Decodes the present row of a statement. The names of the columns are looked up in a table made once.
struct RowDecoder: Decoder {
  let statement: SQLiteStatement
  let columns: [String: CInt]

  init(_ statement: SQLiteStatement) {
    self.statement = statement
    columns = Dictionary(uniqueKeysWithValues: statement.columnNames.enumerated().map { ($1, CInt($0)) })
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(row: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unsupported() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unsupported() }

  struct Unsupported: Error {}
}

/// The columns of a row.
private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowDecoder

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { row.columns.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { row.columns[key.stringValue] != nil }

  private func column(_ key: Key) throws -> CInt {
    guard let column = row.columns[key.stringValue] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "no such column"))
    }
    return column
  }

  /// The column of a value; nil for null.
  private func some(_ key: Key) throws -> CInt? {
    guard let column = row.columns[key.stringValue], !row.statement.isNull(column) else { return nil }
    return column
  }

  func decodeNil(forKey key: Key) throws -> Bool { try some(key) == nil }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    row.statement.integer(try column(key)) != 0
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    Int(row.statement.integer(try column(key)))
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    row.statement.number(try column(key))
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { row.statement.text(try column(key)) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try some(key).map { row.statement.text($0) }
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw RowDecoder.Unsupported() }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw RowDecoder.Unsupported() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw RowDecoder.Unsupported()
  }
  func superDecoder() throws -> any Decoder { throw RowDecoder.Unsupported() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw RowDecoder.Unsupported() }
}
