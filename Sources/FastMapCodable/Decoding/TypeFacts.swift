/// How values of a type are decoded and encoded.
enum TypeFacts {
  /// A number, a string or a Boolean.
  case cell(any CellValue.Type)
  /// An ``AttributeValue`` has a form of its own in JSON and in stores.
  case attribute(any AttributeValue.Type)
  /// Elements without an order.
  case unordered
  /// An array, which is decoded without its `init(from:)`.
  case list(any ListType.Type)
  /// The type decodes itself.
  case itself

  init(_ type: Any.Type) {
    if let type = type as? any CellValue.Type {
      self = .cell(type)
    } else if type is any UnorderedValues.Type {
      self = .unordered
    } else if let type = type as? any ListType.Type {
      self = .list(type)
    } else if !(type is any CollectedValues.Type), let type = type as? any AttributeValue.Type {
      self = .attribute(type)
    } else {
      self = .itself
    }
  }
}

/// The facts about the types of one call. A conditional cast takes longer than to decode a value.
struct KnownTypes {
  private var facts: [(type: ObjectIdentifier, facts: TypeFacts)] = []

  mutating func facts(of type: Any.Type) -> TypeFacts {
    let name = ObjectIdentifier(type)
    for known in facts where known.type == name { return known.facts }
    let new = TypeFacts(type)
    facts.append((name, new))
    return new
  }
}

/// A list or an optional: its elements have forms, and it has none of its own.
protocol CollectedValues {
  static var element: any Decodable.Type { get }
  /// A value without elements.
  static var empty: Self { get }
  static var isOptional: Bool { get }
}

extension CollectedValues {
  static var isOptional: Bool { false }
}

extension Array: CollectedValues where Element: Decodable {
  static var element: any Decodable.Type { Element.self }
  static var empty: Self { [] }
}

extension ContiguousArray: CollectedValues where Element: Decodable {
  static var element: any Decodable.Type { Element.self }
  static var empty: Self { [] }
}

extension Set: CollectedValues where Element: Decodable {
  static var element: any Decodable.Type { Element.self }
  static var empty: Self { [] }
}

extension Optional: CollectedValues where Wrapped: Decodable {
  static var element: any Decodable.Type { Wrapped.self }
  static var empty: Self { nil }
  static var isOptional: Bool { true }
}

/// An array.
protocol ListType: Decodable {
  /// - Parameter list: The decoder of the array. It is made where an element needs it.
  static func decoded(_ values: ListedValues, _ list: () throws -> ValueDecoder) throws -> Self
}

extension Array: ListType where Element: Decodable {
  static func decoded(_ values: ListedValues, _ list: () throws -> ValueDecoder) throws -> [Element] {
    let count = values.count
    if count == 0 { return [] }
    let list = try list()
    let facts = list.session.facts(of: Element.self)
    if case .cell(let known) = facts {
      func cells<V: CellValue>(_ type: V.Type) throws -> [Element] {
        unsafeBitCast(try V.list(values, in: list), to: [Element].self)
      }
      return try cells(known)
    }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    if case .itself = facts {
      var element = list.element(0, values[0])
      for index in 0..<count {
        // A type may keep its decoder.
        if index > 0 {
          if isKnownUniquelyReferenced(&element) {
            element.move(to: index, values[index])
          } else {
            element = list.element(index, values[index])
          }
        }
        elements.append(try element.decodeItself(Element.self))
      }
      return elements
    }
    for index in 0..<count {
      elements.append(try list.decode(Element.self, values[index], at: ElementKey(index)))
    }
    return elements
  }
}

/// A collection whose order differs between processes.
protocol UnorderedValues {}

extension Set: UnorderedValues {}
extension Dictionary: UnorderedValues {}
