public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// URLs, represented in JSON as strings.
///
///     Attribute("homepage", \.homepage)     // "https://example.org/ada"
///
/// Absolute and relative URLs are parsed by `URL(string:)`. In an absolute URL, invalid characters are
/// percent-encoded: `https://example.org/Zürich` becomes `https://example.org/Z%C3%BCrich`. In any other string they
/// are an error. The empty string is an error, too. Stores and JSON output contain `absoluteString`.
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

  public init?(_ field: Field) {
    guard let text = field.string, let url = URL(mapped: text) else { return nil }
    self = url
  }

  public func write(to field: inout FieldWriter) { field.set(string: absoluteString) }

  private init?(mapped text: String) {
    guard let url = URL(string: text), url.scheme != nil || url.absoluteString == text else { return nil }
    self = url
  }
}
