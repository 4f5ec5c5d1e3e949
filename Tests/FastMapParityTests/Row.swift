import FastMapCore
import FastMapQueries

/// One value of a type, in each form that it takes.
struct Sample<V: Sendable>: Sendable {
  /// The value in a payload.
  let json: String
  /// Other spellings of the same value.
  var spellings: [String] = []
  let value: V
  /// The value in a record.
  let stored: Value
  /// The value in an export; nil if an export leaves it out.
  let exported: String?
  /// Whether a property with this value stores it. False for a text that a fallback stands for.
  var isWritten = true

  init(_ json: String, _ spellings: String..., is value: V, _ stored: Value) {
    (self.json, self.spellings, self.value, self.stored, exported) = (json, spellings, value, stored, json)
  }

  init(_ json: String, is value: V, _ stored: Value, exported: String?, isWritten: Bool = true) {
    (self.json, self.value, self.stored, self.exported) = (json, value, stored, exported)
    self.isWritten = isWritten
  }
}

/// A class with properties of one type. Its payloads always have `plain`.
final class Item<V: AttributeValue> {
  var id = 0
  var plain: V
  var maybe: V?

  init(_ initial: V) { plain = initial }
}

/// A filter for the values that have an element.
struct Element<V>: Sendable {
  let plain: Filter
  let maybe: Filter
  let isIn: @Sendable (V) -> Bool
}

/// A property shape of the table, with values written by hand.
struct Row<V: AttributeValue & Equatable & Sendable>: Sendable where V.Unwrapped == V {
  typealias Object = Item<V>
  /// Makes the filters `plain < value` and `maybe < value`, and those with `<=`, `>` and `>=`.
  typealias Comparisons = @Sendable (V) -> [[Filter]]

  let name: String
  /// The value in a new instance. A place for rows about defaults.
  let initial: V
  let samples: [Sample<V>]
  /// The type in JSON, if it differs from the type of the property.
  var type: AttributeType?
  var transform: Transform<V>?
  var isLenient = false
  /// For a collection: each element of the values, with its filter and the meaning of the filter.
  var elements: [Element<V>] = []
  /// The order of filters; nil for a type without one.
  var less: (@Sendable (V, V) -> Bool)?
  /// The order of sorted queries, if it has more than that.
  var sortsBefore: (@Sendable (V, V) -> Bool)?
  var comparisons: Comparisons?
  /// JSON that a store keeps under the type's kind, and that a property cannot hold.
  var unreadable: [String] = []

  /// - Parameter initial: By default the first value.
  init(_ name: String, initial: V? = nil, _ samples: Sample<V>...) {
    self.name = name
    self.samples = samples
    self.initial = initial ?? samples[0].value
  }

  /// Whether filters compare whole values and indexes hold them. JSON has parts, and no order.
  var isScalar: Bool { if case .json = type ?? V.attributeType { false } else { true } }

  func mapping(_ indexes: [Index] = []) -> Mapping<Object> {
    let initial = initial
    return Mapping(Object.self, "Item", primaryKey: "id", make: { Object(initial) }) {
      Attribute("id", \.id)
      attribute("plain", \.plain)
      attribute("maybe", \.maybe)
      for index in indexes { index }
    }
  }

  /// The attribute of a property of the row's type.
  func attribute<Class: AnyObject, Value: AttributeValue>(
    _ name: String, _ property: any ReferenceWritableKeyPath<Class, Value> & Sendable
  ) -> Attribute<Class> where Value.Unwrapped == V {
    let attribute = Attribute<Class>(name, property, as: type, transform: transform)
    return isLenient ? attribute.lenient : attribute
  }

  /// A copy with values that the type cannot hold.
  func unreadable(_ json: String...) -> Row {
    var row = self
    row.unreadable = json
    return row
  }

  /// Whether two values are shown alike; NaN beside NaN too.
  static func areAlike(_ a: V?, _ b: V?) -> Bool { a == b || (a != a && b != b) }
}

extension Row where V: OrderedAttributeValue {
  /// A copy whose values are compared and sorted.
  ///
  /// - Parameter sortsBefore: The order of sorted queries, if it has more than `less`.
  func ordered(
    by less: @escaping @Sendable (V, V) -> Bool, sorted sortsBefore: (@Sendable (V, V) -> Bool)? = nil
  ) -> Row {
    var row = self
    row.less = less
    row.sortsBefore = sortsBefore ?? less
    row.comparisons = { value in
      [
        [Filter(Object.self) { $0.plain < value }, Filter(Object.self) { $0.maybe < value }],
        [Filter(Object.self) { $0.plain <= value }, Filter(Object.self) { $0.maybe <= value }],
        [Filter(Object.self) { $0.plain > value }, Filter(Object.self) { $0.maybe > value }],
        [Filter(Object.self) { $0.plain >= value }, Filter(Object.self) { $0.maybe >= value }],
      ]
    }
    return row
  }
}

extension Row {
  /// A copy whose filters ask for elements.
  func having<E: AttributeValue & Equatable & Sendable>(_ elements: E...) -> Row where V == [E] {
    var row = self
    row.elements = elements.map { element in
      Element(
        plain: Filter(Object.self) { $0.plain.contains(element) },
        maybe: Filter(Object.self) { $0.maybe.contains(element) },
        isIn: { $0.contains(element) })
    }
    return row
  }

  /// A copy whose filters ask for elements.
  func having<E: AttributeValue & Hashable & Sendable>(_ elements: E...) -> Row where V == Set<E> {
    var row = self
    row.elements = elements.map { element in
      Element(
        plain: Filter(Object.self) { $0.plain.contains(element) },
        maybe: Filter(Object.self) { $0.maybe.contains(element) },
        isIn: { $0.contains(element) })
    }
    return row
  }
}
