internal import CFastMap

/// Values without meaning, for types that want one while they are recorded.
enum Dummy {
  /// A value of a type with a form of its own; nil if it takes none of those that are tried.
  static func value<V: AttributeValue>(_ type: V.Type) -> V? {
    let texts: [StaticString]
    switch type.attributeType.kind {
    case .boolean: return V(.boolean(false))
    case .integer: return V(.integer(0)) ?? V(.integer(1))
    case .number: return V(.number(0))
    case .date: return V(.date(Timestamp(seconds: 0, nanoseconds: 0)))
    case .decimal: texts = ["0"]
    case .string: texts = ["", "a", "0", "00000000-0000-0000-0000-000000000000"]
    case .data: texts = [""]
    case .json: texts = ["null", "[]", "{}", "\"\"", "0"]
    }
    for text in texts {
      let bytes = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      if let value = V(.bytes(bytes, as: type.attributeType.kind)) { return value }
    }
    return nil
  }

  /// The first case of an enum, or zeros for a type of plain bits; nil for any other type.
  static func plain<T>(_ type: T.Type) -> T? {
    if let cases = type as? any CaseIterable.Type, let first = first(of: cases) as? T { return first }
    guard _isPOD(type), MemoryLayout<T>.size > 0 else { return nil }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { memory in
      UnsafeMutableRawBufferPointer(memory).initializeMemory(as: UInt8.self, repeating: 0)
      return UnsafeRawBufferPointer(memory).load(as: T.self)
    }
  }

  private static func first<C: CaseIterable>(of type: C.Type) -> Any? { type.allCases.first }

  static func dictionary<D: ExpressibleByDictionaryLiteral>(_ type: D.Type) -> Any { D() }
}
