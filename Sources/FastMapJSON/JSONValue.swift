internal import CFastMap
internal import CFastMapJansson

/// A JSON value, lent to a transform during its call.
///
///     Transform<Point>(reading: { value in
///       guard let pair = value.elements, pair.count == 2 else {
///         throw TransformError("expected two numbers")
///       }
///       return .value(Point(pair[0].number ?? 0, pair[1].number ?? 0))
///     })
public struct JSONValue {
  package let node: JSONNode
  /// The large integers of the value's tree.
  package let bigIntegers: BigIntegers?

  package init(_ node: JSONNode, _ bigIntegers: BigIntegers?) {
    self.node = node
    self.bigIntegers = bigIntegers
  }

  /// The kind of a JSON value.
  ///
  ///     guard value.kind == .array else { throw TransformError("expected an array") }
  package enum Kind: Sendable {
    case null, boolean, integer, number, string, array, object
  }

  /// The kind of this value.
  package var kind: Kind {
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

  /// Any number. Nil for a fraction or an exponent that a `Double` cannot hold, which only `json` attributes take.
  public var number: Double? {
    guard kind == .number || kind == .integer else { return nil }
    let number = json_number_value(node.pointer)
    return abs(number) == .greatestFiniteMagnitude && isRealBeyondDouble ? nil : number
  }

  public var string: String? { node.string }

  /// The elements of an array.
  public var elements: [JSONValue]? { node.elements?.map { JSONValue($0, bigIntegers) } }

  /// The members of an object, in order.
  public var members: [(name: String, value: JSONValue)]? {
    node.members?.map { (String(decoding: $0.name, as: UTF8.self), JSONValue($0.value, bigIntegers)) }
  }

  /// A member of an object.
  public subscript(name: String) -> JSONValue? {
    node.isObject ? node[name].map { JSONValue($0, bigIntegers) } : nil
  }

  /// The compact JSON text. Integers keep all their digits. Other numbers are doubles, in the shortest form that
  /// reads back the same.
  public var text: String {
    var writer = JSONWriter()
    writer.append(node, bigIntegers)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONValue {
  /// The digits of an integer beyond 64 bits, as in the text. The tree has only the nearest double.
  package var digits: UnsafeBufferPointer<UInt8>? { bigIntegers?.digits(of: node) }

  /// The compact JSON text. Numbers are written as the text had them, where that was kept.
  package var keptText: String {
    var writer = JSONWriter()
    writer.append(node, bigIntegers, keepsReals: true)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// A number as a decimal with its shortest text.
  package var decimal: DecimalNumber? { number.flatMap { DecimalNumber($0) } }

  /// The text of a number that the tree has only as the nearest double; nil where it was not kept.
  private var numberText: UnsafeBufferPointer<UInt8>? { bigIntegers?.text(of: node) }

  private var isRealBeyondDouble: Bool {
    guard digits == nil, let numberText else { return false }
    return Double(String(decoding: numberText, as: UTF8.self))?.isInfinite ?? false
  }

  /// The value as error messages show it: a short value as it is, any other as its kind.
  package var found: String {
    guard let numberText else { return node.found }
    let limit = 40
    return "the number " + String(decoding: numberText.prefix(limit), as: UTF8.self)
      + (numberText.count > limit ? "…" : "")
  }
}
