/// Reads values of `Decodable` types from JSON.
///
///     struct Point: Codable { var x: Int, y: Int }
///
///     let points = try FastMapDecoder().decode([Point].self, from: #"[{"x": 1, "y": 2}]"#)
///
/// Values are read from the parsed tree of a ``JSONDocument``, or of a text. A type that is an ``AttributeValue`` is read as in a
/// mapping, any other as its `init(from:)` does. So with the module `FastMapFoundation`, dates are ISO 8601, and bytes base64.
///
/// Errors are as of `JSONDecoder`. Of two members with one name the last counts, and there are no strategies for names and dates.
public struct FastMapDecoder: Sendable {
  private let userInfo: [CodingUserInfoKey: any Sendable]

  /// Makes a decoder.
  ///
  /// - Parameter userInfo: For the `init(from:)` of types.
  public init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) { self.userInfo = userInfo }

  /// Reads one value.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - json: The text or document, borrowed for the call.
  /// - Throws: `DecodingError` with the coding path, ``JSONSyntaxError``, or errors of the type.
  /// - Complexity: O(*n*) in the values of the text.
  public func decode<T: Decodable>(_ type: T.Type, from json: some JSONSource & ~Escapable) throws -> T {
    if let value = try json.withParsedJSON({ try decode(type, from: $0) }) { return value }
    return try json.withJSON { bytes in
      let document = try JSONDocument(parsing: bytes, keepsReals: true)
      return try document.withRoot { try decode(type, from: JSONValue($0, document.bigIntegers)) }
    }
  }

  func value(of type: any Decodable.Type, from value: JSONValue) throws -> Any {
    try decode(type, from: value)
  }

  func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T {
    let session = DecodingSession(value.bigIntegers, userInfo)
    defer { session.endValue() }
    return try ValueDecoder(session, .node(value.node)).decodeItself(type)
  }
}
