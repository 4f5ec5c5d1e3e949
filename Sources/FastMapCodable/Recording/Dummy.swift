/// Values without meaning, for types that want one while they are recorded.
enum Dummy {
  private static let numbers: [Int64] = [0, 1, 2, 10, 100, 2000]
  private static let texts = ["", "a", "0", "a@example.org", "https://example.org/a", uuid]
  private static let uuid = "00000000-0000-0000-0000-000000000000"

  /// The number of values that are tried.
  static var attempts: Int { numbers.count }

  /// A value of a type of the standard library; nil for integers beyond 64 bits.
  static func value(of type: any CellValue.Type, _ attempt: Int) -> Any? {
    (type as? any AttributeValue.Type).flatMap { value($0, attempt) }
  }

  /// A value of a type with a form of its own; nil if it takes none of them.
  static func value<V: AttributeValue>(_ type: V.Type) -> V? {
    (0..<attempts).lazy.compactMap { value(type, $0) }.first
  }

  private static func value<V: AttributeValue>(_ type: V.Type, _ attempt: Int) -> V? {
    let number = numbers[attempt]
    var text = texts[attempt]
    switch type.attributeType.kind {
    case .boolean: return V(.boolean(attempt % 2 == 1))
    case .integer: return V(.integer(number))
    case .number: return V(.number(Double(number)))
    case .date: return V(.date(Timestamp(seconds: number, nanoseconds: 0)))
    case .decimal: text = "\(number)"
    case .json: text = ["null", "[]", "{}", "\"\"", "0", "true"][attempt]
    case .string, .data: break
    }
    return text.withUTF8 { V(.bytes(UnsafeRawBufferPointer($0), as: type.attributeType.kind)) }
  }

  /// The first case of an enum, or zeros for a type of plain bits; nil for any other type.
  static func plain<T>(_ type: T.Type) -> T? {
    if let cases = type as? any CaseIterable.Type, let first = first(of: cases) as? T { return first }
    // A type without bits has one value, or none. An enum without cases has no raw values.
    guard _isPOD(type), MemoryLayout<T>.size > 0 || type is any RawRepresentable.Type else { return nil }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { memory in
      UnsafeMutableRawBufferPointer(memory).initializeMemory(as: UInt8.self, repeating: 0)
      return UnsafeRawBufferPointer(memory).load(as: T.self)
    }
  }

  private static func first<C: CaseIterable>(of type: C.Type) -> Any? { type.allCases.first }

  static func dictionary<D: ExpressibleByDictionaryLiteral>(_ type: D.Type) -> Any { D() }
}
