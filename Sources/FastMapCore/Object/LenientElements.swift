// The elements of a lenient array or set of values: `["1", 2.0]` is `[1, 2]` where integers are wanted.

extension AttributeValue {
  /// Writes an array with each element as the element's type has it. An element that cannot be one is written as it is, and
  /// found by the check that follows. Nil for a type that holds one value.
  static var lenientElements: (@Sendable (JSONValue, inout JSONWriter) -> Void)? {
    guard let collection else { return nil }
    return { value, writer in collection.writeLeniently(value, to: &writer) }
  }

  fileprivate static func writeLeniently(element value: JSONValue, to writer: inout JSONWriter) {
    if let collection { return collection.writeLeniently(value, to: &writer) }
    let hasType = refusal(of: value) == nil && value.withField(of: Unwrapped.self) { Unwrapped($0) != nil }
    if value.isNull || hasType { return writer.append(value.node, value.bigIntegers) }
    if value.string == "", reading != nil || attributeType.kind != .string { return writer.null() }
    if reading != nil { return writer.append(value.node, value.bigIntegers) }
    attributeType.writeConverted(value, takesUnsigned: takesUnsigned, to: &writer)
  }
}

extension ValueCollection {
  fileprivate static func writeLeniently(_ value: JSONValue, to writer: inout JSONWriter) {
    guard let elements = value.elements else { return writer.append(value.node, value.bigIntegers) }
    writer.beginArray()
    for element in elements { ElementValue.writeLeniently(element: element, to: &writer) }
    writer.endArray()
  }
}
