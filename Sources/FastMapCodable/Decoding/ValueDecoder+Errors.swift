extension ValueDecoder {
  /// The error of a member without a value.
  func missing(_ key: some CodingKey) -> DecodingError {
    let owner = if case .object(let object) = cell { object.name } else { "the object" }
    return .keyNotFound(
      key,
      .init(codingPath: codingPath, debugDescription: "\(owner) has no value for \(quoted(key.stringValue))"))
  }

  /// The error of a value of another type.
  func mismatch(_ type: Any.Type, _ cell: Cell, _ step: (any CodingKey)?) -> DecodingError {
    var path = codingPath
    if let step { path.append(step) }
    let found = found(cell)
    if cell.isNull {
      return .valueNotFound(type, .init(codingPath: path, debugDescription: "expected \(type), found null"))
    }
    let context = DecodingError.Context(
      codingPath: path, debugDescription: "expected \(type), found \(found)")
    let isNumber = Double(cell, session) != nil
    if type is any Numeric.Type, isNumber { return .dataCorrupted(context) }
    return type is any AttributeValue.Type && !(type is any CellValue.Type)
      ? .dataCorrupted(context) : .typeMismatch(type, context)
  }

  private func found(_ cell: Cell) -> String {
    switch cell {
    case .node(let node): JSONValue(node, session.bigIntegers).found
    case .slot(let slot): Field(slot).value?.found ?? "no value"
    case .object: "an object"
    case .targets: "objects"
    }
  }
}

/// The place of an element.
struct ElementKey: CodingKey {
  let index: Int

  init(_ index: Int) { self.index = index }
  init?(intValue: Int) { index = intValue }
  init?(stringValue: String) { return nil }

  var intValue: Int? { index }
  var stringValue: String { "Index \(index)" }
}

/// A member whose name is not one of a type.
struct NameKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { return nil }
}
