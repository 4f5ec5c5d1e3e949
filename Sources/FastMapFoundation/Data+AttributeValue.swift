public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Bytes, represented in JSON as a base64 string.
///
///     Attribute("photo", \.photo)     // "AP8="
///
/// For any other representation, use a transform. Here the bytes are the UTF-8 of the string:
///
///     let utf8 = Transform<Data>(
///       reading: { value in
///         guard let text = value.string else { throw TransformError("expected a string") }
///         return .value(Data(text.utf8))
///       },
///       writing: { .string(String(decoding: $0, as: UTF8.self)) })
///
///     Attribute("signature", \.signature, transform: utf8)
extension Data: AttributeValue {
  public static var attributeType: AttributeType { .data }

  public init?(_ field: Field) {
    guard let bytes = field.bytes else { return nil }
    self.init(bytes)
  }

  public func write(to field: inout FieldWriter) { withUnsafeBytes { field.set(data: $0) } }
}
