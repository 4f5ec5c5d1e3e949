/// Writes values of `Encodable` types as JSON.
///
///     struct Point: Codable { var x: Int, y: Int }
///
///     let document = try FastMapEncoder().encode([Point(x: 1, y: 2)])
///     print(document.withJSON { String(decoding: $0, as: UTF8.self) })     // [{"x":1,"y":2}]
///
/// The tree is made without a text. It is the form that a ``FastMapDecoder`` reads. Sets, and dictionaries by name, are written in
/// ascending order.
public struct FastMapEncoder: Sendable {
  private let userInfo: [CodingUserInfoKey: any Sendable]
  /// Whether an optional without a value is null, and not a missing member.
  private let writesNulls: Bool

  /// Makes an encoder.
  ///
  /// - Parameter userInfo: For the `encode(to:)` of types.
  public init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    (self.userInfo, writesNulls) = (userInfo, false)
  }

  init(writesNulls: Bool) { (userInfo, self.writesNulls) = ([:], writesNulls) }

  /// Writes one value.
  ///
  /// - Throws: `EncodingError` with the coding path, for a number that is infinite or NaN, and errors of the type.
  /// - Complexity: O(*n*) in the values inside.
  public func encode(_ value: some Encodable) throws -> JSONDocument {
    let session = EncodingSession(userInfo, writesNulls: writesNulls)
    let root = ValueEncoder(session)
    return session.builder.document(try root.node(of: value, at: nil))
  }
}
