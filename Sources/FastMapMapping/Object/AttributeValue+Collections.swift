/// A property type with several values of another type.
protocol ValueCollection: AttributeValue {
  associatedtype ElementValue: AttributeValue
}

// Arrays and sets of values are stored as JSON text, like `json` attributes. `[UInt8]` is data.
extension Array: AttributeValue where Element: AttributeValue {
  public static var attributeType: AttributeType { Element.self == UInt8.self ? .data : .json }

  public static var expectation: (@Sendable (JSONValue) -> String?)? {
    Element.self == UInt8.self ? nil : ElementReader<Element>.expectation
  }
  public static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
    ElementReader<Element>.reading(asSet: false)
  }

  public init?(_ field: Field) {
    if Element.self == UInt8.self {
      guard let bytes = field.bytes else { return nil }
      self = unsafeBitCast([UInt8](bytes), to: [Element].self)
    } else {
      guard let elements = ElementReader<Element>.read(field) else { return nil }
      self = elements
    }
  }

  public func write(to field: inout FieldWriter) {
    // A cast would not work, because any empty array can be cast to bytes.
    if Element.self == UInt8.self {
      withUnsafeBytes { field.set(data: $0) }
    } else {
      ElementReader<Element>.write(self, to: &field)
    }
  }
}

extension Set: AttributeValue where Element: AttributeValue {
  public static var attributeType: AttributeType { .json }
  public static var expectation: (@Sendable (JSONValue) -> String?)? { ElementReader<Element>.expectation }
  public static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
    ElementReader<Element>.reading(asSet: true)
  }

  public init?(_ field: Field) {
    guard let elements = ElementReader<Element>.read(field) else { return nil }
    self = Set(elements)
  }

  /// Elements are sorted by their JSON text, so that equal sets are written alike.
  public func write(to field: inout FieldWriter) {
    ElementReader<Element>.write(self, to: &field, asSet: true)
  }
}

extension Array: ValueCollection where Element: AttributeValue { typealias ElementValue = Element }
extension Set: ValueCollection where Element: AttributeValue { typealias ElementValue = Element }

/// Reads and writes the elements of a collection of values.
private enum ElementReader<Element: AttributeValue> {
  /// Every element must be of the element's type.
  static var expectation: @Sendable (JSONValue) -> String? { { [Element].misfit(in: $0)?.expected } }

  /// Elements with several spellings are normalised.
  static func reading(asSet: Bool) -> (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
    if Element.reading == nil { return nil }
    return { value, field in
      guard value.elements != nil else { return "an array" }
      // The check that follows names the element that is none.
      if let elements = read(value) { write(elements, to: &field, asSet: asSet) }
      return nil
    }
  }

  static func read(_ field: Field) -> [Element]? {
    let keepsReals = [Element].hasDecimals
    guard let bytes = field.bytes, let document = try? JSONDocument(parsing: bytes, keepsReals: keepsReals)
    else { return nil }
    return document.withRoot { read(JSONValue($0, document.bigIntegers)) }
  }

  /// - Returns: Nil if it is no array, or if the element's type cannot hold one of its elements.
  private static func read(_ value: JSONValue) -> [Element]? {
    guard let values = value.elements else { return nil }
    var elements: [Element] = []
    elements.reserveCapacity(values.count)
    for value in values {
      let element = value.withField(of: Element.self) { field in
        // A value of another kind is converted to null, which an optional could hold.
        field.isNull && !value.isNull ? nil : Element(field)
      }
      guard let element else { return nil }
      elements.append(element)
    }
    return elements
  }

  static func write(_ elements: some Sequence<Element>, to field: inout FieldWriter, asSet: Bool = false) {
    var texts = elements.map { element in
      var writer = JSONWriter()
      writer.value(element)
      return writer.bytes
    }
    if asSet { texts = Set(texts).sorted { $0.lexicographicallyPrecedes($1) } }
    let text = [UInt8(ascii: "[")] + texts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    text.withUnsafeBytes { field.set(json: $0) }
  }
}
