/// A value that a property's type cannot hold, or such a value inside another one of the right kind.
///
///     tags: [String]      ["a", "b", 3]      steps [2], expected "a string", value 3
package struct TypeMismatch {
  package var steps: [JSONPath.Step] = []
  package let expected: String
  package let value: JSONValue

  package init(steps: [JSONPath.Step] = [], expected: String, value: JSONValue) {
    (self.steps, self.expected, self.value) = (steps, expected, value)
  }
}

extension AttributeValue {
  /// Checks a JSON value of the right kind, and the values inside it.
  package static func misfit(in value: JSONValue) -> TypeMismatch? {
    if let collection { return collection.misfit(amongElementsOf: value) }
    return expectation?(value).map { TypeMismatch(expected: $0, value: value) }
  }

  /// Checks an element of any kind.
  fileprivate static func misfit(inElement value: JSONValue) -> TypeMismatch? {
    if value.isNull, isOptional { return nil }
    if let collection { return collection.misfit(amongElementsOf: value) }
    if let expected = refusal(of: value) { return TypeMismatch(expected: expected, value: value) }
    guard value.withField(of: Unwrapped.self, { Unwrapped($0) != nil }) else {
      return TypeMismatch(expected: expectation?(value) ?? noun(for: value), value: value)
    }
    return misfit(in: value)
  }

  /// The type if it holds several values; nil for any other, and for bytes, which are one value.
  static var collection: (any ValueCollection.Type)? {
    attributeType == .json ? Unwrapped.self as? any ValueCollection.Type : nil
  }

  private static func noun(for value: JSONValue) -> String {
    var attribute = AttributeDefinition("element", attributeType)
    attribute.rules.range = integerRange
    attribute.rules.takesUnsigned = takesUnsigned
    return attribute.expectation(for: value)
  }
}

extension ValueCollection {
  fileprivate static func misfit(amongElementsOf value: JSONValue) -> TypeMismatch? {
    guard let elements = value.elements else { return TypeMismatch(expected: "an array", value: value) }
    for (index, element) in elements.enumerated() {
      guard var misfit = ElementValue.misfit(inElement: element) else { continue }
      misfit.steps.insert(.index(index), at: 0)
      return misfit
    }
    return nil
  }
}

extension ValueCollection {
  /// Whether its elements, at any depth, are decimals.
  static var hasDecimals: Bool {
    ElementValue.attributeType == .decimal || ElementValue.collection?.hasDecimals ?? false
  }
}
