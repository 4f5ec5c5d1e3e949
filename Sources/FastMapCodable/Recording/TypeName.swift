/// The name of an entity, from the name of its type: `Order.Item` for a type in `Order`.
enum TypeName {
  /// The name without its module; nil for a generic type, whose name has its arguments.
  static func of(_ type: Any.Type) -> String? {
    let name = String(reflecting: type)
    if name.contains("<") { return nil }
    // A local or private type has an address in its name.
    return name.split(separator: ".").dropFirst().filter { !$0.hasPrefix("(") }.joined(separator: ".")
  }
}

/// The name of an enum's case; nil for other values, and without reflection metadata.
// The standard library prints enums with it. A coding key prints its string instead.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<T>(_ value: T) -> UnsafePointer<CChar>?

extension CodingKey {
  /// The name of the property that the compiler has made the key for.
  var propertyName: String { enumCaseName(self).map { String(cString: $0) } ?? stringValue }
}
