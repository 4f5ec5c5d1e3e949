public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// URLs, which JSON has as strings.
///
///     Attribute("homepage", \.homepage)     // "https://example.org/ada"
///
/// Absolute or relative, as `URL(string:)` reads them. In an absolute one, what a URL cannot have is
/// percent-encoded: `https://example.org/Zürich` becomes `https://example.org/Z%C3%BCrich`. Any other string
/// that has such characters is an error, and so is the empty string. `absoluteString` is what a store keeps and
/// what is written.
extension URL: AttributeValue {
  public static var attributeType: AttributeType { .string }

  public static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
    { value, field in
      guard let text = value.string else { return "a string" }
      guard let url = URL(mapped: text) else { return "a URL" }
      url.write(to: &field)
      return nil
    }
  }

  public init?(_ field: FieldValue) {
    guard let text = field.string, let url = URL(mapped: text) else { return nil }
    self = url
  }

  public func write(to field: inout FieldWriter) { field.set(string: absoluteString) }

  private init?(mapped text: String) {
    guard let url = URL(string: text), url.scheme != nil || url.absoluteString == text else { return nil }
    self = url
  }
}
