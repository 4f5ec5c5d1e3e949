public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// UUIDs, represented in JSON as strings of hexadecimal digits, in either case.
///
///     final class Device { var id = UUID(); var name: String? }
///
///     extension Device {
///       static let mapping = Mapping(Device.self, "Device", primaryKey: "id", make: { Device() }) {
///         Attribute("id", \.id)
///         Attribute("name", \.name)
///       }
///     }
///
/// A store keeps `uuidString` in upper case. So as a primary key, `"e621e1f8-…"` and `"E621E1F8-…"` are the same
/// object. In a record the attribute is a string, so two spellings are two keys.
extension UUID: AttributeValue {
  public static var attributeType: AttributeType { .string }

  public static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
    { value, field in
      guard let text = value.string else { return "a string" }
      guard let uuid = UUID(mapped: text) else { return "a UUID" }
      uuid.write(to: &field)
      return nil
    }
  }

  public init?(_ field: Field) {
    guard let text = field.string, let uuid = UUID(mapped: text) else { return nil }
    self = uuid
  }

  public func write(to field: inout FieldWriter) { field.set(string: uuidString) }

  /// `UUID(uuidString:)` also accepts text after the UUID.
  private init?(mapped text: String) {
    guard let uuid = UUID(uuidString: text), uuid.uuidString == text.uppercased() else { return nil }
    self = uuid
  }
}

/// A UUID as a primary key is its text in upper case.
///
///     let device = try store.read { try $0.object(Device.mapping, key: id) }
extension UUID: PrimaryKeyConvertible {
  public var primaryKey: PrimaryKey { .string(uuidString) }
}
