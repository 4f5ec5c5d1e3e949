internal import CFastMap
internal import CJansson

/// A JSON value, lent to a transform for the length of its call.
///
///     Transform<Point>(reading: { value in
///       guard let pair = value.elements, pair.count == 2 else {
///         throw TransformError("expected two numbers")
///       }
///       return .value(Point(pair[0].number ?? 0, pair[1].number ?? 0))
///     })
public struct JSONValue {
  let node: JSONNode

  init(_ node: JSONNode) { self.node = node }

  /// What kind of value it is.
  public enum Kind: Sendable {
    case null, boolean, integer, number, string, array, object
  }

  /// What kind of value this one is.
  public var kind: Kind {
    switch node.kind {
    case JSON_OBJECT: .object
    case JSON_ARRAY: .array
    case JSON_STRING: .string
    case JSON_INTEGER: .integer
    case JSON_REAL: .number
    case JSON_TRUE, JSON_FALSE: .boolean
    default: .null
    }
  }

  public var isNull: Bool { node.isNull }
  public var boolean: Bool? { node.boolean }

  /// A number written without fraction and exponent.
  public var integer: Int64? { node.integer }

  /// Any number.
  public var number: Double? {
    kind == .number || kind == .integer ? json_number_value(node.pointer) : nil
  }

  public var string: String? { node.string }

  /// The elements of an array.
  public var elements: [JSONValue]? { node.elements?.map { JSONValue($0) } }

  /// The members of an object in their order.
  public var members: [(name: String, value: JSONValue)]? {
    node.members?.map { (String(decoding: $0.name, as: UTF8.self), JSONValue($0.value)) }
  }

  /// A member of an object.
  public subscript(name: String) -> JSONValue? { node.isObject ? node[name].map { JSONValue($0) } : nil }

  /// The compact JSON text.
  public var text: String {
    var writer = JSONWriter()
    writer.append(node)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONValue {
  /// What an element of this type expected, where the value is not one.
  func misfit<V: AttributeValue>(for type: V.Type) -> String? {
    if isNull { return V.isOptional ? nil : V.attributeType.expectation }
    guard withField(V.attributeType, { V($0) != nil }) else {
      return V.expectation?(self) ?? V.attributeType.expectation
    }
    return V.expectation?(self)
  }

  /// Lends the value as a field of a type; null where it is not of that type.
  func withField<R>(_ type: AttributeType, _ body: (FieldValue) -> R) -> R {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    type.convert(node, to: &slot, &arena)
    return body(FieldValue(&slot))
  }
}
