// The elements of an array or a set of values, as their type has them: `["1.50"]` is `[1.50]` where decimals are wanted, and
// `["1", 2.0]` is `[1, 2]` where a lenient attribute wants integers.

extension AttributeValue {
  /// Writes an array with each element as the element's type has it. An element that cannot be one is written as it is, and
  /// found by the check that follows. Nil for a type that holds one value.
  static var writeElements: (@Sendable (JSONValue, _ isLenient: Bool, inout JSONWriter) -> Void)? {
    guard let collection else { return nil }
    return { collection.writeElements(of: $0, isLenient: $1, to: &$2) }
  }

  fileprivate static func write(element value: JSONValue, isLenient: Bool, to writer: inout JSONWriter) {
    if let collection { return collection.writeElements(of: value, isLenient: isLenient, to: &writer) }
    if attributeType == .decimal, !isLenient || value.string != "" { return writer.append(decimal: value) }
    if !isLenient { return writer.append(value.node, value.bigIntegers) }
    let hasType = refusal(of: value) == nil && value.withField(of: Unwrapped.self) { Unwrapped($0) != nil }
    if value.isNull || hasType { return writer.append(value.node, value.bigIntegers) }
    if value.string == "", reading != nil || attributeType.kind != .string { return writer.null() }
    if reading != nil { return writer.append(value.node, value.bigIntegers) }
    attributeType.writeConverted(value, takesUnsigned: takesUnsigned, to: &writer)
  }
}

extension ValueCollection {
  fileprivate static func writeElements(
    of value: JSONValue, isLenient: Bool, to writer: inout JSONWriter
  ) {
    guard let elements = value.elements else { return writer.append(value.node, value.bigIntegers) }
    writer.beginArray()
    for element in elements { ElementValue.write(element: element, isLenient: isLenient, to: &writer) }
    writer.endArray()
  }
}
