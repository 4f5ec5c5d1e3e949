/// One value of an object.
///
///     Attribute("city", .string, at: "address.city")
public struct Attribute: Sendable {
  /// Its name in the store, in records and in messages.
  public let name: String
  public let type: AttributeType

  /// Where it stands in the object's representation; nil is the representation itself.
  public let keyPath: JSONKeyPath?

  /// Makes an attribute whose key path is its name.
  public init(_ name: String, _ type: AttributeType) {
    self.init(name, type, at: JSONKeyPath(components: [name]))
  }

  /// Makes an attribute.
  ///
  /// - Parameter keyPath: Where it stands; nil is the representation itself.
  public init(_ name: String, _ type: AttributeType, at keyPath: JSONKeyPath?) {
    self.name = name
    self.type = type
    self.keyPath = keyPath
  }
}
