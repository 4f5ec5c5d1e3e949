public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Bytes, which JSON has as base64 in a string.
///
///     Attribute("photo", \.photo)     // "AP8="
///
/// Where JSON has them in another form, a transform reads that: here the bytes are those of the text itself.
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

  public init?(_ field: FieldValue) {
    guard let bytes = field.bytes else { return nil }
    self.init(bytes)
  }

  public func write(to field: inout FieldWriter) { withUnsafeBytes { field.set(data: $0) } }
}
